//! What a tap is requested for, by which process, and whose devices are asked.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use askbridge_core::ids::PersonId;
use serde::{Deserialize, Serialize};

use crate::auth::{Ancestry, Caller, Origin, ProcessId, TokenInfo, TokenRole};
use crate::server::app::App;
use crate::server::identify::LocalPeer;
use crate::server::problem::Trouble;

/// What a tap is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Purpose {
    /// Decide, and talk to agents, as the person who sits at a terminal.
    Decide { name: String },
    /// Make a further device or token of a person.
    Pair { name: String, role: TokenRole },
    /// Revoke a person's token.
    Revoke { id: String, name: String, device: String },
    /// Add a way in which a person is reached, and may decide.
    Channel { person: String, kind: String, to: String },
    /// Remove such a way: the person is not reached over it any longer.
    RemoveChannel { person: String, kind: String, to: String },
    /// Let a machine on the network ask here, with the token that has this digest.
    Connect { machine: String, digest: String },
    /// Switch taps off.
    SwitchOff,
    /// Put a rule file in force that has rules which say yes: those named. The digest is that of its text.
    Rules { digest: String, file: String, yes: Vec<String> },
}

/// The requester. Requests of an equal one share a tap.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TapRequester {
    /// A process, or a shell for all that is started in it.
    Process { pid: u32, started: u64 },
    /// A program with the token file, over TCP.
    Party(String),
    /// A file that has changed; it is not known which program did it.
    File,
    /// A machine on the network, known by the digest of the token that it made.
    Machine(String),
}

/// One request that needs a tap.
#[derive(Debug, Clone)]
pub(crate) struct TapRequest {
    pub(crate) purpose: Purpose,
    pub(super) by: TapRequester,
    /// The process that calls, and where it began. `None`: it came over TCP.
    pub(super) origin: Option<Origin>,
    /// The address of a machine on the network that wants it.
    pub(super) from: Option<IpAddr>,
    /// May it go on without a tap after a while, because all devices may be lost?
    pub(super) devices_may_be_lost: bool,
}

impl TapRequest {
    /// A request of a process on the local socket.
    pub(crate) fn by_process(app: &App, peer: &LocalPeer, purpose: Purpose) -> Result<Self, Trouble> {
        let process = peer.process()?;
        let origin = app.agents.origin(process.pid);
        // A tap for deciding holds for the whole shell; any other one for the process that requested it.
        let whose = match purpose {
            Purpose::Decide { .. } => origin.shell.unwrap_or(process),
            _ => process,
        };
        let pairs = matches!(purpose, Purpose::Pair { .. });
        let devices_may_be_lost = pairs && origin.ancestry == Ancestry::LoginTerminal;
        Ok(Self { purpose, by: whose.into(), origin: Some(origin), from: None, devices_may_be_lost })
    }

    /// A request over TCP, with the token file.
    pub(crate) fn by_party(caller: &Caller, purpose: Purpose) -> Self {
        Self::without_a_process(purpose, TapRequester::Party(caller.party.to_string()))
    }

    /// A request that a changed file makes.
    pub(crate) fn by_a_file(purpose: Purpose) -> Self {
        Self::without_a_process(purpose, TapRequester::File)
    }

    /// A request of a machine that wants to ask here from now on.
    pub(crate) fn by_a_machine(machine: String, digest: String, from: IpAddr) -> Self {
        let by = TapRequester::Machine(digest.clone());
        Self { from: Some(from), ..Self::without_a_process(Purpose::Connect { machine, digest }, by) }
    }

    fn without_a_process(purpose: Purpose, by: TapRequester) -> Self {
        Self { purpose, by, origin: None, from: None, devices_may_be_lost: false }
    }

    /// The calling process.
    pub(super) fn process(&self) -> Option<ProcessId> {
        self.origin.as_ref()?.line.first().copied()
    }

    /// Whose devices are asked: those of the person whom it is about. If none of them could give as much, the
    /// operators'; if there are no operators, all people's.
    pub(super) fn people(&self, app: &App) -> Vec<PersonId> {
        let (name, gives) = match &self.purpose {
            Purpose::Pair { name, role } => (Some(name), *role),
            Purpose::Decide { name }
            | Purpose::Revoke { name, .. }
            | Purpose::Channel { person: name, .. }
            | Purpose::RemoveChannel { person: name, .. } => (Some(name), TokenRole::Person),
            Purpose::SwitchOff | Purpose::Rules { .. } | Purpose::Connect { .. } => (None, TokenRole::Operator),
        };
        let tokens = app.tokens.list();
        let devices = || tokens.iter().filter(|info| info.role.decides());
        let operators = || devices().filter(|info| info.role == TokenRole::Operator);
        let gives_as_much = |info: &TokenInfo| gives != TokenRole::Operator || info.role == TokenRole::Operator;
        let mut found = names(devices().filter(|info| Some(&info.name) == name && gives_as_much(info)));
        if found.is_empty() {
            found = names(operators());
        }
        if found.is_empty() {
            found = names(devices());
        }
        found.into_iter().collect()
    }
}

fn names<'a>(infos: impl Iterator<Item = &'a Arc<TokenInfo>>) -> BTreeSet<PersonId> {
    infos.map(|info| PersonId::from(info.name.as_str())).collect()
}

impl From<ProcessId> for TapRequester {
    fn from(ProcessId { pid, started }: ProcessId) -> Self {
        Self::Process { pid, started }
    }
}

impl TapRequester {
    pub(super) fn process(&self) -> Option<ProcessId> {
        match *self {
            Self::Process { pid, started } => Some(ProcessId { pid, started }),
            Self::Party(_) | Self::File | Self::Machine(_) => None,
        }
    }
}
