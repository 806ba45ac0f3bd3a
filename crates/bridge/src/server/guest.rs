//! Who sits at the other end of a conversation.

use std::net::IpAddr;
use std::sync::Arc;

use super::app::{App, Seat};
use super::identify::{LocalPeer, local_caller};
use crate::auth::{Caller, ProcessId, Role};
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
    /// The same for a socket, which stays open: what its process may do can change meanwhile.
    pub(crate) peer: Option<LocalPeer>,
    /// Held as long as the connection is open.
    pub(crate) _seat: Option<Arc<Seat>>,
}

impl Guest {
    /// Which way its wishes come in.
    pub(super) fn entrance(&self) -> Entrance {
        Entrance { via: self.via, source: self.source }
    }

    /// Who they are at this moment: a terminal may have been vouched for since it connected, or an agent may have started there.
    pub(super) fn now(&self, app: &App) -> Option<Caller> {
        let caller = self.caller.as_ref()?;
        match (&self.peer, caller.role) {
            (Some(peer), Role::Terminal | Role::Unproven) => local_caller(app, peer).ok(),
            _ => Some(caller.clone()),
        }
    }
}
