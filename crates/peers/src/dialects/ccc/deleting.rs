//! Deleting a session. Its page cannot close one first, so an agent that has nothing to do is let go here.

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

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deleting {
    /// It is not known yet how the session stands.
    Looking,
    /// `true`: its agent works, so it is not to be let go.
    Asked { is_running: bool },
    /// Its agent's process is to end, which is heard.
    Closing,
    /// The process has ended.
    Again,
}

/// What came of it: a status, and the words.
pub(super) type Done = Result<(), (u16, String)>;

impl Deleting {
    /// All that had happened is known.
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

    /// `newest`: the session that the conversation goes on as. `None`: it goes on.
    pub(super) fn ruled(
        &mut self,
        tag: Tag,
        ruling: Result<Receipt, Rejection>,
        newest: SessionId,
        cx: &mut Cx<'_>,
    ) -> Option<Done> {
        match (tag, ruling) {
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
