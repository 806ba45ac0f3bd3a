//! Turns a client's frames into wishes.

use std::time::Duration;

use askbridge_core::ids::{AskId, Raw, SessionId};
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::Wait;

use super::wire::ClientFrame;
use crate::wish::{AskRef, Query, Rejection, Watch, Wish};

/// What a frame asks for.
pub(super) enum ClientCommand {
    Hello { token: Option<String>, cursor: Option<String> },
    Wish(u64, Box<Wish>),
    Query(u64, Query),
    Watch(Watch),
    Ping(Option<u64>),
    Nothing,
}

/// Reads a frame. An error is answered under the frame's tag, if it has one.
pub(super) fn hear(heard: ClientFrame) -> Result<ClientCommand, (Option<u64>, Rejection)> {
    let wish = |tag, wish| Ok(ClientCommand::Wish(tag, Box::new(wish)));
    match heard {
        ClientFrame::Hello { token, cursor } => Ok(ClientCommand::Hello { token, cursor }),
        ClientFrame::Answer(answer) => {
            let ask = ask_ref(answer.tag, &answer.ask)?;
            let (reply, undo) = answer.what.reply().map_err(|error| bad(answer.tag, error.to_string()))?;
            wish(answer.tag, Wish::Answer { ask, reply, undo })
        }
        ClientFrame::Dismiss(it) => {
            wish(it.tag, Wish::Dismiss { ask: ask_ref(it.tag, &it.ask)?, words: it.what.words })
        }
        ClientFrame::Extend(it) => {
            let wait = match it.what.seconds.map(Duration::try_from_secs_f64) {
                None => Wait::Forever,
                Some(Ok(more)) => Wait::For(more),
                Some(Err(_)) => return Err(bad(it.tag, "`seconds` has to be a number above 0".to_owned())),
            };
            wish(it.tag, Wish::Extend { ask: ask_ref(it.tag, &it.ask)?, wait })
        }
        ClientFrame::Undo(it) => wish(it.tag, Wish::Undo { ask: ask_ref(it.tag, &it.ask)? }),
        ClientFrame::Withdraw(it) => {
            let why = it.what.words.unwrap_or_else(|| "withdrawn".to_owned());
            wish(it.tag, Wish::Withdraw { ask: ask_ref(it.tag, &it.ask)?, why })
        }
        ClientFrame::Draft(it) => {
            let draft = Raw::from(it.what.draft.to_string());
            wish(it.tag, Wish::Draft { ask: ask_ref(it.tag, &it.ask)?, draft })
        }
        ClientFrame::Show(it) => Ok(ClientCommand::Query(it.tag, Query::Ask(ask_id(it.tag, &it.ask)?))),
        ClientFrame::Start(it) => {
            let start = it.new.wish().map_err(|refusal| (Some(it.tag), Rejection::Refused(refusal)))?;
            wish(it.tag, start)
        }
        ClientFrame::Configure(it) => {
            let session = session_id(it.tag, &it.session)?;
            wish(it.tag, Wish::Configure { session, settings: Box::new(it.changes.into()) })
        }
        ClientFrame::Close { tag, session, why } => wish(tag, Wish::Close { session: session_id(tag, &session)?, why }),
        ClientFrame::Forget { tag, session } => wish(tag, Wish::Forget { session: session_id(tag, &session)? }),
        ClientFrame::Say { tag, session, text, about } => {
            let session = session_id(tag, &session)?;
            let about = about.map(|ask| ask_id(tag, &ask)).transpose()?;
            wish(tag, Wish::Say { session, text, about, client_id: None })
        }
        ClientFrame::Unsay { tag, message } => {
            let message = message.parse().map_err(|_| bad(tag, format!("`{message}` is not a message's id")))?;
            wish(tag, Wish::Unsay { message })
        }
        ClientFrame::Interrupt { tag, session } => wish(tag, Wish::Interrupt { session: session_id(tag, &session)? }),
        ClientFrame::Looking { asks } => {
            // An id that is none belongs to a card that nobody is rung for.
            let asks = asks.iter().filter_map(|ask| ask.parse().ok()).take(limits::CARDS_SHOWN_MAX).collect();
            Ok(ClientCommand::Watch(Watch::Cards { asks }))
        }
        ClientFrame::Ping { tag } => Ok(ClientCommand::Ping(tag)),
        ClientFrame::Pong => Ok(ClientCommand::Nothing),
    }
}

fn session_id(tag: u64, id: &str) -> Result<SessionId, (Option<u64>, Rejection)> {
    id.parse().map_err(|_| bad(tag, format!("`{id}` is not a session's id")))
}

fn ask_ref(tag: u64, id: &str) -> Result<AskRef, (Option<u64>, Rejection)> {
    ask_id(tag, id).map(AskRef::Id)
}

fn ask_id(tag: u64, id: &str) -> Result<AskId, (Option<u64>, Rejection)> {
    id.parse().map_err(|_| bad(tag, format!("`{id}` is not an ask's id")))
}

fn bad(tag: u64, why: String) -> (Option<u64>, Rejection) {
    (Some(tag), Rejection::Refused(Refusal::BadRequest(why)))
}
