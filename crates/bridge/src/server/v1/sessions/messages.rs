//! `POST /v1/sessions/{id}/messages`: says something to the agent. `202`: it is on disk, and will be said.

use askbridge_peers::doors::http;
use askbridge_peers::wish::Wish;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};

use super::visible;
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::problem::Trouble;

#[derive(Debug, Deserialize)]
pub(crate) struct Saying {
    text: String,
    /// The ask that this is about.
    about: Option<String>,
}

#[derive(Serialize)]
struct Taken {
    id: Option<String>,
    session: String,
}

pub(crate) async fn say(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(saying): Json<Saying>,
) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    let about = saying.about.map(|ask| ask.parse()).transpose();
    let about = about.map_err(|_| Trouble::new(422, "bad_request", "`about` is not an ask's id"))?;
    let wish = Wish::Say { session, text: saying.text, about };
    let receipt = app.handle.grant(&caller, http::NAME, wish).await?;
    let session = receipt.session.unwrap_or(session).to_string();
    Ok(json(StatusCode::ACCEPTED, &Taken { id: receipt.message.map(|message| message.to_string()), session }))
}
