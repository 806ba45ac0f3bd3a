//! `GET /healthz`: are we there?

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use crate::server::app::App;
use crate::server::body;

pub(crate) async fn show(State(app): State<App>) -> Response {
    if app.stop.is_cancelled() {
        return body::json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "stopping"}));
    }
    body::json(StatusCode::OK, &json!({"status": "ok", "version": app.version}))
}
