//! Turns the body of `POST /v1/asks` into a wish.

use std::time::Duration;

use askbridge_core::ask::{Ask, Asker, Body, Context, Reach};
use askbridge_core::ids::{AskId, CallId, Key, Raw, SessionId, Timestamp};
use askbridge_core::limits;
use askbridge_core::terms::{Facts, OnExpiry, Rules, Wait, Wishes, terms};
use askbridge_core::wild::{self, Wild};

use super::{NAME, documented, slips};
use crate::json;
use crate::wish::AskWish;

/// Why a body is not an ask. Each says what to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    #[error("the body is not JSON")]
    NotJson,
    #[error("the body needs `questions`, `approval`, `plan` or `form`")]
    NoBody,
    #[error("the body has more than one of `questions`, `approval`, `plan` and `form`; make an ask of each")]
    TwoBodies,
    #[error("{0}")]
    Wild(String),
    #[error("`session` is not a session's id")]
    BadSession,
    #[error("`{name}` has to be a number of seconds from 0 to {max}")]
    BadSeconds { name: &'static str, max: u64 },
    #[error("`quorum` has to be a number from 1 to {}", limits::QUORUM_MAX)]
    BadQuorum,
    #[error("secret answers cannot be kept safe yet; ask for a place where the secret can be found instead")]
    Secret,
    #[error("{0}")]
    BadExpiry(String),
    #[error("unknown field `{given}`; did you mean `{meant}`?")]
    Misspelt { given: String, meant: &'static str },
    #[error("`{0}` occurs twice in one object of this approval, and readers differ in which one counts; send it once")]
    Repeated(String),
}

/// What comes with the body.
#[derive(Debug, Default)]
pub struct Asking<'a> {
    pub key: Option<&'a str>,
}

/// Reads an ask.
pub fn ask(body: &str, asking: &Asking<'_>) -> Result<AskWish, AskError> {
    match documented::ask(body, asking) {
        Some(wish) => slips::check_input(&wish.body).map(|()| wish),
        None => wild_ask(body, asking),
    }
}

/// Reads an ask in any spelling.
pub(super) fn wild_ask(body: &str, asking: &Asking<'_>) -> Result<AskWish, AskError> {
    let value = json::parse(body).ok_or(AskError::NotJson)?;
    slips::check(&value)?;
    let what = what(&value)?;
    let field = |name: &str| value.field(&[name]);
    let text = |name: &str| match field(name) {
        Some(Wild::Text(text)) if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    };
    let session = match field("session") {
        None | Some(Wild::Null) => None,
        Some(Wild::Text(id)) => Some(id.parse::<SessionId>().map_err(|_| AskError::BadSession)?),
        Some(_) => return Err(AskError::BadSession),
    };
    let mut wishes = Wishes {
        wait: seconds(field("timeout_seconds"), "timeout_seconds", limits::WAIT_MAX)?.map(Wait::For),
        undo: seconds(field("undo_seconds"), "undo_seconds", limits::UNDO_MAX)?,
        quorum: quorum(field("quorum"))?,
        ..Wishes::default()
    };
    if let Some(value) = field("on_expiry").filter(|value| **value != Wild::Null) {
        wishes.on_expiry = Some(on_expiry(value, &what)?);
    }
    Ok(AskWish {
        door: NAME,
        session,
        agent: text("agent"),
        body: what,
        wishes,
        reach: Reach::Pull,
        call: text("call").map(CallId::from),
        made: None,
        context: context(field("context")),
        key: asking.key.map(Key::from),
        original: Some(Raw::from(body)),
    })
}

fn what(value: &Wild) -> Result<Body, AskError> {
    let wild = |error: wild::WildError| AskError::Wild(error.to_string());
    let named = |name: &str| value.field(&[name]).filter(|value| **value != Wild::Null);
    let (approval, plan, form) = (named("approval"), named("plan"), named("form"));
    let questions = named("questions").or_else(|| named("question"));
    let bodies = [questions, approval, plan, form].iter().flatten().count();
    match (bodies, approval, plan, form) {
        (0, ..) => Err(AskError::NoBody),
        (1, Some(approval), ..) => wild::approval(approval, &json::raw).map(Body::Approval).map_err(wild),
        (1, _, Some(plan), _) => wild::plan(plan).map(Body::Plan).map_err(wild),
        (1, _, _, Some(form)) => wild::form(form, &json::raw).map(Body::Form).map_err(wild),
        (1, ..) => match wild::body(value, &json::parse).map_err(wild)? {
            Body::Questions(questions) if questions.iter().any(|question| question.secret) => Err(AskError::Secret),
            body => Ok(body),
        },
        _ => Err(AskError::TwoBodies),
    }
}

fn seconds(value: Option<&Wild>, name: &'static str, max: Duration) -> Result<Option<Duration>, AskError> {
    let bad = || AskError::BadSeconds { name, max: max.as_secs() };
    let number = match value {
        None | Some(Wild::Null) => return Ok(None),
        Some(Wild::Number(number)) => number.parse::<f64>().map_err(|_| bad())?,
        Some(_) => return Err(bad()),
    };
    let span = Duration::try_from_secs_f64(number).map_err(|_| bad())?;
    if span > max { Err(bad()) } else { Ok(Some(span)) }
}

fn quorum(value: Option<&Wild>) -> Result<Option<u8>, AskError> {
    match value {
        None | Some(Wild::Null) => Ok(None),
        Some(Wild::Number(number)) => match number.parse() {
            Ok(quorum @ 1..=limits::QUORUM_MAX) => Ok(Some(quorum)),
            _ => Err(AskError::BadQuorum),
        },
        Some(_) => Err(AskError::BadQuorum),
    }
}

fn on_expiry(value: &Wild, body: &Body) -> Result<OnExpiry, AskError> {
    json::on_expiry(value, &sample(body)).map_err(AskError::BadExpiry)
}

/// Makes an ask of a body. An assumption is read as an answer would be, so it needs an ask to be read against.
pub(super) fn sample(body: &Body) -> Ask {
    let none = Wishes::default();
    let facts =
        Facts { at: Timestamp(0), door: NAME, agent: "", folder: None, headline: "", header: None, wishes: [&none; 4] };
    Ask {
        id: AskId { session: SessionId(0), number: 1 },
        at: Timestamp(0),
        body: body.clone(),
        terms: terms(&Rules::default(), &facts),
        reach: Reach::Pull,
        asker: Asker { door: NAME.to_owned(), agent: String::new(), party: "".into(), machine: None },
        call: None,
        context: Context::default(),
        key: None,
        stated: None,
        original: None,
        instead_of: None,
    }
}

fn context(value: Option<&Wild>) -> Context {
    let Some(value) = value else {
        return Context::default();
    };
    let text = |names: &[&str]| match value.field(names) {
        Some(Wild::Text(text)) if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    };
    match value {
        Wild::Text(text) => Context { text: Some(text.clone()), ..Context::default() },
        Wild::Map(_) => Context {
            text: text(&["text"]),
            title: text(&["title"]),
            folder: text(&["folder", "cwd"]),
            branch: text(&["branch"]),
            more: Some(json::raw(value)),
        },
        _ => Context::default(),
    }
}
