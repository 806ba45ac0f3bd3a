//! `GET /v1/cluster`: the nodes that share the journal. `POST /v1/cluster/nodes/{id}/forget`: declares one gone.

use askbridge_core::ids::StableNodeId;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as example;

use crate::auth::Caller;
use crate::cluster::{ClusterJson, ForgetNodeError, ForgottenNode, forget_node, look, report};
use crate::runtime::{Right, down};
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

pub(crate) async fn show(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::ShowCluster)?;
    if !app.handle.nodes.is_alone() {
        // The nodes that joined a moment ago are in it as well.
        look(&app.handle).await.map_err(down)?;
    }
    Ok(json(StatusCode::OK, &report(&app)))
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("showCluster", "Server", "Says which nodes share the journal, and how they are.")
        .text("*Operators, this machine.* A server with a journal of its own has no other nodes.")
        .returns::<ClusterJson>(200, "As this node sees it.")
        .refuses(&["forbidden"]);
}

/// How a node is declared gone.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ForgetNode {
    /// Although it is up: the agents that it runs are ended.
    #[serde(default)]
    even_if_up: bool,
}

/// What became of a node's sessions.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NodeForgotten")]
struct NodeForgottenJson {
    node: String,
    /// Sessions whose agents it ran. No node runs them from now on.
    sessions: u64,
    /// Asks of those agents. They stay answerable; an answer becomes a message.
    asks: u64,
}

pub(crate) async fn forget(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(wish): Json<ForgetNode>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::ForgetNode)?;
    let unknown = || Trouble::new(404, "unknown_node", format!("there is no node `{id}`"));
    let node: StableNodeId = id.parse().map_err(|_| unknown())?;
    let forgotten = forget_node(&app.handle, node, &caller.name, wish.even_if_up).await;
    let ForgottenNode { sessions, asks } = forgotten.map_err(|error| match error {
        ForgetNodeError::Unknown(_) => unknown(),
        ForgetNodeError::Here(_) | ForgetNodeError::Up(_) => Trouble::new(409, "node_up", error.to_string()),
        ForgetNodeError::Rejected(rejection) => rejection.into(),
    })?;
    Ok(json(StatusCode::OK, &NodeForgottenJson { node: id, sessions, asks }))
}

pub(crate) fn forget_doc(op: &mut Operation<'_>) {
    op.is("forgetNode", "Server", "Declares a node gone that will not come back.")
        .text(
            "*Operators, this machine.* Its sessions are claimed and released, so nothing that it still says counts; their open \
             asks stay answerable, and an answer becomes a message. A node that comes back after all ends the agents that it \
             ran, and joins as another.",
        )
        .may_have_body::<ForgetNode>(example!({"even_if_up": false}))
        .returns::<NodeForgottenJson>(200, "It is gone.")
        .refuses(&["forbidden", "unknown_node", "node_up"]);
}
