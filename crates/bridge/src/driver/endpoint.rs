//! The endpoint of a driver's machine: a client's connection, or an agent's process that we run.

use askbridge_core::ids::{Position, SessionId};
use askbridge_peers::peer::{EndsWith, Frame, Record, Streamed, Tag};
use askbridge_peers::told::Happened;
use askbridge_peers::wish::{Query, Rejection, Watch, Wish};

use super::replies::Replies;
use crate::runtime::{Batch, Follower, Handle, HubMessage};

/// In which order a machine is told news and replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// A receipt waits until its event was told, and is then passed on at once. A client first sees what happened, then
    /// that its wish was granted.
    NewsBeforeReceipt,
    /// A reply describes the state when it was made, so later news is told after it. Replies are passed on when the
    /// endpoint calls [`pass_on_replies`](super::Driver::pass_on_replies): first, all that the process has written is
    /// read.
    ReplyBeforeLaterNews,
}

/// What a watch leads to.
pub(crate) enum Watched {
    Follow(Follower),
    /// The machine is told nothing new because of it.
    Nothing,
    HangUp(u16, String),
}

/// Why a driver can no longer follow the journal.
pub(crate) enum Lost {
    /// The hub is gone, so no more news comes.
    Lagged,
    Failed(Rejection),
}

/// One end of a conversation, as its machine's driver sees it.
///
/// An agent's process needs none of the methods that have a default body.
pub(crate) trait Endpoint {
    const ORDER: Order;

    fn handle(&self) -> &Handle;

    /// Submits a wish in the name of the caller at this end.
    fn wish(&mut self, tag: Tag, wish: Wish, replies: &mut Replies);

    fn query(&mut self, tag: Tag, query: Query, replies: &mut Replies);

    fn watch(&mut self, watch: Watch) -> Watched;

    /// Stores a piece of content, the `place`-th that one act of the machine made. Returns before it is stored.
    fn record(&mut self, record: Record, place: usize);

    fn stream(&mut self, streamed: Streamed);

    /// Takes frames to write them at once. What it leaves waits until the transport is ready.
    fn write(&mut self, _frames: &mut Vec<Frame<'static>>) {}

    /// Waits until one more record is stored. Called only while [`is_storing`](Self::is_storing).
    fn stored(&mut self) -> impl Future<Output = ()> + Send {
        std::future::pending()
    }

    fn is_storing(&self) -> bool {
        false
    }

    fn whisper(&mut self, _session: SessionId, _words: &str) {}

    fn end_with(&mut self, _session: SessionId, _ends: EndsWith) {}

    /// Is the machine told this news?
    fn hears(&self, news: &HubMessage) -> bool;

    /// Called for each event before the machine is told. Returns whether the machine is told.
    fn tells(&mut self, _happened: &Happened) -> bool {
        true
    }

    /// The machine was told all of an entry.
    fn told(&mut self, _batch: &Batch) {}

    /// A connection took a seat in a session. Returns whether it displaced this machine.
    fn is_displaced(&mut self, _connection: u64) -> bool {
        false
    }

    /// The session that the machine is told from its beginning.
    fn chat(&self) -> Option<SessionId> {
        None
    }

    /// The machine was told everything in its chat up to this position.
    fn caught_up(&mut self, _told: Position) {}

    /// The machine's wish or query was rejected.
    fn refused(&self, _rejection: &Rejection) {}

    /// The machine can be told nothing more. Returns the code and reason that the conversation ends with.
    fn lose_track(&mut self, why: Lost) -> (u16, String);
}
