//! What a driver's machine is connected to: a client's connection, or a process that we run.

use askbridge_core::ids::{Position, SessionId};
use askbridge_peers::peer::{EndsWith, Frame, Record, Streamed, Tag};
use askbridge_peers::told::Happened;
use askbridge_peers::wish::{Query, Rejection, Watch, Wish};

use super::rulings::Rulings;
use crate::runtime::{Batch, Follower, Handle, News};

/// In which order a machine hears of news and of rulings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// A receipt waits until the event that it is about was told, and is then passed on at once. A client first sees what
    /// happened, then that its wish was granted.
    NewsBeforeReceipt,
    /// A ruling says how things stand when it is made, so news that come after it are told after it. Rulings are passed on
    /// when the endpoint calls [`pass_on_rulings`](super::Driver::pass_on_rulings): a process is first heard to the end.
    RulingBeforeLaterNews,
}

/// What becomes of a watch.
pub(crate) enum Watched {
    Follow(Follower),
    /// The machine is told nothing new because of it.
    Nothing,
    HangUp(u16, String),
}

/// Why a driver has lost track of what happens.
pub(crate) enum Lost {
    /// The hub let go of the follower.
    Lagged,
    Failed(Rejection),
}

/// One end of a conversation, as far as its machine's driver depends on it.
///
/// The methods with a body are what an agent's process has no use for.
pub(crate) trait Endpoint {
    const ORDER: Order;

    fn handle(&self) -> &Handle;

    /// Has a wish ruled on, in the name of the caller at this end.
    fn wish(&mut self, tag: Tag, wish: Wish, rulings: &mut Rulings);

    fn query(&mut self, tag: Tag, query: Query, rulings: &mut Rulings);

    fn watch(&mut self, watch: Watch) -> Watched;

    /// Stores a piece of content, the `place`-th that one act of the machine made. Returns before it is stored.
    fn record(&mut self, record: Record, place: usize);

    fn stream(&mut self, streamed: Streamed);

    /// Takes frames that are to be written at once. What is left waits until the transport takes it.
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

    /// Is this news something that the machine is told?
    fn hears(&self, news: &News) -> bool;

    /// Looks at an event of an entry before the machine is told. Says whether it is.
    fn tells(&mut self, _happened: &Happened) -> bool {
        true
    }

    /// The machine was told all of an entry.
    fn told(&mut self, _batch: &Batch) {}

    /// A connection sat down in a session. Says whether the machine was displaced by it.
    fn is_displaced(&mut self, _connection: u64) -> bool {
        false
    }

    /// The session that the machine is told from its beginning.
    fn chat(&self) -> Option<SessionId> {
        None
    }

    /// The machine was told all that had happened in its chat, up to here.
    fn caught_up(&mut self, _told: Position) {}

    /// The machine's wish or query was rejected.
    fn refused(&self, _rejection: &Rejection) {}

    /// Nothing more can be told. Returns with which code and reason the conversation ends.
    fn lose_track(&mut self, why: Lost) -> (u16, String);
}
