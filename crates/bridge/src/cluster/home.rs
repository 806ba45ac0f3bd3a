//! Which node runs the agent of a session.

use std::sync::Arc;

use askbridge_core::event::Started;
use askbridge_core::ids::{SessionId, StableNodeId};
use askbridge_core::view::{AskView, HostMark, HostState};
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use askbridge_peers::listing::hosted_door;
use tracing::error;

use super::nodes::{NodeState, NodeView, Nodes};
use super::record::gone_key;
use crate::auth::AgentOf;
use crate::runtime::Handle;

/// The key of the first node of a journal. Sessions that name no host are its own: they were started before there were
/// other nodes.
pub const FIRST: &str = "cluster/first";

impl Nodes {
    /// Returns the node that runs the agent of a session. `None`: it has no agent that we run, or the first node is not
    /// known yet.
    pub(crate) fn host_of(&self, started: &Started) -> Option<StableNodeId> {
        hosted_door(&started.door)?;
        if self.is_alone() {
            return Some(self.here());
        }
        started.host.or_else(|| self.first())
    }

    /// Does this node run the agent of the session?
    pub(crate) fn hosts(&self, started: &Started) -> bool {
        self.host_of(started) == Some(self.here())
    }
}

impl Handle {
    /// Returns the node that runs the agent of a session, and how it is. `None` where there is only one node, or no agent
    /// that a node runs.
    pub(crate) fn host_mark(&self, session: SessionId) -> Option<Arc<HostMark>> {
        if self.nodes.is_alone() {
            return None;
        }
        let id = match self.access(session)?.agent_of {
            AgentOf::NoNode => return None,
            AgentOf::First => self.nodes.first()?,
            AgentOf::Node(id) => id,
        };
        let mark = match self.nodes.get(id) {
            Some(NodeView { record, state, .. }) => {
                let state = match state {
                    NodeState::Up => HostState::Up,
                    NodeState::Down { since } => HostState::Down { since },
                };
                HostMark { id, name: record.name.clone(), state }
            }
            None => HostMark { id, name: id.to_string(), state: HostState::Gone },
        };
        Some(Arc::new(mark))
    }

    /// Marks an ask with the node that runs its agent.
    pub(crate) fn with_host(&self, view: AskView) -> AskView {
        AskView { host: self.host_mark(view.ask.id.session), ..view }
    }

    /// The same for several.
    pub(crate) fn mark_hosts(&self, views: &mut [AskView]) {
        if !self.nodes.is_alone() {
            views.iter_mut().for_each(|view| view.host = self.host_mark(view.ask.id.session));
        }
    }

    /// Was this node declared gone? Reads it from the shelf.
    pub(crate) async fn is_declared_gone(&self) -> Result<bool, ShelfError> {
        if self.nodes.is_alone() {
            return Ok(false);
        }
        let is_gone = self.store.get(&gone_key(self.nodes.here()), self.now()).await?.is_some();
        if is_gone {
            self.nodes.set_gone();
        }
        Ok(is_gone)
    }

    /// Reads which node was the first of this journal. If there is none, it is this one.
    pub(crate) async fn find_first_node(&self) -> Result<(), ShelfError> {
        if self.nodes.is_alone() || self.nodes.first().is_some() {
            return Ok(());
        }
        let here = self.nodes.here();
        loop {
            if let Some(known) = self.store.get(FIRST, self.now()).await? {
                // Another release may write more after the id.
                let text = std::str::from_utf8(&known.value).ok().and_then(|text| text.split_whitespace().next());
                match text.and_then(|text| text.parse().ok()) {
                    Some(first) => self.nodes.set_first(first),
                    None => error!("`{FIRST}` names no node: agents of sessions without a host are run by none"),
                }
                return Ok(());
            }
            match self.store.put(FIRST, here.to_string().as_bytes(), Expect::Absent, None, self.now()).await {
                // Ours, or that of a node that was faster: read back.
                Ok(_) | Err(ShelfError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
}
