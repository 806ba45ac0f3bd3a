//! Everything that the rules can be asked to do. They return events or a refusal.

use std::time::Duration;

use crate::answer::{Answer, RulePlace, RuleSays, Who};
use crate::ask::{Asker, Body, Context, Reach};
use crate::event::{Audience, CallMade, CallResult, Parcel, Process, Settings};
use crate::ids::{AskId, CallId, Epoch, Key, MessageId, NodeId, PartyId, Raw, SessionId, StableNodeId};
use crate::terms::Terms;

#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    Start(Box<Start>),
    Close {
        why: String,
    },
    Continue {
        to: SessionId,
    },

    Claim {
        node: NodeId,
        process: Option<Process>,
        takeover: Takeover,
    },
    Release {
        epoch: Epoch,
    },
    /// What the host says that claimed the session in this epoch, or the agent that it runs. Refused once a later epoch
    /// was claimed: the host was thought dead.
    OfHost {
        epoch: Epoch,
        intent: Box<Intent>,
    },

    Say {
        text: String,
        by: Option<Who>,
        about: Option<AskId>,
        /// The id that the client gave it.
        client_id: Option<Box<str>>,
    },
    Unsay {
        message: MessageId,
    },
    Interrupt {
        by: Option<Who>,
    },
    Configure(Box<Settings>),

    Ask(Box<NewAsk>),
    Withdraw {
        ask: AskId,
        why: String,
    },
    /// Withdraws the ask because its asker disconnected. Refused once a person has answered or voted, even if they can
    /// still undo that.
    Abandon {
        ask: AskId,
        why: String,
    },
    Overtake {
        ask: AskId,
        mouth: String,
        /// The input that the call ran with, if it is not the allowed one.
        ran: Option<Raw>,
    },

    Answer {
        ask: AskId,
        answer: Answer,
        by: Who,
        /// The undo time that the person wants. The ask's own undo time counts if it is longer.
        undo: Duration,
    },
    Undo {
        ask: AskId,
        by: Who,
    },
    Dismiss {
        ask: AskId,
        words: Option<String>,
        by: Who,
    },
    Extend {
        ask: AskId,
        wait: crate::terms::Wait,
        by: Who,
    },
    Vote {
        ask: AskId,
        answer: Answer,
        by: Who,
    },
    Rule {
        ask: AskId,
        rule: String,
        answer: Answer,
    },
    /// Corrects a rule's decision or an assumption after the fact.
    Correct {
        ask: AskId,
        answer: Answer,
        by: Who,
    },

    /// A denied call is made again: may it run, because a person overruled the denial? Refused if not. The same call
    /// may ask again.
    UseOverrule {
        ask: AskId,
        call: CallId,
    },

    Park {
        ask: AskId,
    },
    Hand {
        parcel: Parcel,
    },
    Deliver {
        parcel: Parcel,
        proof: String,
    },
    /// The result of the call that an ask was made from proves delivery. Both are stored together, or neither.
    Return {
        ask: AskId,
        result: Box<CallResult>,
    },
    Strand {
        ask: AskId,
    },

    Tick {
        ask: AskId,
        due: Due,
    },
}

impl Intent {
    /// Returns this as said by the host of `epoch`, or by the agent that it runs.
    #[must_use]
    pub fn of_host(self, epoch: Epoch) -> Self {
        Self::OfHost { epoch, intent: Box::new(self) }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    pub door: String,
    pub agent: String,
    pub owner: PartyId,
    pub audience: Audience,
    pub settings: Settings,
    pub continues: Option<SessionId>,
    /// The node that is to run its agent.
    pub host: Option<StableNodeId>,
}

/// An ask that has no number yet.
#[derive(Debug, Clone, PartialEq)]
pub struct NewAsk {
    pub body: Body,
    pub terms: Terms,
    pub reach: Reach,
    pub asker: Asker,
    pub call: Option<CallId>,
    /// The call itself, if it is to be stored in the same entry as the ask.
    pub made: Option<CallMade>,
    pub context: Context,
    pub key: Option<Key>,
    pub stated: Option<u32>,
    pub original: Option<Raw>,
    /// The rule that answers the ask as soon as it is made. If its answer does not fit, the ask stays open.
    pub ruling: Option<AskRuling>,
}

/// A rule, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct AskRuling {
    pub rule: String,
    pub place: Option<RulePlace>,
    pub says: RuleSays,
}

/// May a claim displace another node's?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takeover {
    OnlyIfFree,
    /// The former host is known to be gone.
    HostIsGone,
}

/// Which of an ask's timers is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Due {
    /// Nobody answered in time.
    Expire,
    /// The undo time is over.
    Commit,
    /// The agent's process has been kept for the promised time.
    WarmOver,
}
