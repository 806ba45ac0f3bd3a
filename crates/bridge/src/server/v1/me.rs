//! `GET /v1/me`: whose token this is.

use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use crate::auth::{Caller, Role};
use crate::server::body;
use crate::server::docs::Operation;

/// Who you are here.
#[derive(Serialize, JsonSchema)]
struct Me<'a> {
    name: &'a str,
    /// What you hold in your hand: `phone`, `terminal`.
    device: &'a str,
    role: Role,
}

pub(crate) async fn show(caller: Caller) -> Response {
    body::json(StatusCode::OK, &Me { name: &caller.name, device: &caller.device, role: caller.role })
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("me", "Callers", "Says whose token this is.").text("*Anyone with a token.*").returns::<Me<'_>>(200, "You.");
}
