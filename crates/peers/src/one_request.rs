//! The trait of machines that handle one request: they read it, follow what they watch, and respond.

use askbridge_core::ids::{SessionId, Timestamp};

use crate::peer::{Cx, Frame, Garbled, Peer, Req, Tag};
use crate::told::{Happened, Told};
use crate::wish::{Receipt, Rejection};

/// A machine that handles one request. Every such machine is a [`Peer`].
pub(crate) trait OneRequest: Send {
    fn requested(&mut self, req: &Req<'_>, cx: &mut Cx<'_>);

    /// Something happened in the session that it watches.
    fn happened(&mut self, _: &Happened, _: &mut Cx<'_>) {}

    /// Everything that had happened in that session so far was told.
    fn caught_up(&mut self, _: SessionId, _: &mut Cx<'_>) {}

    /// The reply to a wish or query.
    fn replied(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>);

    /// The requested wake-up time has come.
    fn waited(&mut self, _: &mut Cx<'_>) {}
}

impl<P: OneRequest> Peer for P {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        if let Frame::Request(req) = frame {
            self.requested(&req, cx);
        }
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        match told {
            Told::Event(happened) => self.happened(happened, cx),
            Told::CaughtUp { session, .. } => self.caught_up(*session, cx),
            _ => {}
        }
    }

    fn reply(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        self.replied(tag, reply, cx);
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        self.waited(cx);
        None
    }
}
