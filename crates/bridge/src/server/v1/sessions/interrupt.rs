//! `POST /v1/sessions/{id}/interrupt`: stops the agent's turn. What it had asked is taken back.

use askbridge_peers::doors::http;
use askbridge_peers::wish::Wish;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json as value;

use super::visible;
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::json;
use crate::server::problem::Trouble;

pub(crate) async fn interrupt(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    app.handle.grant(&caller, http::NAME, Wish::Interrupt { session }).await?;
    Ok(json(StatusCode::ACCEPTED, &value!({"session": session.to_string()})))
}
