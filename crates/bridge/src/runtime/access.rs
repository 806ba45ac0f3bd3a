//! A cache of who owns each session and who may see it.

use std::sync::Arc;

use askbridge_core::event::Audience;
use askbridge_core::ids::SessionId;
use askbridge_core::limits;
use askbridge_journal::journal::Journal;
use askbridge_peers::listing::hosted_door;

use super::handle::Handle;
use crate::auth::{Access, AgentOf};

impl Handle {
    /// Returns who owns a session and who may see it, or `None` if there is no such session.
    pub(crate) fn access(&self, session: SessionId) -> Option<Arc<Access>> {
        if let Some(access) = self.accesses.lock().get(&session) {
            return Some(Arc::clone(access));
        }
        let row = self.store.index().session(session).ok()??;
        let audience = row.audience.map_or(Audience::Everyone, Audience::Only);
        let agent_of = match self.nodes.is_alone() || hosted_door(&row.door).is_none() {
            true => AgentOf::NoNode,
            false => AgentOf::of(&*self.store.index().started(session).ok()??),
        };
        let access = Arc::new(Access { owner: row.owner, audience, agent_of });
        self.accesses.lock().insert(session, Arc::clone(&access));
        Some(access)
    }

    /// Makes sure that a session that another node has just stored is known here: the index may not have it yet.
    pub(crate) async fn know(&self, session: SessionId) {
        if self.store.exclusive() || self.access(session).is_some() {
            return;
        }
        let started = self.look_at_stored(session, |state| state.session.started.clone());
        // If the journal cannot be read, the session stays unknown here; the next request tries again.
        if let Ok(Some(started)) = Box::pin(started).await {
            self.remember_access(session, Access::of(&started));
        }
    }

    pub(crate) fn remember_access(&self, session: SessionId, access: Access) {
        let mut accesses = self.accesses.lock();
        // Dropped ones are looked up again; clearing all is simpler than tracking their use.
        if accesses.len() >= limits::CACHED_SESSIONS_MAX * 4 {
            accesses.clear();
        }
        accesses.insert(session, Arc::new(access));
    }
}
