//! A person or a program says something to the agent. Messages are queued in the journal until they are delivered.

use super::settle::said;
use crate::answer::Who;
use crate::event::Event;
use crate::ids::{AskId, MessageId, Timestamp};
use crate::limits;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::terms::WhileOpen;

pub(super) fn say(
    session: &Session,
    text: String,
    by: Option<Who>,
    about: Option<AskId>,
    client_id: Option<Box<str>>,
    at: Timestamp,
) -> Result<Vec<Event>, Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::BadRequest("a message needs words".to_owned()));
    }
    if text.len() > limits::ANSWER_TEXT_BYTES_MAX {
        return Err(Refusal::BadRequest(format!("a message has at most {} bytes", limits::ANSWER_TEXT_BYTES_MAX)));
    }
    if session.queue.len() >= limits::QUEUED_MESSAGES_MAX {
        return Err(Refusal::TooManyMessages { limit: limits::QUEUED_MESSAGES_MAX });
    }
    let mut events = Vec::new();
    match session.open().next().map(|live| (live.ask.id, live.ask.terms.messages)) {
        None | Some((_, WhileOpen::Hold | WhileOpen::PassOn)) => {}
        Some((ask, WhileOpen::Refuse)) => return Err(Refusal::MessagesRefused(ask)),
        Some((_, WhileOpen::CancelTurn)) => {
            events.push(Event::Interrupted { by: by.clone(), at });
            let why = "a new message ended the turn".to_owned();
            let asks = session.open().map(|live| live.ask.id);
            events.extend(asks.map(|ask| Event::Withdrawn { ask, why: why.clone(), at }));
        }
    }
    let client_id = client_id.filter(|id| id.len() <= limits::CLIENT_ID_BYTES_MAX);
    events.push(said(session, text, by, about, client_id, at));
    Ok(events)
}

pub(super) fn unsay(session: &Session, message: MessageId) -> Result<Vec<Event>, Refusal> {
    let waiting = session.queue.iter().find(|queued| queued.said.message == message);
    match waiting {
        Some(queued) if queued.attempts == 0 => Ok(vec![Event::Unsaid { message }]),
        _ => Err(Refusal::UnknownMessage(message)),
    }
}
