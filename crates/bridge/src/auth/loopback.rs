//! Whoever calls from this machine and cannot send a token, where the operator has said that this is enough.

use std::fs;

use askbridge_core::ids::PartyId;

use super::ancestry::{Agents, Ancestry};
use super::caller::{Caller, Role};

/// The party of everybody who is let in without a token.
const PARTY: &str = "insecure_loopback";

impl Caller {
    /// The party of what the server itself looks after.
    pub(crate) const OURSELVES: &'static str = "askbridge_itself";

    /// The server itself: sees everything, decides nothing. It has no token that could be revoked.
    pub(crate) fn ourselves() -> Self {
        let name = "askbridge";
        Self { party: PartyId::from(Self::OURSELVES), role: Role::Local, name: name.into(), device: name.into() }
    }

    /// Somebody on this machine, taken for its user. An agent that runs here is taken for them too.
    pub fn without_token(user: &str) -> Self {
        Self { party: PartyId::from(PARTY), role: Role::Operator, name: user.into(), device: "loopback".into() }
    }

    /// The party of everything that asks from this machine: the token file and the local socket.
    pub(crate) const THIS_MACHINE: &'static str = "tok_local";

    /// Does this caller hold a token that makes a device of it?
    pub(crate) fn holds_a_device(&self) -> bool {
        matches!(self.role, Role::Person | Role::Operator) && !self.has_no_token()
    }

    /// Was this caller let in without a token? Then there is none that could be revoked.
    ///
    /// The token file has the role `Local`. Whatever else is of its party came by the local socket, for which the kernel vouches.
    pub(crate) fn has_no_token(&self) -> bool {
        match self.party.as_str() {
            PARTY | Self::OURSELVES => true,
            Self::THIS_MACHINE => self.role != Role::Local,
            _ => false,
        }
    }
}

/// Could the program at the other end of a loopback connection be the user's own? Not if it is another user's, nor if it
/// runs below an agent that we know. `port` is its own.
///
/// Where the system does not say whose it is, it could: this narrows what `--insecure-loopback` opens, it does not close it.
pub(crate) fn may_be_the_user(agents: &Agents, port: u16) -> bool {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| fs::read_to_string(table).unwrap_or_default());
    let sockets = tables.iter().flat_map(|table| table.lines().skip(1)).filter_map(Socket::read);
    let own_uid = rustix::process::getuid().as_raw();
    let mut theirs = sockets.filter(|socket| socket.port == port);
    theirs.all(|socket| {
        let owner = owner(socket.inode);
        socket.uid == own_uid && owner.is_none_or(|pid| agents.ancestry(pid) != Ancestry::BelowAnAgent)
    })
}

/// Does the program at the other end of a loopback connection run below an agent that we know? `port` is its own.
pub(crate) fn is_a_known_agent(agents: &Agents, port: u16) -> bool {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| fs::read_to_string(table).unwrap_or_default());
    let sockets = tables.iter().flat_map(|table| table.lines().skip(1)).filter_map(Socket::read);
    let owners = sockets.filter(|socket| socket.port == port).filter_map(|socket| owner(socket.inode));
    owners.into_iter().any(|pid| agents.ancestry(pid) == Ancestry::BelowAnAgent)
}

/// A line of `/proc/net/tcp`.
#[derive(Debug, PartialEq, Eq)]
struct Socket {
    port: u16,
    uid: u32,
    inode: u64,
}

impl Socket {
    /// Reads a connection of which both ends are there. Our own end has the other's port as its remote one.
    fn read(line: &str) -> Option<Self> {
        const ESTABLISHED: &str = "01";
        let fields: Vec<_> = line.split_whitespace().collect();
        let (local, state) = (fields.get(1)?, fields.get(3)?);
        let port = u16::from_str_radix(local.rsplit_once(':')?.1, 16).ok()?;
        let (uid, inode) = (fields.get(7)?.parse().ok()?, fields.get(9)?.parse().ok()?);
        (*state == ESTABLISHED).then_some(Self { port, uid, inode })
    }
}

/// Finds the process that holds a socket, among those that we may look into.
fn owner(inode: u64) -> Option<u32> {
    let wanted = format!("socket:[{inode}]");
    let pids =
        fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.into_iter().find(|pid| {
        let held = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        held.into_iter().any(|entry| fs::read_link(entry.path()).is_ok_and(|to| to.to_str() == Some(&wanted)))
    })
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

    #[test]
    fn a_line_of_the_table_is_read() {
        let line =
            "   3: 0100007F:A1B2 0100007F:1298 01 00000000:00000000 00:00000000 00000000  1000        0 123456 1 x";
        assert_eq!(Socket::read(line), Some(Socket { port: 0xa1b2, uid: 1000, inode: 123_456 }));
        assert_eq!(Socket::read("  sl  local_address rem_address   st"), None);
    }
}
