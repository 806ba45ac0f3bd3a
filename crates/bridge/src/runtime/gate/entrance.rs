//! Which way a wish came in. The bridge says so where it came in; a peer cannot.

use askbridge_core::ids::{Epoch, SessionId};
use askbridge_core::intent::Intent;

/// The dialect or door of a wish, and what carried it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entrance {
    /// The name of the dialect or door: recorded, and a namespace for what it keeps. It gives no rights.
    pub(crate) via: &'static str,
    pub(crate) source: Source,
}

/// What carried a wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A request. It was rate limited as a whole when its caller was identified.
    Request,
    /// A connection that stays open: each wish is rate limited.
    Socket,
    /// The bridge's own end of the agent in this session: the hook of a terminal that the session mirrors. Only `hooks`
    /// makes one. The hook's request was rate limited.
    Agent(SessionId),
    /// The same of an agent whose process this node runs, under the claim of this epoch: what it wishes is refused once
    /// there is a later claim. Only `hosts` makes one. There is no rate limit.
    Host(SessionId, Epoch),
}

impl Entrance {
    pub(crate) const fn request(via: &'static str) -> Self {
        Self { via, source: Source::Request }
    }

    pub(crate) const fn agent(via: &'static str, session: SessionId) -> Self {
        Self { via, source: Source::Agent(session) }
    }

    pub(crate) const fn of_host(via: &'static str, session: SessionId, epoch: Epoch) -> Self {
        Self { via, source: Source::Host(session, epoch) }
    }

    /// Returns the intent, fenced by the claim if it is an agent's that this node runs.
    pub(in crate::runtime) fn fenced(&self, intent: Intent) -> Intent {
        match self.epoch() {
            Some(epoch) => intent.of_host(epoch),
            None => intent,
        }
    }

    /// The claim under which the agent's process runs, if this node runs it.
    pub(in crate::runtime) fn epoch(&self) -> Option<Epoch> {
        match self.source {
            Source::Host(_, epoch) => Some(epoch),
            _ => None,
        }
    }

    /// Does each wish count against the caller's rate? If not, the request that brought it did, or there is no limit.
    pub(super) fn paces_each_wish(self) -> bool {
        match self.source {
            Source::Socket => true,
            Source::Request | Source::Agent(_) | Source::Host(..) => false,
        }
    }

    /// Is this the bridge's own end of the agent in that session?
    pub(super) fn is_the_agent_of(self, session: SessionId) -> bool {
        matches!(self.source, Source::Agent(of) | Source::Host(of, _) if of == session)
    }
}
