//! Everything that can happen. Decisions are folded into the session; content is stored and announced, never folded.

use std::sync::Arc;

use crate::answer::{Answer, Outcome, RulePlace, Who};
use crate::ask::Ask;
use crate::ids::{AskId, CallId, Epoch, MessageId, NodeId, PartyId, PersonId, Raw, SessionId, StableNodeId, Timestamp};
use crate::terms::Wishes;
use crate::verdict::Verdict;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Started(Box<Started>),
    Closed {
        why: String,
        at: Timestamp,
    },
    /// The session continues as another one.
    Continued {
        to: SessionId,
        at: Timestamp,
    },

    Hosted {
        node: NodeId,
        epoch: Epoch,
        process: Option<Process>,
    },
    Unhosted {
        epoch: Epoch,
    },

    Said(Box<Said>),
    Unsaid {
        message: MessageId,
    },
    Configured(Box<Settings>),
    Interrupted {
        by: Option<Who>,
        at: Timestamp,
    },

    Asked(Arc<Ask>),
    Proposed {
        ask: AskId,
        answer: Answer,
        by: Who,
        until: Timestamp,
    },
    Undone {
        ask: AskId,
        by: Who,
    },
    Extended {
        ask: AskId,
        deadline: Option<Timestamp>,
        by: Who,
    },
    Voted {
        ask: AskId,
        answer: Answer,
        by: Who,
    },
    Settled(Box<Settled>),
    Withdrawn {
        ask: AskId,
        why: String,
        at: Timestamp,
    },
    /// The agent got an answer from another mouth first.
    Overtaken {
        ask: AskId,
        mouth: String,
        /// The input that the call ran with, if it is not the allowed one.
        ran: Option<Raw>,
        at: Timestamp,
    },
    Parked {
        ask: AskId,
    },
    /// The way back to the agent is gone; the answer will become a message.
    Stranded {
        ask: AskId,
    },
    LateAnswered {
        ask: AskId,
        answer: Answer,
        by: Who,
        at: Timestamp,
    },
    /// The agent made a denied call again, which a person had let through. No other call runs by it.
    OverruleUsed {
        ask: AskId,
        call: CallId,
        at: Timestamp,
    },

    /// About to be sent to the agent, for the nth time.
    Handed {
        parcel: Parcel,
        attempt: u32,
    },
    /// There is proof that the agent received it.
    Delivered {
        parcel: Parcel,
        proof: String,
        at: Timestamp,
    },

    Text {
        block: u32,
        text: String,
    },
    Thinking {
        block: u32,
        text: String,
    },
    ToolCalled {
        call: CallId,
        name: String,
        input: Raw,
        ask: Option<AskId>,
        /// The subagent's call that made this one, if a subagent did: some screens show only what the agent itself
        /// does.
        within: Option<CallId>,
    },
    ToolReturned {
        call: CallId,
        ok: bool,
        output: String,
    },
    /// A rule decided about a call without a person, or sent it to one.
    ToolRuled {
        call: CallId,
        tool: String,
        /// The rule's name, or as the settings spell it: `other_tools = allow`.
        rule: String,
        /// Where the rule is written. `None`: in no file.
        place: Option<RulePlace>,
        ruling: ToolRuling,
    },
    TurnEnded {
        reason: String,
        usage: Option<Raw>,
    },
    Notice {
        level: Level,
        text: String,
    },
}

/// A tool call as the agent made it, stored beside the ask that was made from it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallMade {
    pub name: String,
    pub input: Raw,
    /// The subagent's call that made this one, if a subagent did.
    pub within: Option<CallId>,
    /// The rule that decided about it before it ran.
    pub ruled: Option<CallRuled>,
}

/// A rule, and what it decided about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRuled {
    pub rule: String,
    /// `None`: the rule is in no file.
    pub place: Option<RulePlace>,
    pub ruling: ToolRuling,
}

/// What a rule decides about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolRuling {
    Allow,
    /// A person decides, even if another rule would allow the call.
    Ask,
    Deny,
}

/// The result of a tool call. It proves that the agent received the verdict on that call, and is stored beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult {
    pub call: CallId,
    pub ok: bool,
    pub output: String,
}

/// How a session began.
#[derive(Debug, Clone, PartialEq)]
pub struct Started {
    pub at: Timestamp,
    pub door: String,
    pub agent: String,
    pub owner: PartyId,
    pub audience: Audience,
    pub settings: Settings,
    pub continues: Option<SessionId>,
    /// The node that runs its agent. `None`: it was started where one node has the journal for itself.
    pub host: Option<StableNodeId>,
}

/// The settings of a session. In `Configured`, a field that is left out keeps its value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    pub title: Option<String>,
    pub folder: Option<String>,
    pub branch: Option<String>,
    pub model: Option<String>,
    pub mode: Option<String>,
    pub wishes: Wishes,
    /// Settings that only the door understands, unchanged.
    pub more: Option<Raw>,
}

/// Who may see a session and decide in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Audience {
    /// Every paired person.
    #[default]
    Everyone,
    Only(Vec<PersonId>),
}

/// A child process. The start time tells it apart from a later process with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    pub started: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    pub message: MessageId,
    pub at: Timestamp,
    pub text: String,
    pub by: Option<Who>,
    /// The ask that this message follows up.
    pub about: Option<AskId>,
    /// The id that the client gave it, at most [`crate::limits::CLIENT_ID_BYTES_MAX`]. A page that loads the conversation
    /// again takes a message with another id for another message.
    pub client_id: Option<Box<str>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    pub ask: AskId,
    pub at: Timestamp,
    pub outcome: Outcome,
    /// What the agent is told. Computed once, when the ask is settled.
    pub verdict: Verdict,
}

/// What is delivered to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Parcel {
    Verdict(AskId),
    Message(MessageId),
}

impl Parcel {
    /// Returns the session whose agent it goes to.
    pub fn session(self) -> SessionId {
        match self {
            Self::Verdict(ask) => ask.session,
            Self::Message(message) => message.session,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    Info,
    Warning,
    Error,
}

/// Which of a session's two lanes an event belongs to. Content that belongs to a decision may be in the same entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    Decisions,
    Content,
}

impl Event {
    pub fn lane(&self) -> Lane {
        match self {
            Self::Text { .. }
            | Self::Thinking { .. }
            | Self::ToolCalled { .. }
            | Self::ToolReturned { .. }
            | Self::ToolRuled { .. }
            | Self::TurnEnded { .. }
            | Self::Notice { .. } => Lane::Content,
            _ => Lane::Decisions,
        }
    }

    /// Whether this event only says which server runs the agent's process: nothing was said or done.
    pub fn is_about_hosting(&self) -> bool {
        matches!(self, Self::Hosted { .. } | Self::Unhosted { .. })
    }

    /// Returns the ask that this event is about, if it is about one.
    pub fn ask(&self) -> Option<AskId> {
        match self {
            Self::Asked(ask) => Some(ask.id),
            Self::Settled(settled) => Some(settled.ask),
            Self::Proposed { ask, .. }
            | Self::Undone { ask, .. }
            | Self::Extended { ask, .. }
            | Self::Voted { ask, .. }
            | Self::Withdrawn { ask, .. }
            | Self::Overtaken { ask, .. }
            | Self::Parked { ask }
            | Self::Stranded { ask }
            | Self::LateAnswered { ask, .. }
            | Self::OverruleUsed { ask, .. }
            | Self::Handed { parcel: Parcel::Verdict(ask), .. }
            | Self::Delivered { parcel: Parcel::Verdict(ask), .. } => Some(*ask),
            _ => None,
        }
    }
}

impl CallMade {
    /// Returns the event of the call, and that of the rule that decided about it, if one did.
    pub fn events(self, call: CallId, ask: Option<AskId>) -> (Event, Option<Event>) {
        let Self { name, input, within, ruled } = self;
        let ruled = ruled.map(|ruled| ruled.event(call.clone(), name.clone()));
        (Event::ToolCalled { call, name, input, ask, within }, ruled)
    }
}

impl CallRuled {
    pub fn event(self, call: CallId, tool: String) -> Event {
        let Self { rule, place, ruling } = self;
        Event::ToolRuled { call, tool, rule, place, ruling }
    }
}

impl CallResult {
    pub fn event(self) -> Event {
        let Self { call, ok, output } = self;
        Event::ToolReturned { call, ok, output }
    }
}

impl Settings {
    /// Overwrites the settings that `newer` has.
    pub fn merge(&mut self, newer: &Self) {
        macro_rules! take {
            ($($field:ident).+) => {
                if newer.$($field).+.is_some() {
                    self.$($field).+ = newer.$($field).+.clone();
                }
            };
        }
        take!(title);
        take!(folder);
        take!(branch);
        take!(model);
        take!(mode);
        take!(more);
        take!(wishes.wait);
        take!(wishes.on_expiry);
        take!(wishes.on_dismissal);
        take!(wishes.warm);
        take!(wishes.undo);
        take!(wishes.messages);
        take!(wishes.parallel);
        take!(wishes.other_tools);
        take!(wishes.quorum);
    }
}
