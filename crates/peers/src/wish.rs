//! What a peer may want: an intent before it is known who wishes it, and whether they may.
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

use crate::tally::Tally;

/// Agents keep small things under names that begin so; all others are people's.
pub const AGENTS_OWN: &str = "agent/";

#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    Start {
        session: Option<SessionId>,
        /// One of the listing. Where it is hosted, the session's agent is run by us.
        door: &'static str,
        /// `None`: the caller's name.
        agent: Option<String>,
        settings: Box<Settings>,
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
    },
    Unsay {
        message: MessageId,
    },
    Interrupt {
        session: SessionId,
    },
    /// Change how a session goes on. What is left out stays as it is.
    Configure {
        session: SessionId,
        settings: Box<Settings>,
    },
    /// Say how a session already is, as the door that runs or mirrors its agent sees it: it changes nothing about the agent.
    /// Granted only to that door's own end in the bridge.
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
        /// What the call ran with, if that is not what was allowed.
        ran: Option<Raw>,
    },
    Answer {
        ask: AskRef,
        reply: Reply,
        /// How long the person wants to be able to take it back. Zero: only as long as the ask promises.
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
    /// Keep what a person has half written, for their other devices. Never delivered.
    Draft {
        ask: AskRef,
        draft: Raw,
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
    /// The same for whoever can bear to be told again: it is noted, and nobody waits for the disk. What a crash takes of it
    /// is handed over once more.
    Took {
        parcel: Parcel,
        proof: String,
    },
    /// The call that an ask was made from has its result: it was heard. Both are stored together, or neither.
    Return {
        ask: AskId,
        result: Box<CallResult>,
    },
    Strand {
        ask: AskRef,
    },
    /// Keep a small thing of this language's own, or let it go.
    Keep {
        name: String,
        thing: Option<Raw>,
    },
    /// Tell the other connections of the same token and language which session a screen looks at.
    Look {
        /// `None`: at none any more.
        session: Option<SessionId>,
        /// Which screen, as its connection calls itself. `None`: one of them; which is not known.
        screen: Option<u64>,
    },
    /// Post something to an address outside, on behalf of whoever reads it there.
    Call(Box<Call>),
}

/// Something that leaves the house.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Whoever knows it may post there: never logged, never listed.
    pub url: String,
    pub body: Raw,
    /// The person who reads it. Refused if they are nobody here any more.
    pub reader: String,
    /// What it tells of. Refused if the reader may not see it.
    pub about: Option<SessionId>,
}

/// What the other side of a call said.
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
    /// Returns about how many bytes it takes.
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
    /// Become someone. Where the language has a login cookie, the receipt has a fresh one.
    Login {
        token: String,
    },
    Ask(AskId),
    /// A session with the messages that wait in it: a door that comes back learns what it has not delivered.
    Session(SessionId),
    /// Sessions, newest first.
    Sessions {
        /// Where the page before ended.
        after: Option<String>,
        limit: usize,
    },
    /// Folders in which agents are started here, the usual one first.
    Folders,
    /// What was kept under names that begin so.
    Kept(String),
    /// Whether an agent may be started in this folder, and what it is called in full. Needs the same right as starting one.
    Folder(String),
    /// These sessions in numbers.
    Counts(Vec<SessionId>),
    /// What these sessions are about, for lists: see [`Gist`].
    Gists(Vec<SessionId>),
    /// Whether anybody of this language sits in these sessions, or ever did.
    Presence(Vec<SessionId>),
    /// What an ask of this session would be promised now.
    Terms(SessionId),
    /// Make a token of a code that works once. The only query that needs nobody to be known.
    Redeem {
        code: String,
    },
    /// End the login cookie that came with the request, or every one of the caller's token in this language.
    Logout,
}

/// What a peer wants to be told from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watch {
    /// Everything that the caller may see. With a cursor: what was missed since, instead of a snapshot.
    ///
    /// What happens before the snapshot is made is part of it and is not told besides, so this is for peers that read it.
    Inbox {
        after: Option<String>,
    },
    /// Everything that the caller may see, from now on and without a snapshot: for peers that look for themselves at what was
    /// before. Whatever they look at from now on, what happens after that is told.
    News,
    Session {
        session: SessionId,
    },
    /// A session from its beginning: what happened, that this was all ([`Told::CaughtUp`](crate::told::Told)), then what
    /// happens.
    Chat {
        session: SessionId,
        /// How far this goes is remembered for the next connection of the same language.
        remembered: bool,
    },
    /// Nothing more than is told already, but as the only connection of this language to the session: whoever sat there
    /// is displaced.
    Seat {
        session: SessionId,
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

/// What a list says about a session beyond its line: read from its entries.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gist {
    /// How many messages it has: what was said in it, and what was done.
    pub messages: usize,
    /// The beginning of what was said first.
    pub heading: Option<String>,
    pub model: Option<String>,
    pub mode: Option<String>,
    pub other_tools: Option<OtherTools>,
    /// A turn runs, or something waits to be said.
    pub is_running: bool,
    /// When something was last said or done.
    pub last_at: Option<Timestamp>,
}

/// Does anybody of one language sit in a session?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Here,
    /// Somebody did, and left.
    Left,
    Never,
}

/// What a query found, where it is more than one thing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finds {
    pub sessions: Vec<SessionLine>,
    /// Where the next page of sessions begins.
    pub next: Option<String>,
    pub folders: Vec<String>,
    pub kept: Vec<(String, Raw)>,
    pub presence: Vec<(SessionId, Presence)>,
    pub counts: Vec<(SessionId, Tally)>,
    pub gists: Vec<(SessionId, Gist)>,
}

/// That a wish was granted, durably.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Receipt {
    pub session: Option<SessionId>,
    pub ask: Option<AskId>,
    pub message: Option<MessageId>,
    /// `false`: it was so already.
    pub news: bool,
    /// Where it was recorded: whoever watches is told of it before this receipt.
    pub position: Option<Position>,
    /// The answer came after the agent had been told something else, and goes to it as a message.
    pub late: bool,
    /// The ask as it is now.
    pub view: Option<Box<AskView>>,
    /// The session as it is now, if that was the query.
    pub session_view: Option<Box<SessionView>>,
    /// What was found, if the query was for more than one thing.
    pub finds: Option<Box<Finds>>,
    /// Who the caller turned out to be, after a login.
    pub caller: Option<CallerName>,
    /// What would be promised, if that was the query.
    pub terms: Option<Box<Terms>>,
    /// A token that was made, to be shown this once.
    pub token: Option<String>,
    /// The login cookie that was made, to be set this once.
    pub cookie: Option<String>,
    /// What was said outside, if somebody was called.
    pub called: Option<Box<Called>>,
    /// How much was removed, if a conversation was forgotten.
    pub removed: Option<Box<Removed>>,
}

/// How much went with a conversation that was forgotten.
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
    /// A paired device of the person has to agree first; the words say how that is asked for.
    #[error("{0}")]
    TapNeeded(String),
    #[error("there is no token in the request, or the server does not know it")]
    Unauthorized,
    #[error("too many requests")]
    TooFast { retry_after: Duration },
    /// The open asks of one party have as many bytes as they may.
    #[error("your open asks take up {} MiB, and may take up no more; wait until some are settled, or withdraw some", most >> 20)]
    TooMuchOpen { most: u64 },
    #[error("{0}")]
    Down(String),
    #[error("{0}")]
    TooLarge(String),
    /// There is no Claude Code that could be run; the words say what to do.
    #[error("{0}")]
    NoClaude(String),
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
        }
    }

    /// Returns the HTTP status that fits.
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
            Self::Down(_) | Self::NoClaude(_) => 503,
            Self::TooLarge(_) => 413,
        }
    }

    /// Says why, with everything that was wrong with an answer: for screens that show one line.
    pub fn in_words(&self) -> String {
        let Self::Refused(Refusal::Mismatch(mismatch)) = self else { return self.to_string() };
        let problems = mismatch.problems.iter().map(|problem| match &problem.about {
            Some(about) => format!("“{about}”: {}", problem.why),
            None => problem.why.clone(),
        });
        problems.collect::<Vec<_>>().join("; ")
    }

    /// Does it make sense to try the same again later?
    pub fn retry(&self) -> bool {
        // A program that is not there does not come by itself.
        matches!(self.status(), 429 | 503) && !matches!(self, Self::NoClaude(_))
    }
}
