//! Deletes a session. Its page cannot close one first, so an idle agent's process is ended here.

use std::time::Duration;

use askbridge_core::event::Event;
use askbridge_core::forget::Unfinished;
use askbridge_core::ids::SessionId;
use askbridge_core::refusal::Refusal;

use crate::peer::{Cx, Outbox, Tag};
use crate::wish::{Receipt, Rejection, Wish};

const FORGET: Tag = Tag(2);
const CLOSE: Tag = Tag(3);
/// How long an agent's process may take to end. Beyond: its session is closed, and is deleted when that is tried again.
const END_MAX: Duration = Duration::from_secs(10);

/// The stage of the deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deleting {
    /// The session's state is not known yet.
    Looking,
    /// `is_running`: its agent is working, so its process is not ended.
    Asked { is_running: bool },
    /// Waiting for the agent's process to end.
    Closing,
    /// The process has ended.
    Again,
}

/// The result: a status and the words on failure.
pub(super) type Done = Result<(), (u16, String)>;

impl Deleting {
    /// The session's past is known.
    pub(super) fn caught_up(&mut self, session: SessionId, is_running: bool, out: &mut Outbox) {
        if *self == Self::Looking {
            *self = Self::Asked { is_running };
            out.wishes.push((FORGET, Wish::Forget { session }));
        }
    }

    pub(super) fn hear(&mut self, event: &Event, session: SessionId, out: &mut Outbox) {
        if *self == Self::Closing && matches!(event, Event::Unhosted { .. }) {
            *self = Self::Again;
            out.wishes.push((FORGET, Wish::Forget { session }));
        }
    }

    /// `newest` is the session that the conversation continues as. Returns `None` while the deletion goes on.
    pub(super) fn replied(
        &mut self,
        tag: Tag,
        reply: Result<Receipt, Rejection>,
        newest: SessionId,
        cx: &mut Cx<'_>,
    ) -> Option<Done> {
        match (tag, reply) {
            (CLOSE, Ok(_)) => None,
            (_, Ok(_)) => Some(Ok(())),
            (FORGET, Err(Rejection::Refused(Refusal::Unfinished { why: Unfinished::Hosted, .. })))
                if *self == (Self::Asked { is_running: false }) =>
            {
                *self = Self::Closing;
                cx.out.wishes.push((CLOSE, Wish::Close { session: newest, why: Some("it is deleted".to_owned()) }));
                cx.out.wake_at = Some(cx.now.plus(END_MAX));
                None
            }
            (_, Err(why)) => Some(Err((why.status(), why.to_string()))),
        }
    }

    /// The process takes too long to end.
    pub(super) fn waited(self) -> Option<Done> {
        let why = "Its agent is ending; delete it again in a moment".to_owned();
        (self == Self::Closing).then_some(Err((409, why)))
    }
}
