//! What a peer may request (wishes, queries, watches), and what it gets back (receipts, rejections).
//!
//! A peer knows neither the caller's name nor the terms nor, often, the ask itself. The bridge adds those and turns a
//! wish into an intent of the rules.

use std::time::Duration;

use askbridge_core::ask::{Body, Context, Kind, Reach};
use askbridge_core::event::{CallMade, CallResult, Level, Parcel, Settings};
use askbridge_core::ids::{AskId, CallId, Key, MessageId, Position, Raw, SessionId, Timestamp};
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::{OtherTools, Terms, Wait, Wishes};
use askbridge_core::unfit::Reply;
use askbridge_core::view::{AskView, SessionView};

use crate::consult::{Consultation, Consulted};
pub use crate::rule_wish::{RuleDecides, RuleReach, RuleWish};
use crate::tally::Tally;

/// Prefix of the names under which agents keep items; all other names are people's.
pub const AGENTS_OWN: &str = "agent/";

#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    Start {
        session: Option<SessionId>,
        /// A door of the listing. If it is hosted, askbridge runs the session's agent.
        door: &'static str,
        /// `None`: the caller's name.
        agent: Option<String>,
        settings: Box<Settings>,
        /// The node that is to run its agent: an id, a name or a label. `None`: where its folder is.
        host: Option<String>,
    },
    Close {
        session: SessionId,
        /// `None`: that the caller closed it.
        why: Option<String>,
    },
    /// Remove the whole conversation that a session belongs to, for good.
    Forget {
        session: SessionId,
    },
    Say {
        session: SessionId,
        text: String,
        about: Option<AskId>,
        /// The id that the client gave it.
        client_id: Option<Box<str>>,
    },
    Unsay {
        message: MessageId,
    },
    Interrupt {
        session: SessionId,
    },
    /// Change a session's settings. Those left out stay as they are.
    Configure {
        session: SessionId,
        settings: Box<Settings>,
    },
    /// Record the settings that a session already has, as the door that runs or mirrors its agent sees them. Changes
    /// nothing about the agent. Granted only to that door's own end in the bridge.
    ReportSettings {
        session: SessionId,
        settings: Box<Settings>,
    },
    Ask(Box<AskWish>),
    /// Show people something that needs no answer.
    Note {
        session: SessionId,
        level: Level,
        text: String,
    },
    Withdraw {
        ask: AskRef,
        why: String,
    },
    /// Withdraw, unless a person has answered: a proposed answer or a vote stays.
    Abandon {
        ask: AskRef,
        why: String,
    },
    Overtake {
        ask: AskRef,
        mouth: String,
        /// The input that the call ran with, if it is not the allowed one.
        ran: Option<Raw>,
    },
    Answer {
        ask: AskRef,
        reply: Reply,
        /// For how long the person wants to be able to take it back. Zero: only for the ask's own undo time.
        undo: Duration,
    },
    Undo {
        ask: AskRef,
    },
    Dismiss {
        ask: AskRef,
        words: Option<String>,
    },
    Extend {
        ask: AskRef,
        wait: Wait,
    },
    /// Keep a person's half-written answer for their other devices. Never delivered.
    Draft {
        ask: AskRef,
        draft: Raw,
    },
    /// Hide an ask from the person's own inbox for this long. `None`: show it again.
    Snooze {
        ask: AskRef,
        time: Option<Duration>,
    },
    /// Have the same decided the same way again without a person: a rule, made of one ask.
    Remember {
        ask: AskRef,
        rule: Box<RuleWish>,
    },
    /// Take such a rule back, by its id.
    Revoke {
        rule: String,
    },
    /// Let the agent's process go while the ask stays open.
    Park {
        ask: AskRef,
    },
    Hand {
        parcel: Parcel,
    },
    Deliver {
        parcel: Parcel,
        proof: String,
    },
    /// Like `Deliver`, for a recipient that tolerates a repeat: recorded as a rider, without waiting for the disk. If a
    /// crash loses the note, the parcel is handed over again.
    Took {
        parcel: Parcel,
        proof: String,
    },
    /// The result of the call that an ask was made from, which proves delivery. Both are stored together, or neither.
    Return {
        ask: AskId,
        result: Box<CallResult>,
    },
    Strand {
        ask: AskRef,
    },
    /// Keep a small item of this language's own, or delete it.
    Keep {
        name: String,
        thing: Option<Raw>,
    },
    /// Tell the other connections of the same token and language which session a screen shows.
    Look {
        /// `None`: no session any more.
        session: Option<SessionId>,
        /// Which screen, by its connection's own number. `None`: which one is not known.
        screen: Option<u64>,
        /// The screen is sent the session's history up to here. `None`: it begins to load it, or only shows it.
        loaded_to: Option<Position>,
    },
    /// Post something to an address outside, on behalf of the person who reads it there.
    Call(Box<OutboundCall>),
}

/// An outgoing HTTP call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundCall {
    /// A capability URL: anyone who knows it may post there, so it is never logged or listed.
    pub url: String,
    pub body: Raw,
    /// The person who reads it. Refused if that person has no access any more.
    pub reader: String,
}

/// The response to an outgoing call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    pub status: u16,
    pub body: String,
}

/// An ask as an agent makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct AskWish {
    pub door: &'static str,
    /// `None`: the ask gets a session of its own, derived from the caller and the key.
    pub session: Option<SessionId>,
    pub agent: Option<String>,
    pub body: Body,
    pub wishes: Wishes,
    pub reach: Reach,
    pub call: Option<CallId>,
    /// The call itself, if it is to be stored together with the ask.
    pub made: Option<CallMade>,
    pub context: Context,
    pub key: Option<Key>,
    pub original: Option<Raw>,
}

impl AskWish {
    /// Returns its approximate size in bytes.
    pub fn weight(&self) -> usize {
        let raw = |raw: &Option<Raw>| raw.as_ref().map_or(0, |raw| raw.as_str().len());
        let context = self.context.text.as_ref().map_or(0, String::len) + raw(&self.context.more);
        self.body.weight() + raw(&self.original) + context
    }
}

/// How a peer may name an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskRef {
    Id(AskId),
    Call(SessionId, CallId),
    /// The only open ask of this kind. Refused when two are open.
    OnlyOpen(SessionId, Kind),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// Sign in. Where the language has a login cookie, the receipt has a fresh one.
    Login {
        token: String,
    },
    Ask(AskId),
    /// A session with its undelivered messages, for a door that reconnects.
    Session(SessionId),
    /// Sessions, newest first.
    Sessions {
        /// Where the previous page ended.
        after: Option<String>,
        limit: usize,
    },
    /// Folders in which agents are started here, the default first.
    Folders,
    /// The items kept under names with this prefix.
    Kept(String),
    /// Whether an agent may be started in this folder, and its full path. Needs the same right as starting one.
    Folder(String),
    /// Statistics of these sessions.
    Counts(Vec<SessionId>),
    /// What these sessions are about, for lists: see [`SessionSummary`].
    Summaries(Vec<SessionId>),
    /// The terms that an ask of this session would get now.
    Terms(SessionId),
    /// Exchange a one-time code for a token. The only query that needs no known caller.
    Redeem {
        code: String,
    },
    /// What the advisers say to something that an agent is about to do, or has done. Only for agents that we run.
    Consult(Box<Consultation>),
    /// End the request's login cookie; without one, every login cookie of the caller's token in this language.
    Logout,
}

/// What a peer wants to be told from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watch {
    /// Everything that the caller may see. With a cursor: the events since then instead of a snapshot.
    ///
    /// Events before the snapshot are part of it and are not told separately, so this is for peers that read it.
    Inbox {
        after: Option<String>,
    },
    /// Everything that the caller may see, from now on and without a snapshot: for peers that query the past
    /// themselves. An event that such a query, made after this, does not show yet is told.
    News,
    Session {
        session: SessionId,
    },
    /// A session from its beginning: its history, then [`Told::CaughtUp`](crate::told::Told), then live events.
    Chat {
        session: SessionId,
        /// Store how far this client has read, for the next connection of the same language.
        remembered: bool,
    },
    /// Adds nothing to what is told, but makes this the only connection of this language to the session: the previous
    /// holder of the seat is displaced.
    Seat {
        session: SessionId,
    },
    /// Adds nothing to what is told, but says what this connection's page shows at the moment, instead of what it said
    /// before: the person who looks at a card need not be rung for it. None: the page is not visible, or not in use.
    Cards {
        asks: Vec<AskId>,
    },
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionLine {
    pub id: SessionId,
    pub agent: String,
    pub door: String,
    pub title: Option<String>,
    pub folder: Option<String>,
    pub open_asks: u32,
    pub is_over: bool,
    pub started_at: Timestamp,
    pub last_at: Timestamp,
}

/// What a list shows about a session besides its line, read from its entries.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionSummary {
    /// How many messages it has: of people, of the agent, and tool calls.
    pub messages: usize,
    /// The same, if all that the agent says and does between two messages of people is one message.
    pub merged_messages: usize,
    /// The beginning of the first message.
    pub heading: Option<String>,
    pub model: Option<String>,
    pub mode: Option<String>,
    pub other_tools: Option<OtherTools>,
    /// A turn runs, or a message waits for the agent.
    pub is_running: bool,
    /// When something was last said or done.
    pub last_at: Option<Timestamp>,
}

/// What a query found, where it can be more than one item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finds {
    pub sessions: Vec<SessionLine>,
    /// Where the next page of sessions begins.
    pub next: Option<String>,
    pub folders: Vec<String>,
    pub kept: Vec<(String, Raw)>,
    pub counts: Vec<(SessionId, Tally)>,
    pub summaries: Vec<(SessionId, SessionSummary)>,
}

/// Confirms that a wish was granted, durably.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Receipt {
    pub session: Option<SessionId>,
    pub ask: Option<AskId>,
    pub message: Option<MessageId>,
    /// `false`: nothing changed, it was so already.
    pub news: bool,
    /// Where it was recorded. A peer that watches is told of it before this receipt.
    pub position: Option<Position>,
    /// The answer came after the agent had been told something else, and goes to it as a message.
    pub late: bool,
    /// Until when the ask is hidden from the person, if the wish was to snooze it.
    pub until: Option<Timestamp>,
    /// The ask as it is now.
    pub view: Option<Box<AskView>>,
    /// The session as it is now, if that was the query.
    pub session_view: Option<Box<SessionView>>,
    /// What was found, if the query can find more than one item.
    pub finds: Option<Box<Finds>>,
    /// Who the caller turned out to be, after a login.
    pub caller: Option<CallerName>,
    /// The terms that an ask would get, if that was the query.
    pub terms: Option<Box<Terms>>,
    /// A new token, to be shown this once.
    pub token: Option<String>,
    /// A new login cookie, to be set this once.
    pub cookie: Option<String>,
    /// The response to an outgoing call, if one was made.
    pub called: Option<Box<Called>>,
    /// What the advisers say, if they were asked.
    pub consulted: Option<Box<Consulted>>,
    /// How much was removed, if a conversation was forgotten.
    pub removed: Option<Box<Removed>>,
}

/// How much was removed with a forgotten conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removed {
    pub sessions: u64,
    pub entries: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerName {
    pub name: String,
    pub role: &'static str,
}

/// Why a wish was not granted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Rejection {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("{0}")]
    Forbidden(String),
    /// A paired device of the person has to approve first; the words say how to request that.
    #[error("{0}")]
    TapNeeded(String),
    #[error("there is no token in the request, or the server does not know it")]
    Unauthorized,
    #[error("too many requests")]
    TooFast { retry_after: Duration },
    /// The open asks of one party have reached their byte limit.
    #[error("your open asks take up {} MiB, and may take up no more; wait until some are settled, or withdraw some", most >> 20)]
    TooMuchOpen { most: u64 },
    #[error("{0}")]
    Down(String),
    #[error("{0}")]
    TooLarge(String),
    /// No usable Claude Code was found; the words say what to do.
    #[error("{0}")]
    NoClaude(String),
    /// No node is called so.
    #[error("{0}")]
    UnknownNode(String),
    /// The node that would have to run the agent is down.
    #[error("{0}")]
    HostDown(String),
}

impl Rejection {
    /// Returns the stable name of this rejection.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::Forbidden(_) => "forbidden",
            Self::TapNeeded(_) => "tap_needed",
            Self::Unauthorized => "unauthorized",
            Self::TooFast { .. } => "too_fast",
            Self::TooMuchOpen { .. } => "too_much_open",
            Self::Down(_) => "down",
            Self::TooLarge(_) => "too_large",
            Self::NoClaude(_) => "no_claude",
            Self::UnknownNode(_) => "unknown_node",
            Self::HostDown(_) => "host_down",
        }
    }

    /// Returns the matching HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Self::Refused(refusal) => match refusal {
                Refusal::UnknownSession(_) | Refusal::UnknownAsk(_) | Refusal::UnknownMessage(_) => 404,
                Refusal::Gone { .. } => 410,
                Refusal::Mismatch(_) | Refusal::BadRequest(_) => 422,
                Refusal::TooManyAsks { .. } | Refusal::TooManyMessages { .. } => 429,
                _ => 409,
            },
            Self::Forbidden(_) | Self::TapNeeded(_) => 403,
            Self::Unauthorized => 401,
            Self::TooFast { .. } | Self::TooMuchOpen { .. } => 429,
            Self::UnknownNode(_) => 404,
            Self::Down(_) | Self::NoClaude(_) | Self::HostDown(_) => 503,
            Self::TooLarge(_) => 413,
        }
    }

    /// The reason with everything that was wrong with an answer, for screens that show one line.
    pub fn in_words(&self) -> String {
        let Self::Refused(Refusal::Mismatch(mismatch)) = self else { return self.to_string() };
        let problems = mismatch.problems.iter().map(|problem| match &problem.about {
            Some(about) => format!("“{about}”: {}", problem.why),
            None => problem.why.clone(),
        });
        problems.collect::<Vec<_>>().join("; ")
    }

    /// Whether trying the same again later makes sense.
    pub fn retry(&self) -> bool {
        // A missing program does not appear by itself.
        matches!(self.status(), 429 | 503) && !matches!(self, Self::NoClaude(_))
    }
}
