//! The journal: the durable, ordered log of all sessions. The truth.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;

use askbridge_core::event::Lane;
use askbridge_core::ids::{Position, SessionId, Timestamp};
use askbridge_core::limits;
use futures_util::Stream;

use crate::cursor::Cursor;
use crate::entry::{Entry, Stored};
use crate::fault::Fault;
use crate::forgetting::{Forgetting, Forgotten};
use crate::record::DecodeError;

/// What must hold for an append to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The position of the session's last entry in the lane of decisions; `None` if it has none yet.
    Head(Option<Position>),
    /// Nothing. For content only.
    Unguarded,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum AppendError {
    #[error("someone else decided first in this session")]
    Conflict,
    /// It may still be stored. Append the same entry again.
    #[error("the journal did not say whether it stored the entry")]
    Unknown,
    #[error("an entry of {events} events and {bytes} bytes is too large")]
    TooLarge { events: usize, bytes: usize },
    #[error("the entry cannot be stored: {0}")]
    Malformed(&'static str),
    #[error("the journal is open for reading only")]
    ReadOnly(#[source] Fault),
    #[error("the journal is down")]
    Down(#[source] Fault),
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum ReadError {
    #[error("could not read the entry at position {}", position.0)]
    Record {
        position: Position,
        #[source]
        source: DecodeError,
    },
    #[error("could not read from the journal")]
    Down(#[source] Fault),
}

/// Following has ended; follow again from the last cursor.
pub type FollowError = ReadError;

#[derive(Debug, Clone, thiserror::Error)]
#[error("could not forget the sessions")]
pub struct ForgetError(#[source] pub Fault);

/// What a follower receives.
#[derive(Debug, Clone)]
pub enum Followed {
    Entry(Arc<Stored>),
    /// Everything that was there when following began has been sent. Sent once.
    CaughtUp,
    /// The cursor is not of this journal, or is ahead of it: start from a snapshot. Later entries come after the cursor
    /// given here. Sent first, if at all.
    Gone(Cursor),
    /// These sessions were forgotten. Sent if several nodes share a journal; on a single machine the node itself
    /// announces it.
    Forgotten(Arc<Forgetting>),
}

/// The durable, ordered log of all sessions.
///
/// - **Atomic.** An entry is stored whole or not at all.
/// - **Durable.** An append returns after its entry is on disk, on a majority of servers if there are several.
/// - **Ordered.** Positions grow within a session, over both lanes. They may have gaps and are never reused.
/// - **Guarded.** Of any number of appends with the same [`Guard::Head`], at most one is stored.
/// - **Idempotent.** An entry whose id is already stored after its guard is not stored again: its position is returned.
///   Without a guard, an entry whose id is stored at all.
pub trait Journal: Clone + Send + Sync + 'static {
    /// Appends an entry. Returns once it is durable.
    fn append(&self, entry: Arc<Entry>, guard: Guard) -> impl Future<Output = Result<Position, AppendError>> + Send;

    /// Reads a session's entries after a position, in order; `lane: None` means both.
    ///
    /// Sees every append that was acknowledged before the call, on any node. Returns at most `max` entries, at most
    /// [`limits::READ_BATCH_MAX`], and stops once there are [`limits::READ_BYTES_MAX`] bytes; an empty result is the
    /// end.
    fn read(
        &self,
        session: SessionId,
        lane: Option<Lane>,
        after: Option<Position>,
        max: usize,
    ) -> impl Future<Output = Result<Vec<Arc<Stored>>, ReadError>> + Send;

    /// Reads the last of a session's entries before a position, in order; `before: None` means the end.
    ///
    /// Otherwise like [`Journal::read`]. This default reads everything up to there; a backend that can start at the end
    /// overrides it.
    fn read_back(
        &self,
        session: SessionId,
        before: Option<Position>,
        max: usize,
    ) -> impl Future<Output = Result<Vec<Arc<Stored>>, ReadError>> + Send {
        async move {
            let (mut last, mut bytes, mut after) = (VecDeque::<Arc<Stored>>::new(), 0, None);
            loop {
                let page = self.read(session, None, after, limits::READ_BATCH_MAX).await?;
                let Some(end) = page.last().map(|stored| stored.position) else { return Ok(last.into()) };
                for stored in page {
                    if before.is_some_and(|before| stored.position >= before) {
                        return Ok(last.into());
                    }
                    bytes += stored.entry.bytes();
                    last.push_back(stored);
                    while let Some(first) = last.front().map(|first| first.entry.bytes())
                        && (last.len() > max.min(limits::READ_BATCH_MAX) || bytes - first >= limits::READ_BYTES_MAX)
                    {
                        bytes -= first;
                        last.pop_front();
                    }
                }
                after = Some(end);
            }
        }
    }

    /// Follows all sessions from a cursor on, without gap or repeat, for ever.
    ///
    /// Within a session in order of positions. A slow follower delays no other. Ends after an error.
    fn follow(&self, after: Cursor) -> impl Stream<Item = Result<Followed, FollowError>> + Send + 'static;

    /// Removes these sessions whole, all or none of them, and stores a [`Forgetting`] in their place. Returns how much
    /// that was; sessions without entries do not count.
    ///
    /// A forgotten session can begin again. The caller ensures that no decision is made in these sessions meanwhile. At
    /// most [`askbridge_core::limits::FORGET_SESSIONS_MAX`] at once.
    fn forget(
        &self,
        sessions: &[SessionId],
        at: Timestamp,
        by: &str,
    ) -> impl Future<Output = Result<Forgotten, ForgetError>> + Send;

    /// Returns the forgettings in order, chain by chain if there are several: `max` records after the first `skip`.
    fn forgettings(&self, skip: usize, max: usize) -> impl Future<Output = Result<Vec<Forgetting>, ReadError>> + Send;

    /// Returns the cursor before everything.
    fn start(&self) -> Cursor;

    /// Returns the cursor of the newest durable entry that this node knows of.
    fn now(&self) -> Cursor;

    /// Is this node the only one that can append? Then a cached state is the truth.
    fn exclusive(&self) -> bool;
}
