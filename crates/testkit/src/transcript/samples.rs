//! Parses what a transcript can name: things that are told, receipts and rejections.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::answer::RulePlace;
use askbridge_core::ask::Ask;
use askbridge_core::event::{Event, Settings, Started, ToolRuling};
use askbridge_core::forget::Unfinished;
use askbridge_core::ids::{AskId, Position, Raw, SessionId, Timestamp};
use askbridge_core::refusal::{Refusal, Winner, WonBy};
use askbridge_core::session::{End, Interruption};
use askbridge_core::terms::{OtherTools, Terms};
use askbridge_core::unfit::{Mismatch, Problem};
use askbridge_core::view::{AskView, ProcessState, SessionView, UndeliveredAsk};
use askbridge_peers::consult::{Advice, Consulted};
use askbridge_peers::peer::BlockKind;
use askbridge_peers::tally::{Standing, Tally};
use askbridge_peers::told::{self, Happened, Snapshot};
use askbridge_peers::wish::{Called, CallerName, Finds, Receipt, Rejection, SessionLine, SessionSummary};

use crate::asks::{self, ELSEWHERE, NOW, OTHER_SESSION, SESSION};
use crate::events;

/// Something to tell, owned.
#[derive(Debug)]
pub enum OwnedTold {
    Snapshot(Box<Snapshot>),
    Event(Box<Happened>),
    Delta { session: SessionId, block: u32, kind: BlockKind, offset: usize, text: String },
    Draft { ask: AskId, draft: Raw },
    Own(told::Own),
    CaughtUp { seen: Option<Position> },
    Gone(Vec<SessionId>),
    Displaced,
    Looked { session: Option<SessionId>, screen: Option<u64>, loaded_to: Option<Position> },
    Whispered(String),
    Lagged,
}

impl OwnedTold {
    pub fn borrow(&self) -> told::Told<'_> {
        match self {
            Self::Snapshot(snapshot) => told::Told::Snapshot(snapshot),
            Self::Event(happened) => told::Told::Event(happened),
            Self::Delta { session, block, kind, offset, text } => {
                told::Told::Delta { session: *session, block: *block, kind: *kind, offset: *offset, text }
            }
            Self::Draft { ask, draft } => told::Told::Draft { ask: *ask, draft },
            Self::Own(own) => told::Told::Own(own),
            Self::CaughtUp { seen } => told::Told::CaughtUp { session: SESSION, seen: *seen },
            Self::Looked { session, screen, loaded_to } => {
                told::Told::Looked { session: *session, screen: *screen, loaded_to: *loaded_to }
            }
            Self::Whispered(words) => told::Told::Whispered { session: SESSION, words },
            Self::Gone(sessions) => told::Told::Gone { sessions },
            Self::Displaced => told::Told::Displaced { session: SESSION },
            Self::Lagged => told::Told::Lagged,
        }
    }
}

/// Parses the rest of a line that begins with `tell`; `place` is its number among them.
pub fn told(text: &str, place: usize) -> Result<OwnedTold, String> {
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    match name {
        "snapshot" | "part" => {
            let asks = rest.split_whitespace().map(view).collect::<Result<_, _>>()?;
            let (cursor, goes_on) = (format!("c{place}"), name == "part");
            Ok(OwnedTold::Snapshot(Box::new(Snapshot { cursor, asks, goes_on, ..Snapshot::default() })))
        }
        "delta" => delta(rest),
        "draft" => {
            let (ask, draft) = rest.split_once(' ').ok_or("a draft is of an ask and has some text")?;
            Ok(OwnedTold::Draft { ask: find(ask)?.id, draft: Raw::from(draft) })
        }
        "snoozed" => Ok(OwnedTold::Own(told::Own::Snoozed { ask: find(rest)?.id, until: Some(NOW) })),
        "shown_again" => Ok(OwnedTold::Own(told::Own::Snoozed { ask: find(rest)?.id, until: None })),
        "devices" => Ok(OwnedTold::Own(told::Own::Devices)),
        "channels" => Ok(OwnedTold::Own(told::Own::Channels)),
        "lagged" => Ok(OwnedTold::Lagged),
        "gone" => Ok(OwnedTold::Gone(vec![in_session(rest).0])),
        "displaced" => Ok(OwnedTold::Displaced),
        "looked" => {
            let number = |after: &str| rest.split_once(after).map(|(_, number)| number.parse()).transpose();
            let screen = number("by ").map_err(|_| "a screen is a number")?;
            let loaded_to = number("loaded to ").map_err(|_| "a position is a number")?.map(Position);
            let session = if rest.starts_with("away") { None } else { Some(in_session(rest).0) };
            Ok(OwnedTold::Looked { session, screen, loaded_to })
        }
        "whispered" => Ok(OwnedTold::Whispered(rest.to_owned())),
        "caught_up" => {
            let seen = rest.strip_prefix("seen ").map(|place| place.parse().map(Position));
            Ok(OwnedTold::CaughtUp { seen: seen.transpose().map_err(|_| "what was seen is a number")? })
        }
        "asked_and_ruled" => {
            let ask = find(rest)?;
            let made = events::happened(ask.id.session, Event::Asked(Arc::clone(&ask)), place);
            Ok(OwnedTold::Event(Box::new(Happened { settled_at_once: true, cursor: None, ..made })))
        }
        "stranded_answer" => {
            let ask = find(rest)?;
            Ok(event(ask.id.session, events::stranded_answer(&ask), place))
        }
        name if events::ABOUT_SESSIONS.contains(&name) => {
            let (session, words) = in_session(rest);
            let words = if words.is_empty() { None } else { Some(quoted(words)?) };
            let sample = events::about_session(name, words).ok_or("this event has no such sample")?;
            Ok(event(session, sample, place))
        }
        name => {
            let ask = find(rest)?;
            let sample = events::about_ask(name, &ask).ok_or_else(|| format!("`{name} {rest}` is no sample"))?;
            Ok(event(ask.id.session, sample, place))
        }
    }
}

fn event(session: SessionId, event: Event, place: usize) -> OwnedTold {
    OwnedTold::Event(Box::new(events::happened(session, event, place)))
}

fn delta(rest: &str) -> Result<OwnedTold, String> {
    let (session, rest) = in_session(rest);
    let mut parts = rest.splitn(3, ' ');
    let mut next = || parts.next().ok_or("a delta has a block, an offset and a text");
    let block = next()?.parse().map_err(|_| "a block is a number")?;
    let offset = next()?.parse().map_err(|_| "an offset is a number")?;
    let rest = next()?;
    let (kind, rest) = match rest.split_once(' ') {
        Some(("thinking", rest)) => (BlockKind::Thinking, rest),
        Some(("asking", rest)) => (BlockKind::Asking, rest),
        _ => (BlockKind::Text, rest),
    };
    Ok(OwnedTold::Delta { session, block, kind, offset, text: quoted(rest)? })
}

fn in_session(rest: &str) -> (SessionId, &str) {
    match rest.strip_prefix(ELSEWHERE) {
        Some(rest) => (OTHER_SESSION, rest.trim_start()),
        None => (SESSION, rest),
    }
}

fn quoted(text: &str) -> Result<String, String> {
    serde_json::from_str(text).map_err(|_| format!("`{text}` is not a quoted text"))
}

fn find(name: &str) -> Result<Arc<Ask>, String> {
    asks::ask(name).ok_or_else(|| format!("there is no sample ask `{name}`"))
}

/// Parses `single+answered+delivered`: an ask after some events.
fn view(text: &str) -> Result<AskView, String> {
    let mut names = text.split('+');
    let ask = find(names.next().unwrap_or_default())?;
    let events = names.map(|name| events::about_ask(name, &ask).ok_or_else(|| format!("`{name}` is no sample event")));
    let events = events.collect::<Result<Vec<_>, _>>()?;
    Ok(events::view(&ask, &events))
}

/// Parses a receipt.
pub(super) fn receipt(text: &str) -> Result<Receipt, String> {
    if let Some((more, rest)) = text.strip_prefix("at ").and_then(|text| text.split_once(' ')) {
        let mut receipt = receipt(rest)?;
        if let Some(view) = &mut receipt.session_view {
            view.settings = Arc::new(Settings { more: Some(Raw::from(more)), ..Settings::default() });
        }
        return Ok(receipt);
    }
    if let Some(words) = text.strip_prefix("queued ") {
        return Ok(Receipt { session_view: Some(Box::new(session_view(quoted(words)?))), ..Receipt::default() });
    }
    if let Some(words) = text.strip_prefix("handed ") {
        let view = SessionView { handed: vec![events::message(1)], ..session_view(quoted(words)?) };
        return Ok(Receipt { session_view: Some(Box::new(view)), ..Receipt::default() });
    }
    if let Some(found) = text.strip_prefix("finds ") {
        return Ok(Receipt { finds: Some(Box::new(finds(found)?)), ..Receipt::default() });
    }
    if let Some((status, body)) = text.strip_prefix("called ").and_then(|text| text.split_once(' ')) {
        let status = status.parse().map_err(|_| "a call is answered with a status and a body")?;
        let called = Some(Box::new(Called { status, body: body.to_owned() }));
        return Ok(Receipt { called, ..Receipt::default() });
    }
    if let Some(said) = text.strip_prefix("consulted ") {
        return Ok(Receipt { consulted: Some(Box::new(consulted(said)?)), ..Receipt::default() });
    }
    if text == "started" {
        return Ok(Receipt { session: Some(SESSION), news: true, ..Receipt::default() });
    }
    if let Some(asks) = text.strip_prefix("session") {
        let mut view = session_view(String::new());
        view.queued.clear();
        // `session interrupted=2 …`: a person interrupted the agent after the second message.
        let (stopped, asks): (Vec<_>, Vec<_>) = asks.split_whitespace().partition(|word| word.starts_with(STOPPED));
        view.interrupted = stopped.first().and_then(|word| word[STOPPED.len()..].parse().ok()).map(interruption);
        // `session allowing`: what other tools ask for is allowed.
        let (allowing, asks): (Vec<_>, Vec<_>) = asks.into_iter().partition(|word| *word == "allowing");
        if !allowing.is_empty() {
            Arc::make_mut(&mut view.settings).wishes.other_tools = Some(OtherTools::Allow);
        }
        // `session continued`: it continues as the other session.
        let (moved, asks): (Vec<_>, Vec<_>) = asks.into_iter().partition(|word| *word == "continued");
        view.end = moved.first().map(|_| End::Continued { to: OTHER_SESSION, at: NOW });
        view.waiting = asks.into_iter().map(waiting).collect::<Result<_, _>>()?;
        return Ok(Receipt { session_view: Some(Box::new(view)), ..Receipt::default() });
    }
    let mut receipt = Receipt::default();
    let mut words: VecDeque<_> = text.split_whitespace().collect();
    while let Some(word) = words.pop_front() {
        let mut next = || words.pop_front().ok_or_else(|| format!("`{word}` needs a name"));
        match word {
            "news" => receipt.news = true,
            "late" => receipt.late = true,
            "ask" => receipt.ask = Some(find(next()?)?.id),
            "view" => {
                let view = view(next()?)?;
                receipt.ask = Some(view.ask.id);
                receipt.view = Some(Box::new(view));
            }
            "message" => {
                let number = next()?.parse().map_err(|_| "a message is named by its number")?;
                receipt.message = Some(events::message(number));
            }
            ELSEWHERE => receipt.session = Some(OTHER_SESSION),
            "token" => receipt.token = Some(next()?.to_owned()),
            "cookie" => receipt.cookie = Some(next()?.to_owned()),
            "terms" => {
                let wait = next()?.parse().map(Duration::from_secs).map_err(|_| "terms are a number of seconds")?;
                receipt.terms = Some(Box::new(Terms { deadline: Some(NOW.plus(wait)), ..asks::terms() }));
            }
            "caller" => {
                let name = next()?.to_owned();
                let role = match next()? {
                    "agent" => "agent",
                    "operator" => "operator",
                    _ => "person",
                };
                receipt.caller = Some(CallerName { name, role });
            }
            other => return Err(format!("a receipt says nothing about `{other}`")),
        }
    }
    receipt.session = receipt.ask.map(|ask| ask.session).or(receipt.session);
    Ok(receipt)
}

/// Parses what advisers say: `{"deny": RULE, "words": "…", "input": {…}, "context": "…"}`, with `allow` or `ask` instead.
fn consulted(text: &str) -> Result<Consulted, String> {
    let said: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let word = |name: &str| said[name].as_str().map(str::to_owned);
    let rulings = [("allow", ToolRuling::Allow), ("ask", ToolRuling::Ask), ("deny", ToolRuling::Deny)];
    let place = Some(RulePlace { file: "/home/ada/rules.toml".to_owned(), line: 7 });
    let ruling = rulings.into_iter().find_map(|(name, ruling)| {
        let words = word("words").unwrap_or_default();
        Some(Advice { rule: word(name)?, place: place.clone(), ruling, words })
    });
    let input = said.get("input").map(|input| Raw::from(input.to_string()));
    Ok(Consulted { ruling, input, context: word("context").into_iter().collect(), asked: None })
}

/// Parses a query's result: `sessions`, `folder PATH`, `kept NAME {…} + …`, `presence here` (of one session or both).
fn finds(text: &str) -> Result<Finds, String> {
    let (what, rest) = text.split_once(' ').unwrap_or((text, ""));
    let line = |id, title: &str, open_asks| SessionLine {
        id,
        agent: "claude".to_owned(),
        door: "claude".to_owned(),
        title: Some(title.to_owned()),
        folder: Some("/srv/app".to_owned()),
        open_asks,
        is_over: false,
        started_at: NOW,
        last_at: NOW.plus(Duration::from_secs(60)),
    };
    match what {
        "sessions" => {
            let sessions = vec![line(SESSION, "Nightly build", 1), line(OTHER_SESSION, "Good morning", 0)];
            Ok(Finds { sessions, ..Finds::default() })
        }
        "folder" => Ok(Finds { folders: vec![rest.to_owned()], ..Finds::default() }),
        "kept" => {
            let one = |text: &str| text.split_once(' ').map(|(name, thing)| (name.to_owned(), Raw::from(thing)));
            let kept = rest.split(" + ").map(one).collect::<Option<_>>().ok_or("what was kept has a name")?;
            Ok(Finds { kept, ..Finds::default() })
        }
        "counts" => {
            let counts = rest.split_whitespace().zip([SESSION, OTHER_SESSION]);
            let counts = counts.map(|(count, session)| {
                let (count, more) = count.split_once('+').unwrap_or((count, ""));
                let messages = count.parse().map_err(|_| "a count is a number")?;
                let standing = match more {
                    "" => Standing::Done,
                    "new" => Standing::New,
                    "thinking" => Standing::Thinking,
                    "waiting" => Standing::Waiting,
                    other => return Err(format!("no session is `{other}`")),
                };
                let (model, costs) = (Some("opus".to_owned()), vec![(Timestamp(i64::MAX), 0.25)]);
                Ok((session, Tally { messages, standing, model, costs, ..Tally::default() }))
            });
            Ok(Finds { counts: counts.collect::<Result<_, String>>()?, ..Finds::default() })
        }
        "summaries" => {
            let summaries = rest.split_whitespace().zip([SESSION, OTHER_SESSION]).map(|(word, session)| {
                let (count, mode) = word.split_once('/').ok_or("a summary is a count and a mode, as in 3/plan")?;
                let messages = count.parse().map_err(|_| "a count is a number")?;
                let last_at = Some(NOW.plus(Duration::from_secs(90)));
                let heading = Some("What was said first".to_owned());
                let (mode, merged_messages) = (Some(mode.to_owned()), messages / 2);
                Ok((
                    session,
                    SessionSummary { messages, merged_messages, heading, mode, last_at, ..SessionSummary::default() },
                ))
            });
            Ok(Finds { summaries: summaries.collect::<Result<_, String>>()?, ..Finds::default() })
        }
        "nothing" => Ok(Finds::default()),
        other => Err(format!("a query finds no `{other}`")),
    }
}

const STOPPED: &str = "interrupted=";

fn interruption(after: u32) -> Interruption {
    Interruption { at: NOW, after }
}

/// An ask whose outcome the agent does not know yet.
fn waiting(text: &str) -> Result<UndeliveredAsk, String> {
    let view = view(text)?;
    Ok(UndeliveredAsk {
        ask: view.ask.id,
        call: view.ask.call.clone(),
        is_open: view.state.is_open(),
        parked: view.parked,
        stranded: view.stranded,
    })
}

/// A session in which one message waits.
fn session_view(text: String) -> SessionView {
    let started = match events::about_session("started", None) {
        Some(Event::Started(started)) => *started,
        _ => unreachable!("a session's beginning has a sample"),
    };
    let started: Arc<Started> = Arc::new(started);
    SessionView {
        id: SESSION,
        started,
        settings: Arc::new(Settings::default()),
        end: None,
        open: Vec::new(),
        queued: vec![(events::message(1), text)],
        handed: Vec::new(),
        waiting: Vec::new(),
        process: ProcessState::None,
        interrupted: None,
        last_activity: NOW,
        host: None,
    }
}

/// Returns a sample of the rejection with that code.
pub fn rejection(code: &str) -> Option<Rejection> {
    let ask = AskId { session: SESSION, number: 1 };
    let at = NOW.plus(Duration::from_secs(48));
    let conflict = |by| Refusal::Conflict { ask, winner: Winner { by, at } };
    let refusal = match code {
        "unknown_session" => Refusal::UnknownSession(SESSION),
        "unknown_ask" => Refusal::UnknownAsk(ask),
        "unknown_message" => Refusal::UnknownMessage(events::message(1)),
        "already_decided" => conflict(WonBy::Person(events::bob())),
        "already_ruled" => conflict(WonBy::Rule("always Postgres".to_owned())),
        "already_expired" => conflict(WonBy::Nobody),
        "gone" => Refusal::Gone { ask, why: "it was withdrawn".to_owned(), at },
        "nothing_to_undo" => Refusal::NothingToUndo(ask),
        "not_open" => Refusal::NotOpen(ask),
        "not_settled" => Refusal::NotSettled(ask),
        "messages_refused" => Refusal::MessagesRefused(ask),
        "too_many_asks" => Refusal::TooManyAsks { limit: 64 },
        "session_unfinished" => Refusal::Unfinished { session: SESSION, why: Unfinished::Open(ask) },
        "session_hosted" => Refusal::Unfinished { session: SESSION, why: Unfinished::Hosted },
        "session_closed" => Refusal::SessionClosed(SESSION),
        "bad_request" => Refusal::BadRequest("a message needs words".to_owned()),
        "answer_does_not_fit" => Refusal::Mismatch(Mismatch {
            problems: vec![
                problem("Which database?", "`Oracle` and `Postgres` are two answers; this question takes one"),
                problem("Which colour?", "the ask has no such question"),
            ],
        }),
        "forbidden" => return Some(Rejection::Forbidden("this is addressed to somebody else".to_owned())),
        "unauthorized" => return Some(Rejection::Unauthorized),
        "too_fast" => return Some(Rejection::TooFast { retry_after: Duration::from_secs(2) }),
        "down" => return Some(Rejection::Down("the journal does not answer".to_owned())),
        "too_large" => return Some(Rejection::TooLarge("these words are too long".to_owned())),
        "host_down" => return Some(Rejection::HostDown("the node `desk` is down".to_owned())),
        "no_claude" => return Some(Rejection::NoClaude("there is no `claude` on PATH".to_owned())),
        _ => return None,
    };
    Some(Rejection::Refused(refusal))
}

fn problem(about: &str, why: &str) -> Problem {
    Problem { about: Some(about.to_owned()), why: why.to_owned() }
}
