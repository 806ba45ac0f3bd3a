//! What a node writes about itself on the shared shelf, and renews while it runs.

use std::path::Path;

use askbridge_core::ids::{NodeId, StableNodeId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The keys of the records.
pub(crate) const NODE_PREFIX: &str = "node/";
/// The keys of nodes that were declared gone.
pub(crate) const GONE_PREFIX: &str = "node-gone/";

/// What the operator says about a node in its settings, and what it knows about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeProfile {
    /// The name by which people know it.
    pub name: String,
    /// What it offers to agents, like `gpu`.
    pub labels: Vec<String>,
    /// The address at which people and other nodes reach it.
    pub address: Option<String>,
    /// Folders in which its agents may work.
    pub roots: Vec<String>,
    pub version: String,
}

/// A node, as it last described itself. Unknown fields are those of a newer release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeRecord {
    pub name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The id of this run: another one after each start.
    pub run: String,
    pub version: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<String>,
    /// How many agents run there, and how many may.
    #[serde(default)]
    pub agents: u32,
    #[serde(default)]
    pub agents_max: u32,
    /// How many connections it serves.
    #[serde(default)]
    pub connections: u32,
    /// How many entries of the journal its index has not applied yet.
    #[serde(default)]
    pub lag: u64,
    /// By how much its clock is ahead of the servers' clock, in milliseconds, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ahead_ms: Option<i64>,
    /// When this run began, by its own clock, in milliseconds since 1970.
    pub started_at: i64,
    /// When it was written, by its own clock, in milliseconds since 1970.
    pub renewed_at: i64,
}

impl NodeRecord {
    /// Is the node called so, or does it have this label?
    pub(crate) fn answers_to(&self, id: StableNodeId, name_or_label: &str) -> bool {
        self.name == name_or_label
            || id.to_string() == name_or_label
            || self.labels.iter().any(|label| label == name_or_label)
    }

    /// May agents work in this folder there? The roots are compared by name: the folder is on that machine.
    pub(crate) fn has_folder(&self, folder: &Path) -> bool {
        self.roots.iter().any(|root| folder.starts_with(root))
    }
}

/// Returns the id of a run as text.
pub(super) fn run_name(run: NodeId) -> String {
    format!("run_{:016x}", run.0)
}

/// Returns the key under which it is kept that a node was declared gone.
pub(super) fn gone_key(node: StableNodeId) -> String {
    format!("{GONE_PREFIX}{node}")
}

/// Returns the key of a node's record.
pub(super) fn key_of(node: StableNodeId) -> String {
    format!("{NODE_PREFIX}{node}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> NodeRecord {
        let json = r#"{"name":"desk","run":"run_1","version":"0.1.0","roots":["/home/me"],"labels":["gpu"],
            "started_at":1,"renewed_at":2,"of_a_newer_release":true}"#;
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_record_of_a_newer_release_is_read() {
        assert_eq!((record().name.as_str(), record().agents, record().clock_ahead_ms), ("desk", 0, None));
    }

    #[test]
    fn a_node_is_found_by_name_label_or_id() {
        let (node, id) = (record(), StableNodeId(7));
        assert!(["desk", "gpu", "node_0000000000000007"].iter().all(|name| node.answers_to(id, name)));
        assert!(!["des", "", "node_0000000000000008"].iter().any(|name| node.answers_to(id, name)));
        assert!(node.has_folder("/home/me/work".as_ref()) && !node.has_folder("/home/mel".as_ref()));
    }
}
