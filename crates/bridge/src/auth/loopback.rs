//! Callers without a token: the server itself, the local socket, and loopback clients where the operator allows them.

use askbridge_core::ids::PartyId;
use askbridge_platform::{loopback, ourselves};

use super::ancestry::{Agents, Ancestry};
use super::caller::{Caller, Role};

/// The party of every caller that is let in without a token.
const PARTY: &str = "insecure_loopback";

impl Caller {
    /// The party of asks that the server itself makes.
    pub(crate) const OURSELVES: &'static str = "askbridge_itself";

    /// The server itself: sees everything, decides nothing. It has no token that could be revoked.
    pub(crate) fn ourselves() -> Self {
        let name = "askbridge";
        Self { party: PartyId::from(Self::OURSELVES), role: Role::Local, name: name.into(), device: name.into() }
    }

    /// A client on this machine, taken for the machine's user. So is an agent that runs here.
    pub fn without_token(user: &str) -> Self {
        Self { party: PartyId::from(PARTY), role: Role::Operator, name: user.into(), device: "loopback".into() }
    }

    /// The party of the token file and the local socket.
    pub(crate) const THIS_MACHINE: &'static str = "tok_local";

    /// Is this the party of the token file and the local socket, of this machine or of another node?
    pub(crate) fn is_of_this_machine(party: &PartyId) -> bool {
        party.as_str().strip_prefix(Self::THIS_MACHINE).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }

    /// Does this caller hold the token of a person's device?
    pub(crate) fn holds_a_device(&self) -> bool {
        matches!(self.role, Role::Person | Role::Operator) && !self.has_no_token()
    }

    /// Was this caller let in without a token? Then there is none to revoke.
    ///
    /// The token file has the role `Local`. All other callers of its party came over the local socket, where the kernel
    /// vouches for them.
    pub(crate) fn has_no_token(&self) -> bool {
        match self.party.as_str() {
            PARTY | Self::OURSELVES => true,
            _ => Self::is_of_this_machine(&self.party) && self.role != Role::Local,
        }
    }
}

/// May the program at the other end of a loopback connection be the user's own? Not if it is another user's, nor if it
/// runs below a known agent. `port` is its own.
///
/// If the system does not say whose it is, it may be: this narrows what `--insecure-loopback` opens, it does not close
/// it.
pub(crate) fn may_be_the_user(agents: &Agents, port: u16) -> bool {
    loopback::ends_at(port).all(|end| {
        let process = end.process();
        end.user == ourselves::user() && process.is_none_or(|pid| agents.ancestry(pid) != Ancestry::BelowAnAgent)
    })
}

/// Does the program at the other end of a loopback connection run below a known agent? `port` is its own.
pub(crate) fn is_a_known_agent(agents: &Agents, port: u16) -> bool {
    let mut processes = loopback::ends_at(port).filter_map(|end| end.process());
    processes.any(|pid| agents.ancestry(pid) == Ancestry::BelowAnAgent)
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn a_connection_of_our_own_is_ours_until_we_are_known_as_an_agent() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let _accepted = listener.accept().unwrap();
        let port = stream.local_addr().unwrap().port();
        let agents = Agents::default();
        assert!(may_be_the_user(&agents, port) && !is_a_known_agent(&agents, port));
        agents.announce(std::process::id()).unwrap();
        assert!(!may_be_the_user(&agents, port) && is_a_known_agent(&agents, port));
    }
}
