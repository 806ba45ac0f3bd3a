//! `GET /readyz`: can we do our work? For whoever decides whether to send people here.

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;
use tokio::time::timeout;
use tracing::warn;

use crate::runtime::chain;
use crate::server::app::App;
use crate::server::body;

/// How long the store and the index may take to answer. Beyond: we are not ready.
const ANSWER_MAX: Duration = Duration::from_secs(2);

/// Anybody may ask, so the reasons name no path; those are in the log.
pub(crate) async fn show(State(app): State<App>) -> Response {
    let reasons: Vec<&'static str> = if app.stop.is_cancelled() {
        vec!["askbridge is stopping"]
    } else {
        let (store, index) = tokio::join!(store(&app), index(&app));
        [store, index].into_iter().filter_map(Result::err).collect()
    };
    if reasons.is_empty() {
        return body::json(StatusCode::OK, &json!({"status": "ready"}));
    }
    body::json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "not_ready", "reasons": reasons}))
}

async fn store(app: &App) -> Result<(), &'static str> {
    match timeout(ANSWER_MAX, app.handle.store().probe(app.handle.now())).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            warn!(error = chain(&error), "Not ready: the store takes nothing");
            Err("the store takes nothing; the log says why")
        }
        Err(_) => Err("the store does not answer in time"),
    }
}

async fn index(app: &App) -> Result<(), &'static str> {
    let index = app.handle.store().index();
    match timeout(ANSWER_MAX, tokio::task::spawn_blocking(move || index.next_due())).await {
        Ok(Ok(Ok(_))) => Ok(()),
        Ok(Ok(Err(error))) => {
            warn!(error = chain(&error), "Not ready: the index cannot be read");
            Err("the index cannot be read; the log says why")
        }
        Ok(Err(_)) | Err(_) => Err("the index does not answer in time"),
    }
}
