//! Which way a wish came in. The bridge says so where it came in; a peer cannot.

use askbridge_core::ids::SessionId;

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
    /// The bridge's own end of the agent in this session: the process that it runs there, or the hook of a terminal
    /// that the session mirrors. Only `hosts` and `hooks` make one. The process has no rate limit; a hook's request was
    /// rate limited.
    Agent(SessionId),
}

impl Entrance {
    pub(crate) const fn request(via: &'static str) -> Self {
        Self { via, source: Source::Request }
    }

    pub(crate) const fn agent(via: &'static str, session: SessionId) -> Self {
        Self { via, source: Source::Agent(session) }
    }

    /// Does each wish count against the caller's rate? If not, the request that brought it did, or there is no limit.
    pub(super) fn paces_each_wish(self) -> bool {
        match self.source {
            Source::Socket => true,
            Source::Request | Source::Agent(_) => false,
        }
    }

    /// Is this the bridge's own end of the agent in that session?
    pub(super) fn is_the_agent_of(self, session: SessionId) -> bool {
        self.source == Source::Agent(session)
    }
}
