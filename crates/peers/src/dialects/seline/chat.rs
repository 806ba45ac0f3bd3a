//! The machine of `POST /api/chat`: sends a message, and streams what the agent does until the turn is over.

use std::collections::BTreeMap;
use std::sync::Arc;

use askbridge_core::ask::Ask;
use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, SessionId, Timestamp};
use askbridge_core::refusal::Refusal;
use bytes::Bytes;
use serde_json::json;

use super::draw::{SentToReader, send};
use super::history::answer_to;
use super::opening::{Opening, read};
use super::starting::start;
use super::wire::Chunk;
use super::{answers, quirks, session_of};
use crate::peer::{Cx, Frame, Garbled, Outbox, Peer, Req, Resp, Tag};
use crate::rest;
use crate::told::{Happened, Told};
use crate::turn::Turn;
use crate::uuid;
use crate::wish::{Query, Receipt, Rejection, Watch, Wish};

const LOOK: Tag = Tag(1);
const START: Tag = Tag(2);
const SAY: Tag = Tag(3);
/// The first tag of the results that the client supplied.
const RESULT: Tag = Tag(100);

/// One request, and the stream that answers it.
#[derive(Default)]
pub(super) struct Chat {
    /// Known once the request was parsed.
    session: Option<SessionId>,
    /// The client's name for it.
    name: String,
    opening: Option<Opening>,
    pub(super) is_live: bool,
    pub(super) drawn: SentToReader,
    turn: Turn,
    pub(super) asks: BTreeMap<AskId, Arc<Ask>>,
    /// How many messages of people there were.
    said: u32,
    /// The session that the conversation began as.
    first: Option<SessionId>,
    was_interrupted: bool,
    /// When the stream ends, unless another event comes before.
    ends_at: Option<Timestamp>,
    silent_at: Option<Timestamp>,
    is_over: bool,
}

impl Chat {
    fn asked(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        let opening = match read(req) {
            Ok(opening) => opening,
            Err((status, why)) => return error(cx.out, status, why),
        };
        self.name = opening.name.clone().unwrap_or_else(|| {
            let session = uuid::fresh_session(cx.ids.fresh());
            uuid::of_session(session)
        });
        let session = session_of(&self.name);
        self.session = Some(session);
        self.first = Some(session);
        self.opening = Some(opening);
        cx.out.queries.push((LOOK, Query::Session(session)));
    }

    fn listen(&self, out: &mut Outbox) {
        if let Some(session) = self.session {
            out.watches.push(Watch::Chat { session, remembered: false });
        }
    }

    /// The session's past was told: begins the stream, and does what the client wants.
    fn begin(&mut self, cx: &mut Cx<'_>) {
        let Some(session) = self.session.filter(|_| !self.is_live) else { return };
        self.is_live = true;
        let headers = vec![
            ("cache-control", "no-cache".to_owned()),
            ("x-vercel-ai-ui-message-stream", "v1".to_owned()),
            ("x-accel-buffering", "no".to_owned()),
            ("x-session-id", self.name.clone()),
        ];
        let content_type = "text/event-stream";
        cx.out.frames.push(Frame::Response(Resp {
            status: 200,
            content_type,
            headers,
            body: Bytes::new(),
            open: true,
        }));
        // The message that answers the new message, or the last one: it has the same id when it is loaded again.
        let says = self.opening.as_ref().is_some_and(|opening| opening.text.is_some());
        let number = self.said + u32::from(says);
        send(&Chunk::Start { message_id: answer_to(self.first.unwrap_or(session), number) }, cx.out);
        send(&Chunk::StartStep, cx.out);
        let Some(Opening { text, client_id, results, .. }) = self.opening.take() else { return };
        let supplied = results.into_iter().filter_map(|(card, given)| {
            let ask = self.asks.values().find(|ask| answers::card_id(ask) == card)?;
            Some((ask.id, answers::wish(session, &ask.id.to_string(), given)))
        });
        let supplied: BTreeMap<_, _> = supplied.collect();
        // Open asks are drawn in this message: their cards may not be anywhere else.
        let open: Vec<_> = self.asks.values().filter(|ask| !supplied.contains_key(&ask.id)).cloned().collect();
        for ask in open {
            self.draw(&ask, cx.out);
        }
        for (place, (_, wish)) in supplied.into_iter().enumerate() {
            cx.out.wishes.push((Tag(RESULT.0 + place as u64), wish));
        }
        if let Some(text) = text {
            cx.out.wishes.push((SAY, Wish::Say { session, text, about: None, client_id }));
        } else if !self.turn.is_running() && self.asks.is_empty() {
            self.ends_at = Some(cx.now);
        }
        self.sleep(cx);
    }

    fn happened(&mut self, happened: &Happened, cx: &mut Cx<'_>) {
        if Some(happened.session) != self.session || self.is_over {
            return;
        }
        if self.turn.hear(&happened.event) {
            self.ends_at = None;
        }
        self.keep_track(&happened.event);
        // The conversation continues as another session, perhaps since long ago.
        if let Event::Continued { to, .. } = &*happened.event {
            self.session = Some(*to);
            self.listen(cx.out);
        }
        if !self.is_live {
            return;
        }
        self.tell_event(&happened.event, cx);
        match &*happened.event {
            Event::Interrupted { .. } => self.was_interrupted = true,
            // A question may outlive its turn: its answer starts the agent again.
            Event::TurnEnded { .. } | Event::Unhosted { .. } | Event::Withdrawn { .. } | Event::Overtaken { .. }
                if self.asks.is_empty() =>
            {
                self.ends_at = Some(cx.now.plus(quirks::AFTERTHOUGHT));
            }
            Event::Closed { why, .. } => {
                self.drawn.end_blocks(cx.out);
                send(&Chunk::Error { error_text: why }, cx.out);
                return self.end(cx.out);
            }
            _ => {}
        }
        self.sleep(cx);
    }

    fn keep_track(&mut self, event: &Event) {
        match event {
            Event::Said(_) => self.said += 1,
            Event::Asked(ask) => drop(self.asks.insert(ask.id, Arc::clone(ask))),
            Event::Settled(settled) => self.forget(settled.ask),
            Event::Withdrawn { ask, .. } | Event::Overtaken { ask, .. } => self.forget(*ask),
            _ => {}
        }
    }

    /// A live ask is still needed while its ending is told.
    fn forget(&mut self, ask: AskId) {
        if !self.is_live {
            self.asks.remove(&ask);
        }
    }

    fn end(&mut self, out: &mut Outbox) {
        self.is_over = true;
        match self.was_interrupted {
            true => self.drawn.end(&Chunk::Abort { reason: "interrupted" }, out),
            false => self.drawn.end(&Chunk::Finish { finish_reason: "stop" }, out),
        }
    }

    /// Sets the timer to what is due first.
    fn sleep(&mut self, cx: &mut Cx<'_>) {
        if self.is_over {
            return;
        }
        let silent_at = cx.now.plus(quirks::SILENCE);
        self.silent_at = Some(silent_at);
        let due = [self.ends_at, self.drawn.due_at()].into_iter().flatten();
        cx.out.wake_at = Some(due.fold(silent_at, Timestamp::min));
    }

    fn refused(&mut self, tag: Tag, why: &Rejection, cx: &mut Cx<'_>) {
        match tag {
            // "Unknown session id is created on the fly".
            LOOK if matches!(why, Rejection::Refused(Refusal::UnknownSession(_))) => {
                cx.out.wishes.extend(self.session.map(|session| (START, start(session, None))));
            }
            // A session of that name exists, and this caller may not see it.
            START if matches!(why, Rejection::Refused(Refusal::AlreadyStarted(_))) => error(cx.out, 403, "Forbidden"),
            LOOK | START => {
                let status = if why.status() == 403 { 403 } else { 500 };
                error(cx.out, status, &why.to_string());
            }
            SAY => {
                send(&Chunk::Error { error_text: &why.to_string() }, cx.out);
                self.end(cx.out);
            }
            // Another answer was first, or this one does not fit: the card is drawn, and shows its state.
            _ => {
                for ask in self.asks.values().cloned().collect::<Vec<_>>() {
                    self.draw(&ask, cx.out);
                }
            }
        }
    }
}

impl Peer for Chat {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        if let Frame::Request(req) = frame {
            self.asked(&req, cx);
        }
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        match told {
            Told::Event(happened) => self.happened(happened, cx),
            Told::CaughtUp { session, .. } if Some(*session) == self.session => self.begin(cx),
            Told::Delta { session, block, kind, offset, text }
                if Some(*session) == self.session && self.is_live && !self.is_over =>
            {
                self.drawn.delta(*block, *kind, *offset, text, cx.out);
                self.sleep(cx);
            }
            _ => {}
        }
    }

    fn reply(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        match (tag, reply) {
            (LOOK | START, Ok(_)) => self.listen(cx.out),
            (_, Ok(_)) => {}
            (tag, Err(why)) => self.refused(tag, &why, cx),
        }
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        if !self.is_live || self.is_over {
            return None;
        }
        if self.ends_at.is_some_and(|at| at <= cx.now) {
            if !self.turn.is_running() {
                self.end(cx.out);
                return None;
            }
            // Another message waits: its turn is shown here too.
            self.ends_at = Some(cx.now.plus(quirks::AFTERTHOUGHT));
        }
        self.drawn.give_up(cx.now, cx.out);
        if self.silent_at.is_some_and(|at| at <= cx.now) {
            cx.out.frames.push(Frame::Chunk(Bytes::from_static(b": still here\n\n")));
        }
        self.sleep(cx);
        cx.out.wake_at.take()
    }
}

pub(super) fn error(out: &mut Outbox, status: u16, why: &str) {
    rest::json(out, status, &json!({"error": why}));
}
