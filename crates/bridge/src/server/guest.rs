//! The other end of a conversation, as the server knows it.

use std::net::IpAddr;
use std::sync::Arc;

use super::app::{App, Seat};
use super::identify::{LocalPeer, local_caller};
use crate::auth::{Caller, ProcessId, Role, Secret};
use crate::runtime::{Entrance, Source};

/// One end of a conversation: how it came in, and who it is.
pub(crate) struct Guest {
    pub(crate) via: &'static str,
    /// What carries the conversation.
    pub(crate) source: Source,
    pub(crate) from: IpAddr,
    /// Known from the beginning, or later by a login.
    pub(crate) caller: Option<Caller>,
    /// The process at the other end, if it called on the local socket.
    pub(crate) process: Option<ProcessId>,
    /// The same for a socket: it stays open, and what its process may do can change meanwhile.
    pub(crate) peer: Option<LocalPeer>,
    /// The login cookie of the request, if its dialect has one.
    pub(crate) cookie: Option<LoginCookie>,
    /// Held as long as the connection is open.
    pub(crate) _seat: Option<Arc<Seat>>,
}

/// A login cookie that came with a request. It may be unknown.
pub(crate) struct LoginCookie {
    pub(crate) secret: Secret,
    /// Was the caller identified by it, and not by a token?
    pub(crate) let_in: bool,
}

impl Guest {
    /// Which way its wishes come in.
    pub(super) fn entrance(&self) -> Entrance {
        Entrance { via: self.via, source: self.source }
    }

    /// The caller as it is now: a terminal may have been vouched for since it connected, or an agent may have started
    /// there.
    pub(super) fn now(&self, app: &App) -> Option<Caller> {
        let caller = self.caller.as_ref()?;
        match (&self.peer, caller.role) {
            (Some(peer), Role::Terminal | Role::Unproven) => local_caller(app, peer).ok(),
            _ => Some(caller.clone()),
        }
    }
}
