//! The identity and role of a caller.

use std::sync::Arc;

use askbridge_core::answer::Who;
use askbridge_core::event::{Audience, Started};
use askbridge_core::ids::{PartyId, PersonId, StableNodeId};
use askbridge_peers::listing::hosted_door;
use schemars::JsonSchema;
use serde::Serialize;

/// What a token, or the local socket, entitles to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Asks, and reads its own asks.
    Agent,
    /// Sees and decides what is addressed to them.
    Person,
    /// A person who may also start sessions: that is code execution.
    Operator,
    /// The token file on disk, and programs on the local socket: asks and administers, never decides, because an agent
    /// runs as the same user and can read the file.
    Local,
    /// A person at a terminal of this machine, with no agent above them: local, and may decide.
    Terminal,
    /// A terminal of this machine that anything could have opened: local, and may decide once a paired device gave a tap.
    Unproven,
    /// A program that answers, under its own name: what it decides is recorded as a rule's decision, never as a person's.
    Bot,
}

/// What the token of a connected machine is kept under, as the device of an agent. No other token of an agent has it.
pub(crate) const MACHINE: &str = "machine";

/// A caller that was identified. Cheap to clone: it goes along with every wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub party: PartyId,
    pub role: Role,
    /// The name that people read.
    pub name: Arc<str>,
    /// What they use: "phone", "terminal".
    pub device: Arc<str>,
}

/// Who opened a session, and who may decide in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    pub owner: PartyId,
    pub audience: Audience,
    /// Which node runs its agent. Only known where several share the journal.
    pub agent_of: AgentOf,
}

/// Which node runs a session's agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AgentOf {
    /// None: it is no agent that a node runs, or one node has the journal for itself.
    #[default]
    NoNode,
    /// The first node of the journal: the session is older than the others.
    First,
    Node(StableNodeId),
}

impl AgentOf {
    pub fn of(started: &Started) -> Self {
        match (hosted_door(&started.door), started.host) {
            (None, _) => Self::NoNode,
            (Some(_), None) => Self::First,
            (Some(_), Some(node)) => Self::Node(node),
        }
    }
}

impl Access {
    /// Is this a tap, an ask that the server itself makes?
    pub(crate) fn is_a_tap(&self) -> bool {
        self.owner.as_str() == Caller::OURSELVES
    }

    pub fn of(started: &Started) -> Self {
        let (owner, audience) = (started.owner.clone(), started.audience.clone());
        Self { owner, audience, agent_of: AgentOf::of(started) }
    }
}

impl Caller {
    /// The name of the machine, if the caller holds the token of a connected one.
    pub fn machine(&self) -> Option<&str> {
        (self.role == Role::Agent && &*self.device == MACHINE).then_some(&*self.name)
    }

    /// Returns this caller as the events name it. Says nothing about rights: an agent that talks to a session it
    /// started is named in the same way.
    pub fn who(&self, via: &str) -> Who {
        Who { person: PersonId(Arc::clone(&self.name)), device: self.device.to_string(), via: via.to_owned() }
    }

    pub fn is_person(&self) -> bool {
        matches!(self.role, Role::Person | Role::Operator | Role::Terminal)
    }
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Person => "person",
            Self::Operator => "operator",
            Self::Bot => "bot",
            Self::Local => "local",
            Self::Terminal => "terminal",
            Self::Unproven => "unproven",
        }
    }
}
