//! `GET /healthz`: whether the server runs.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use crate::server::app::App;
use crate::server::body;
use crate::server::docs::Operation;

/// How the server is.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
enum Health {
    Ok {
        /// The release that runs.
        version: &'static str,
    },
    Stopping,
}

pub(crate) async fn show(State(app): State<App>) -> Response {
    if app.stop.is_cancelled() {
        return body::json(StatusCode::SERVICE_UNAVAILABLE, &Health::Stopping);
    }
    body::json(StatusCode::OK, &Health::Ok { version: app.version })
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("health", "Server", "Says whether the server is there.")
        .open_to_all()
        .returns::<Health>(200, "It is there.")
        .returns::<Health>(503, "It is stopping.");
}
