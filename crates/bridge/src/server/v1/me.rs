//! `GET /v1/me`: whose token is this?

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use crate::auth::Caller;
use crate::server::body;

pub(crate) async fn show(caller: Caller) -> Response {
    let me = json!({"name": caller.name, "device": caller.device, "role": caller.role.name()});
    body::json(StatusCode::OK, &me)
}
