//! `POST /v1/codes`: makes a code, on this machine, with which a program of another system becomes an agent.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::auth::Caller;
use crate::runtime::{Right, down};
use crate::server::app::App;
use crate::server::body::{Json, json as answer};
use crate::server::codes::{LIFE_SECONDS, new_code};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

/// A code to be made.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewCode {
    /// Who will hold the token, for people to read: 1 to 64 characters.
    #[schemars(length(min = 1, max = 64), regex(pattern = "^[A-Za-z0-9]+$"))]
    name: String,
}

/// A code that was made.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Code")]
struct CodeJson<'a> {
    /// Six digits. Kept here only as a hash.
    code: &'a str,
    name: &'a str,
    /// How long it works.
    seconds: u64,
}

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    Json(NewCode { name }): Json<NewCode>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::MakeCode)?;
    if name.trim().is_empty() || name.chars().count() > 64 {
        return Err(Trouble::new(422, "bad_request", "a name has 1 to 64 characters"));
    }
    let code = new_code(&app, name.trim()).await.map_err(|error| Trouble::from(down(error)))?;
    Ok(answer(StatusCode::CREATED, &CodeJson { code: code.reveal(), name: name.trim(), seconds: LIFE_SECONDS }))
}

pub(crate) fn create_doc(op: &mut Operation<'_>) {
    op.is("makeCode", "Callers", "Makes a code of six digits that a plugin becomes an agent with.")
        .text("*This machine.* It works once, within ten minutes, where a plugin's language is spoken: see `whimmy`.")
        .body::<NewCode>(json!({"name": "openclaw"}))
        .returns::<CodeJson<'_>>(201, "Made.")
        .refuses(&["forbidden"]);
}
