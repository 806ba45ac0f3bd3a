//! `GET /v1/cluster`: the nodes that share the journal.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::auth::{Action, Caller};
use crate::cluster::{ClusterJson, report};
use crate::server::app::App;
use crate::server::body::json;
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

pub(crate) async fn show(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    caller.may(Action::Inspect, None)?;
    Ok(json(StatusCode::OK, &report(&app)))
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("showCluster", "Server", "Says which nodes share the journal, and how they are.")
        .text("*Operators, this machine.* A server with a journal of its own has no other nodes.")
        .returns::<ClusterJson>(200, "As this node sees it.")
        .refuses(&["forbidden"]);
}
