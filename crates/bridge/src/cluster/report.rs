//! What `GET /v1/cluster` says: the nodes, as this one sees them, and the journal that they share.

use askbridge_core::ids::Timestamp;
use askbridge_peers::json::Rfc3339;
use schemars::JsonSchema;
use serde::Serialize;

use super::nodes::{NodeState, NodeView};
use crate::server::App;

/// The nodes that share a journal.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Cluster")]
pub(crate) struct ClusterJson {
    /// The node that answered.
    here: String,
    /// Is this server the only one that can use its journal?
    alone: bool,
    /// The place of this node among those that are up: the first settles what is due.
    rank: usize,
    /// Does this node leave it to others to settle what is due and to ring, because it cannot reach the journal or its clock
    /// is off?
    #[serde(skip_serializing_if = "Option::is_none")]
    holds_back: Option<&'static str>,
    nodes: Vec<NodeJson>,
}

/// A node.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Node")]
pub(crate) struct NodeJson {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    /// Where people and other nodes reach it.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    state: NodeStateJson,
    /// Since when it is down, by its own clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    version: String,
    /// Folders in which its agents may work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    roots: Vec<String>,
    /// How many agents run there.
    agents: u32,
    /// How many may.
    agents_max: u32,
    connections: u32,
    /// How many entries of the journal its index has not applied yet.
    lag: u64,
    /// By how much its clock is ahead of the servers', in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_ahead_ms: Option<i64>,
    started_at: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "NodeState")]
pub(crate) enum NodeStateJson {
    Up,
    Down,
}

/// Says how the nodes are.
pub(crate) fn report(app: &App) -> ClusterJson {
    let nodes = &app.handle.nodes;
    let holds_back = match (nodes.is_lost(), nodes.is_clock_off()) {
        _ if nodes.is_alone() => None,
        (true, _) => Some("the journal cannot be reached"),
        (false, true) => Some("the clock of this machine is off"),
        (false, false) => None,
    };
    ClusterJson {
        here: nodes.here().to_string(),
        alone: nodes.is_alone(),
        rank: nodes.rank(),
        holds_back,
        nodes: nodes.all().into_iter().map(NodeJson::from).collect(),
    }
}

impl From<NodeView> for NodeJson {
    fn from(view: NodeView) -> Self {
        let NodeView { id, record, state } = view;
        let time = |at: i64| Rfc3339(Timestamp(at)).to_string();
        let (state, since) = match state {
            NodeState::Up => (NodeStateJson::Up, None),
            NodeState::Down { since } => (NodeStateJson::Down, Some(time(since.0))),
        };
        Self {
            id: id.to_string(),
            name: record.name.clone(),
            labels: record.labels.clone(),
            address: record.address.clone(),
            state,
            since,
            version: record.version.clone(),
            roots: record.roots.clone(),
            agents: record.agents,
            agents_max: record.agents_max,
            connections: record.connections,
            lag: record.lag,
            clock_ahead_ms: record.clock_ahead_ms,
            started_at: time(record.started_at),
        }
    }
}
