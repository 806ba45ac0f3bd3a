//! Holds frames of a conversation back while the page loads its messages.
//!
//! A page that opens a conversation, or is reloaded, replaces everything that it shows by the response to
//! `GET …/messages`. A frame that arrives after the response was put together, and before the page has taken it, is
//! overwritten; a frame about something that the response contains is drawn a second time. So what happens meanwhile is
//! held back, and what the response contains is left out. Nothing tells us that the page has taken the response, so the
//! rest is sent a moment later.

use std::collections::BTreeMap;
use std::time::Duration;

use askbridge_core::event::Event;
use askbridge_core::ids::{Position, SessionId, Timestamp};

use super::peer::Gobby;
use super::tell::send;
use super::wire::GobbyEvent;
use crate::peer::{Cx, Outbox};
use crate::told::Happened;

/// How long the response may take. Beyond: the frames are sent without it.
const RESPONSE_WAIT: Duration = Duration::from_secs(10);
/// How long a page may take to draw a response. The response and the frames arrive on different connections.
const DRAWING_WAIT: Duration = Duration::from_millis(500);
/// Frames that are held back. Beyond: all are sent at once.
const HELD_MAX: usize = 1000;

/// The conversation that the page is loading, and what has happened in it since.
#[derive(Debug)]
pub(super) struct Holding {
    session: SessionId,
    until: Timestamp,
    /// The response contains what happened up to here; `None` while it is being put together.
    loaded_to: Option<Position>,
    /// What is being told. `None`: something else is sent, for which no page waits.
    origin: Option<FrameOrigin>,
    frames: Vec<(FrameOrigin, String)>,
    /// Where the blocks that were completed meanwhile are stored.
    blocks: BTreeMap<u32, Position>,
}

/// What a frame was made from.
#[derive(Debug, Clone, Copy)]
pub(super) enum FrameOrigin {
    Event(Position),
    Delta {
        block: u32,
    },
    /// An error. It is not among the messages that a page loads.
    Error,
}

impl Holding {
    /// Whether the response contains this.
    fn contains(&self, origin: FrameOrigin) -> bool {
        let position = match origin {
            FrameOrigin::Event(position) => Some(position),
            FrameOrigin::Delta { block } => self.blocks.get(&block).copied(),
            FrameOrigin::Error => None,
        };
        position.zip(self.loaded_to).is_some_and(|(position, loaded_to)| position <= loaded_to)
    }

    fn leave_out_what_is_loaded(&mut self) {
        let mut frames = std::mem::take(&mut self.frames);
        frames.retain(|(origin, _)| !self.contains(*origin));
        self.frames = frames;
    }
}

impl Gobby {
    /// This page loads a conversation.
    pub(super) fn hold(&mut self, session: SessionId, now: Timestamp, out: &mut Outbox) {
        let until = now.plus(RESPONSE_WAIT);
        let (frames, blocks) = (Vec::new(), BTreeMap::new());
        self.holding = Some(Holding { session, until, loaded_to: None, origin: None, frames, blocks });
        out.wake_at = Some(until);
        if let Some(chat) = self.chats.get_mut(&session) {
            // A block of which the page had a part is sent whole when it is stored.
            chat.streams = crate::stream::Streams::default();
        }
    }

    /// The response is ready, and contains what happened up to a position.
    pub(super) fn loaded(&mut self, session: SessionId, to: Position, now: Timestamp, out: &mut Outbox) {
        let Some(holding) = self.holding.as_mut().filter(|holding| holding.session == session) else { return };
        holding.loaded_to = Some(to);
        holding.until = now.plus(DRAWING_WAIT);
        out.wake_at = Some(holding.until);
        holding.leave_out_what_is_loaded();
    }

    /// Notes what the frames that follow are made from.
    pub(super) fn begin_telling(&mut self, session: SessionId, origin: FrameOrigin) {
        if let Some(holding) = self.holding.as_mut().filter(|holding| holding.session == session) {
            holding.origin = Some(origin);
        }
    }

    pub(super) fn end_telling(&mut self, out: &mut Outbox) {
        let Some(holding) = &mut self.holding else { return };
        holding.origin = None;
        if holding.frames.len() > HELD_MAX {
            self.release(out);
        }
    }

    /// A stored event is told, now or when the page has loaded its messages.
    pub(super) fn tell_event(&mut self, happened: &Happened, cx: &mut Cx<'_>) {
        self.tell_of_lists(happened, cx.out);
        if matches!(&*happened.event, Event::Continued { .. }) && self.is_holding(happened.session) {
            self.release(cx.out);
        }
        self.begin_telling(happened.session, FrameOrigin::Event(happened.position));
        self.happened(happened, cx.out);
        if let (Some(holding), Event::Text { block, .. } | Event::Thinking { block, .. }) =
            (self.holding.as_mut().filter(|holding| holding.origin.is_some()), &*happened.event)
        {
            holding.blocks.insert(*block, happened.position);
            holding.leave_out_what_is_loaded();
        }
        self.end_telling(cx.out);
    }

    /// Sends a frame that the page draws among the messages of a conversation, or holds it back.
    pub(super) fn draw_in(&mut self, session: SessionId, said: &GobbyEvent<'_>, out: &mut Outbox) {
        let holding = self.holding.as_mut().filter(|holding| holding.session == session);
        let is_error = matches!(said, GobbyEvent::ChatError { .. });
        let origin = |origin| if is_error { FrameOrigin::Error } else { origin };
        match holding.and_then(|holding| holding.origin.map(|told| (holding, origin(told)))) {
            Some((holding, origin)) if !holding.contains(origin) => {
                holding.frames.push((origin, said.to_json()));
            }
            Some(_) => {}
            None => send(said, out),
        }
    }

    /// The conversation that is being loaded continues as another session.
    pub(super) fn hold_on_in(&mut self, from: SessionId, to: SessionId) {
        if let Some(holding) = self.holding.as_mut().filter(|holding| holding.session == from) {
            holding.session = to;
        }
    }

    pub(super) fn is_holding(&self, session: SessionId) -> bool {
        self.holding.as_ref().is_some_and(|holding| holding.session == session)
    }

    /// Sends what was held back.
    pub(super) fn release(&mut self, out: &mut Outbox) {
        for (_, frame) in self.holding.take().into_iter().flat_map(|holding| holding.frames) {
            out.text(frame);
        }
    }

    /// Sends what was held back if the time has come; otherwise says when it comes.
    pub(super) fn release_if_due(&mut self, now: Timestamp, out: &mut Outbox) -> Option<Timestamp> {
        let until = self.holding.as_ref()?.until;
        if now < until {
            return Some(until);
        }
        self.release(out);
        None
    }
}
