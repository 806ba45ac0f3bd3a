//! What has happened. Decisions are folded into the session; content is stored and told, never folded.

use std::sync::Arc;

use crate::answer::{Answer, Outcome, Who};
use crate::ask::Ask;
use crate::ids::{AskId, CallId, Epoch, MessageId, NodeId, PartyId, PersonId, Raw, SessionId, Timestamp};
use crate::terms::Wishes;
use crate::verdict::Verdict;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Started(Box<Started>),
    Closed {
        why: String,
        at: Timestamp,
    },
    /// The session goes on in another one.
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
    /// The agent heard another mouth first.
    Overtaken {
        ask: AskId,
        mouth: String,
        /// The input that the call ran with, where that is not what was allowed.
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

    /// About to be given to the agent, for the nth time.
    Handed {
        parcel: Parcel,
        attempt: u32,
    },
    /// The agent showed that it heard.
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
        /// The call in which it was made, if a subagent made it: some screens show what the agent itself does and no more.
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
        /// The rule, as the settings spell it: `other_tools = allow`.
        rule: String,
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

/// A tool's call as the agent made it: what an ask is made from, kept beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallMade {
    pub name: String,
    pub input: Raw,
    /// The call in which it was made, if a subagent made it.
    pub within: Option<CallId>,
    /// The rule that decided about it before it ran.
    pub ruled: Option<CallRuled>,
}

/// A rule, and what it decided about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRuled {
    pub rule: String,
    pub ruling: ToolRuling,
}

/// What a rule decides about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolRuling {
    Allow,
    /// A person decides, whatever else would have allowed it.
    Ask,
    Deny,
}

/// What a tool's call came to: the proof that the agent heard the verdict on it, kept beside that.
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
}

/// What can be set about a session. In `Configured`, what is left out stays as it was.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    pub title: Option<String>,
    pub folder: Option<String>,
    pub branch: Option<String>,
    pub model: Option<String>,
    pub mode: Option<String>,
    pub wishes: Wishes,
    /// What the door itself understands, untouched.
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

/// A child process, named so that a reused process id is not mistaken for it.
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
}

#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    pub ask: AskId,
    pub at: Timestamp,
    pub outcome: Outcome,
    /// What the agent is told: computed once, here.
    pub verdict: Verdict,
}

/// What travels to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Parcel {
    Verdict(AskId),
    Message(MessageId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    Info,
    Warning,
    Error,
}

/// Which of a session's two logs an event belongs to. Content that belongs to a decision may stand with it in one entry.
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
            | Self::Handed { parcel: Parcel::Verdict(ask), .. }
            | Self::Delivered { parcel: Parcel::Verdict(ask), .. } => Some(*ask),
            _ => None,
        }
    }
}

impl CallMade {
    /// Returns the call, and the rule that decided about it, if one did.
    pub fn events(self, call: CallId, ask: Option<AskId>) -> (Event, Option<Event>) {
        let Self { name, input, within, ruled } = self;
        let ruled = ruled.map(|ruled| ruled.event(call.clone(), name.clone()));
        (Event::ToolCalled { call, name, input, ask, within }, ruled)
    }
}

impl CallRuled {
    pub fn event(self, call: CallId, tool: String) -> Event {
        let Self { rule, ruling } = self;
        Event::ToolRuled { call, tool, rule, ruling }
    }
}

impl CallResult {
    pub fn event(self) -> Event {
        let Self { call, ok, output } = self;
        Event::ToolReturned { call, ok, output }
    }
}

impl Settings {
    /// Takes over what `newer` names.
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
