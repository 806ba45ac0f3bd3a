//! The machine of one socket: an existing session, or one that its first message starts.

use std::collections::VecDeque;

use askbridge_core::event::{Event, Settings};
use askbridge_core::ids::{AskId, Position, Raw, SessionId, Timestamp};
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use serde_json::json;

use super::status::Progress;
use super::tell::{self, Sent};
use super::wire::PrimeEvent;
use super::{NAME, quirks, wishes};
use crate::awaiting::Awaiting;
use crate::listing::usual_hosted_door;
use crate::peer::{Cx, Frame, Garbled, Outbox, Peer, Tag};
use crate::slot::Slot;
use crate::told::{Happened, Told};
use crate::uuid;
use crate::wish::{Receipt, Rejection, Watch, Wish};

/// One connection.
#[derive(Default)]
pub struct Prime {
    begun: bool,
    /// The status was sent, which happens once for each connection.
    has_status: bool,
    pub(super) session: Option<SessionId>,
    pub(super) slot: Slot,
    pub(super) progress: Progress,
    /// The session's past was told.
    pub(super) is_caught_up: bool,
    /// Frames that a client may have missed, the newest.
    missed: VecDeque<(Position, Sent)>,
    /// The end of the last turn, which a client gets again unless another turn runs.
    last_end: Option<(Position, String)>,
    /// Messages that came before the session was started.
    unsaid: VecDeque<String>,
    awaiting: Awaiting<PendingReply>,
}

/// What a reply is about.
pub(super) enum PendingReply {
    Start,
    Say,
    Interrupt,
    Answer(AskId),
}

impl Prime {
    /// `None`: the first message starts a session.
    pub fn new(session: Option<SessionId>) -> Self {
        Self { session, ..Self::default() }
    }

    pub(super) fn wish(&mut self, awaited: PendingReply, wish: Wish, out: &mut Outbox) {
        self.awaiting.wish(awaited, wish, out);
    }

    /// Sends a message, or starts a session for it.
    pub(super) fn say(&mut self, text: String, cx: &mut Cx<'_>) {
        if let Some(session) = self.session {
            return self.wish(PendingReply::Say, Wish::Say { session, text, about: None, client_id: None }, cx.out);
        }
        if self.unsaid.len() >= limits::QUEUED_MESSAGES_MAX {
            return tell::error("Too many messages wait; try again when the session has begun", cx.out);
        }
        self.unsaid.push_back(text);
        if self.unsaid.len() > 1 {
            return;
        }
        let more =
            json!({"allowed_tools": quirks::ALLOWED_TOOLS, "setting_sources": ["project"], "one_message_a_turn": true});
        let settings = Settings {
            mode: Some("acceptEdits".to_owned()),
            wishes: wishes(),
            more: Some(Raw::from(more.to_string())),
            ..Settings::default()
        };
        let session = Some(uuid::fresh_session(cx.ids.fresh()));
        let door = usual_hosted_door();
        let start =
            Wish::Start { session, door, agent: Some(door.to_owned()), settings: Box::new(settings), host: None };
        self.wish(PendingReply::Start, start, cx.out);
    }

    fn sit_down(&mut self, session: SessionId, out: &mut Outbox) {
        self.session = Some(session);
        out.watches.push(Watch::Chat { session, remembered: true });
        out.watches.push(Watch::Seat { session });
    }

    fn begin(&mut self, cx: &mut Cx<'_>) {
        let connection = format!("conn_{:016x}", cx.ids.fresh() as u64);
        let session = self.session.map(|session| uuid::of_session(session).into());
        tell::send(
            &PrimeEvent::Connected { connection_id: &connection, connection_id_twin: &connection, session },
            cx.out,
        );
        match self.session {
            Some(session) => self.sit_down(session, cx.out),
            None => {
                self.has_status = true;
                let pending = format!("pending_{:032x}", cx.ids.fresh());
                self.progress.begins(cx.now);
                tell::send(&PrimeEvent::SessionStatus(self.progress.status(pending, None, 0)), cx.out);
            }
        }
    }

    /// The session's past was told: sends the status, what was missed, and the open question.
    fn caught_up(&mut self, session: SessionId, seen: Option<Position>, cx: &mut Cx<'_>) {
        self.is_caught_up = true;
        let asked = self.slot.show_next();
        if std::mem::replace(&mut self.has_status, true) {
            self.missed.clear();
            return asked.into_iter().for_each(|ask| self.show(&ask, cx.now, cx.out));
        }
        let missed: Vec<_> = std::mem::take(&mut self.missed).into();
        // A client that was never here missed nothing: it loads the history.
        let missed: Vec<_> = missed.into_iter().filter(|(at, _)| seen.is_some_and(|seen| *at > seen)).collect();
        let again = self.last_end.take().filter(|(at, _)| {
            !self.progress.is_processing() && seen.is_some() && missed.iter().all(|(known, _)| known != at)
        });
        let count = missed.len() + usize::from(again.is_some()) + usize::from(asked.is_some());
        let pending = asked.as_ref().map(|ask| tell::question_id(ask.id));
        let status = self.progress.status(uuid::of_session(session), pending, count);
        tell::send(&PrimeEvent::SessionStatus(status), cx.out);
        for (_, sent) in missed {
            cx.out.text(sent.text);
        }
        if let Some((_, text)) = again {
            cx.out.text(text);
        }
        if let Some(ask) = asked {
            self.show(&ask, cx.now, cx.out);
        }
    }

    fn happened(&mut self, happened: &Happened, cx: &mut Cx<'_>) {
        if self.session != Some(happened.session) {
            return;
        }
        // The original names the session at the beginning of every turn.
        let begins = self.progress.hear(happened);
        let named = begins.then(|| tell::frame(&PrimeEvent::SessionId(uuid::of_session(happened.session).into())));
        for sent in named.into_iter().chain(tell::content(happened)) {
            self.progress.sent(sent.kind);
            if matches!(sent.kind, "complete" | "error") {
                self.last_end = Some((happened.position, sent.text.clone()));
            }
            if self.is_caught_up {
                cx.out.text(sent.text);
            } else {
                self.missed.push_back((happened.position, sent));
                if self.missed.len() > quirks::REPLAY_MAX {
                    self.missed.pop_front();
                }
            }
        }
        self.follow(happened, cx.now, cx.out);
        match &*happened.event {
            Event::Closed { .. } if self.is_caught_up => cx.out.hang_up = Some((1000, String::new())),
            // The conversation continues as another session.
            Event::Continued { to, .. } => {
                self.is_caught_up = false;
                self.sit_down(*to, cx.out);
            }
            _ => {}
        }
    }
}

impl Peer for Prime {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        match frame {
            Frame::Text(text) => self.heard(&text, cx),
            _ => Ok(()),
        }
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        match told {
            Told::Event(happened) => self.happened(happened, cx),
            Told::CaughtUp { session, seen } if self.session == Some(*session) => self.caught_up(*session, *seen, cx),
            Told::Displaced { .. } => {
                tell::send(&PrimeEvent::SessionTaken, cx.out);
                cx.out.hang_up = Some((1000, String::new()));
            }
            Told::Gone { .. }
            | Told::Whispered { .. }
            | Told::Looked { .. }
            | Told::CaughtUp { .. }
            | Told::Snapshot(_)
            | Told::Delta { .. }
            | Told::Draft { .. }
            | Told::Own(_)
            | Told::Lagged => {}
        }
    }

    fn reply(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        match (self.awaiting.take(tag), reply) {
            (Some(PendingReply::Start), Ok(Receipt { session: Some(session), .. })) => {
                self.sit_down(session, cx.out);
                // The client that started it has missed nothing.
                self.is_caught_up = true;
                for text in std::mem::take(&mut self.unsaid) {
                    self.wish(PendingReply::Say, Wish::Say { session, text, about: None, client_id: None }, cx.out);
                }
            }
            (Some(PendingReply::Start), reply) => {
                let why = reply.err().map_or_else(|| "no session was started".to_owned(), |why| why.to_string());
                tell::send(&PrimeEvent::Error { error: &why, is_permanent: true }, cx.out);
                cx.out.hang_up = Some((1000, String::new()));
            }
            (Some(PendingReply::Say | PendingReply::Interrupt), Err(why)) => tell::error(&why.to_string(), cx.out),
            // Another answer was first: that event has closed the card.
            (
                Some(PendingReply::Answer(ask)),
                Err(Rejection::Refused(Refusal::Conflict { .. } | Refusal::Gone { .. })),
            ) => {
                self.show_again(ask, cx);
            }
            (Some(PendingReply::Answer(ask)), Err(why)) => {
                tell::error(&format!("Invalid ask_user_response: {}", why.in_words()), cx.out);
                self.show_again(ask, cx);
            }
            (Some(PendingReply::Say | PendingReply::Interrupt | PendingReply::Answer(_)), Ok(_)) | (None, _) => {}
        }
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        if !std::mem::replace(&mut self.begun, true) {
            self.begin(cx);
        }
        None
    }
}

impl std::fmt::Debug for Prime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct(NAME).field("session", &self.session).finish_non_exhaustive()
    }
}
