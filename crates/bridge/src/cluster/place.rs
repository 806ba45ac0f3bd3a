//! Chooses the node that runs a new session's agent.

use std::path::{Component, Path};

use askbridge_core::ids::StableNodeId;
use askbridge_core::refusal::Refusal;
use askbridge_peers::json::Rfc3339;
use askbridge_peers::wish::Rejection;

use super::nodes::{NodeState, NodeView, Nodes};

impl Nodes {
    /// Returns the node that is called so, or has that label: of several that are up, the one with the most free places.
    pub(crate) fn named(&self, name: &str) -> Result<StableNodeId, Rejection> {
        if name == self.here().to_string() {
            return Ok(self.here());
        }
        let unknown = || {
            let known: Vec<_> = self.all().iter().map(|node| format!("`{}`", node.record.name)).collect();
            let known = if known.is_empty() { "no other nodes".to_owned() } else { known.join(", ") };
            Rejection::UnknownNode(format!("no node is called `{name}` or has that label; there are {known}"))
        };
        let answering: Vec<_> = self.all().into_iter().filter(|node| node.record.answers_to(node.id, name)).collect();
        // A name says which node is meant; a label, what it has to offer.
        let is_named = |node: &NodeView| node.record.name == name || node.id.to_string() == name;
        let exact = answering.iter().any(is_named);
        let meant = answering.into_iter().filter(|node| !exact || is_named(node));
        self.choose(meant.collect()).unwrap_or_else(|| Err(unknown()))
    }

    /// Returns the node below whose roots this folder is. `None`: it is below none, or is not named from the root.
    pub(crate) fn with_folder(&self, folder: &str) -> Option<Result<StableNodeId, Rejection>> {
        let folder = plain(folder)?;
        self.choose(self.all().into_iter().filter(|node| node.record.has_folder(folder)).collect())
    }

    /// May the agents of that node work in this folder, as far as its name tells?
    pub(crate) fn check_folder(&self, node: StableNodeId, folder: &str) -> Result<(), Rejection> {
        let Some(view) = self.get(node) else { return Err(Rejection::UnknownNode(format!("there is no node {node}"))) };
        // What `~` means there, only that node knows.
        let is_home = folder == "~" || folder.starts_with("~/");
        if is_home || plain(folder).is_some_and(|folder| view.record.has_folder(folder)) {
            return Ok(());
        }
        let roots: Vec<_> = view.record.roots.iter().map(|root| format!("`{root}`")).collect();
        let roots = if roots.is_empty() { "no folder at all".to_owned() } else { roots.join(", ") };
        let name = &view.record.name;
        let why = format!("agents on `{name}` may not work in `{folder}`; they may in {roots}");
        Err(Rejection::Refused(Refusal::BadRequest(why)))
    }

    /// Of these, this node if it is among them, else the one that is up and has the most free places.
    fn choose(&self, meant: Vec<NodeView>) -> Option<Result<StableNodeId, Rejection>> {
        let free = |node: &NodeView| i64::from(node.record.agents_max) - i64::from(node.record.agents);
        let up = meant.iter().filter(|node| node.state == NodeState::Up);
        let best = up.max_by_key(|node| (node.id == self.here(), free(node), node.id));
        match (best, meant.first()) {
            (Some(best), _) => Some(Ok(best.id)),
            (None, Some(down)) => Some(Err(is_down(down))),
            (None, None) => None,
        }
    }
}

/// An absolute path without steps back, which could lead out of a root.
fn plain(folder: &str) -> Option<&Path> {
    let path = Path::new(folder);
    let is_plain = path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    (path.is_absolute() && is_plain).then_some(path)
}

fn is_down(node: &NodeView) -> Rejection {
    let NodeState::Down { since } = node.state else { return Rejection::HostDown("the node is up".to_owned()) };
    let (name, since) = (&node.record.name, Rfc3339(since));
    Rejection::HostDown(format!("`{name}` is down since {since}; start it, or choose another `host`"))
}

#[cfg(test)]
mod tests {
    use askbridge_core::ids::{NodeId, Timestamp};
    use askbridge_journal::shelf::{Item, Revision};
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn nodes() -> Nodes {
        let item = |id: u64, name: &str, labels: &[&str], root: &str, agents: u32, age: i64| {
            let record = json!({
                "name": name, "labels": labels, "roots": [root], "run": format!("run_{id:016x}"), "version": "1",
                "agents": agents, "agents_max": 8, "started_at": 0, "renewed_at": NOW.0 - age,
            });
            let key = format!("node/{}", StableNodeId(id));
            Item { key, value: record.to_string().into_bytes().into(), revision: Revision(id), expires_at: None }
        };
        let nodes = Nodes::new(StableNodeId(1), NodeId(100), false);
        let items = [
            item(1, "desk", &[], "/home/me", 0, 0),
            item(2, "lab", &["gpu"], "/srv/lab", 7, 0),
            item(3, "gpu-box", &["gpu"], "/srv/box", 1, 0),
            item(4, "old", &["tape"], "/srv/old", 0, 60_000),
        ];
        nodes.take_in(&items, NOW);
        nodes
    }

    #[tokio::test]
    async fn a_node_is_chosen_by_name_by_label_and_by_folder() {
        let nodes = nodes();
        let id = |found: Result<StableNodeId, Rejection>| found.map(|id| id.0).map_err(|error| error.code());
        assert_eq!(id(nodes.named("lab")), Ok(2));
        assert_eq!(id(nodes.named("node_0000000000000003")), Ok(3));
        assert_eq!(id(nodes.named("gpu")), Ok(3), "it has more free places");
        assert_eq!(id(nodes.named("old")), Err("host_down"));
        assert_eq!(id(nodes.named("tape")), Err("host_down"));
        assert_eq!(id(nodes.named("nobody")), Err("unknown_node"));
        let with = |folder| nodes.with_folder(folder).map(id);
        assert_eq!(with("/srv/lab/project"), Some(Ok(2)));
        assert_eq!(with("/home/me"), Some(Ok(1)));
        assert_eq!(with("/srv/old/x"), Some(Err("host_down")));
        assert_eq!((with("/srv/laboratory"), with("~/x"), with("/srv/lab/../../etc")), (None, None, None));
    }

    #[tokio::test]
    async fn a_folder_outside_of_the_roots_of_a_node_is_refused_by_name() {
        let nodes = nodes();
        assert!(nodes.check_folder(StableNodeId(2), "/srv/lab/project").is_ok());
        assert!(nodes.check_folder(StableNodeId(2), "~/project").is_ok(), "that node knows what it means");
        for folder in ["/srv/box", "/srv/lab/../box", "lab"] {
            let refused = nodes.check_folder(StableNodeId(2), folder).unwrap_err();
            assert_eq!(refused.code(), "bad_request", "{folder}");
            assert!(refused.to_string().contains("`lab`") && refused.to_string().contains("`/srv/lab`"), "{refused}");
        }
    }
}
