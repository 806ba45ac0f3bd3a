//! `GET /readyz`: whether the server can do its work, for load balancers.

use std::time::Duration;

use askbridge_journal::Health;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;
use tracing::warn;

use crate::runtime::chain;
use crate::server::app::App;
use crate::server::body;
use crate::server::docs::Operation;

/// How long the store and the index may take to respond. Beyond: we are not ready.
const ANSWER_MAX: Duration = Duration::from_secs(2);

/// Whether we can do our work.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
enum Readiness {
    Ready,
    NotReady { reasons: Vec<&'static str> },
}

/// Needs no token, so the reasons name no path; those are in the log.
pub(crate) async fn show(State(app): State<App>) -> Response {
    let reasons: Vec<&'static str> = if app.stop.is_cancelled() {
        vec!["askbridge is stopping"]
    } else {
        let (store, index) = tokio::join!(store(&app), index(&app));
        [health(&app), store, index].into_iter().filter_map(Result::err).collect()
    };
    if reasons.is_empty() {
        return body::json(StatusCode::OK, &Readiness::Ready);
    }
    body::json(StatusCode::SERVICE_UNAVAILABLE, &Readiness::NotReady { reasons })
}

/// What is known of the journal without asking it: a load balancer may call this often.
fn health(app: &App) -> Result<(), &'static str> {
    match app.handle.store().health() {
        Health::Following => Ok(()),
        Health::Behind { .. } => Err("the index has not caught up with the journal"),
        Health::Unreachable { .. } => Err("the servers of the journal cannot be reached"),
        Health::Unreadable(record) => {
            warn!(error = chain(&record), "Not ready: a newer release has written to the journal; upgrade this node");
            Err("the journal has a record of a newer release; upgrade this node")
        }
    }
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

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("ready", "Server", "Says whether the server can do its work.")
        .open_to_all()
        .returns::<Readiness>(200, "It can.")
        .returns::<Readiness>(503, "It cannot, and why.");
}
