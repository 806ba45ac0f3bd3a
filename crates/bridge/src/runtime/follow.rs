//! Follows the journal from any cursor: a snapshot or the missed entries, then live events, without gap or repeat.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;

use askbridge_core::ids::{Position, SessionId};
use askbridge_core::limits;
use askbridge_journal::index::{AskFilter, AskRow, Index, Order, StateFilter};
use askbridge_journal::journal::{FollowError, Followed, Journal};
use askbridge_journal::{Cursor, Stored};
use askbridge_peers::told::Snapshot;
use askbridge_peers::wish::Rejection;
use futures_util::{Stream, StreamExt};
use tracing::warn;

use super::claims::NewestClaims;
use super::error::down;
use super::gate::{seen_asks, sees};
use super::handle::Handle;
use super::hub::{Interest, LetGo, Subscription};
use super::hub_message::HubMessage;
use crate::auth::Caller;

/// What a follower returns.
#[derive(Debug)]
pub enum FollowUpdate {
    /// A part of a snapshot. The next is read when the client has taken this one.
    Snapshot(Box<Snapshot>),
    Message(Arc<HubMessage>),
    /// Everything up to now in the session was told. Holds how far a client of this dialect had come before.
    CaughtUp(Option<Position>),
    /// The hub is gone, so no more news comes. The client may come back with its last cursor.
    Lagged,
}

/// One subscription: the live queue, and what comes before it.
pub struct Follower {
    handle: Handle,
    interest: Interest,
    subscription: Subscription,
    /// Everything up to here was told.
    told: Cursor,
    /// Of the sessions whose missed entries were read.
    claims: NewestClaims,
    stage: FollowStage,
}

type Missed = Pin<Box<dyn Stream<Item = Result<Followed, FollowError>> + Send>>;

/// Reads the next part of a snapshot.
type Looking = Pin<Box<dyn Future<Output = Result<(Snapshot, Rest), Rejection>> + Send>>;

/// The parts of a snapshot that were not told yet.
struct Rest {
    /// The moment that all parts describe.
    cursor: Cursor,
    rows: VecDeque<AskRow>,
    /// More asks are open than these.
    more: bool,
}

enum FollowStage {
    Snapshot,
    Looking(Looking),
    Missed(Missed),
    Past(Past),
    Live,
}

/// A session that is told from its beginning.
struct Past {
    session: SessionId,
    dialect: &'static str,
    after: Option<Position>,
    /// Read, and not told yet.
    read: VecDeque<Arc<Stored>>,
    /// Entries up to here had happened when the following began. The rest is news, even if it is read from the journal.
    began: Cursor,
    is_caught_up: bool,
}

impl Handle {
    /// Follows one session from its beginning, on behalf of a client of `dialect`.
    pub(crate) fn follow_from_the_beginning(&self, session: SessionId, dialect: &'static str) -> Follower {
        let (interest, began) = (Interest::Session(session), self.store.now());
        // Subscribe first: an entry that is appended while the past is read arrives live, and is skipped if it was
        // read.
        let (subscription, told) = self.hub.listen(&interest);
        let past = Past { session, dialect, after: None, read: VecDeque::new(), began, is_caught_up: false };
        let stage = FollowStage::Past(past);
        Follower::new(self, interest, (subscription, told), stage)
    }

    /// Follows what a caller may see. Without a cursor, or with one of another journal, a snapshot comes first.
    pub fn follow(&self, interest: Interest, after: Option<Cursor>) -> Follower {
        let (subscription, told) = self.hub.listen(&interest);
        let (told, stage) = match after {
            Some(after) => {
                let missed = Box::pin(self.store.follow(after.clone()));
                (after, FollowStage::Missed(missed))
            }
            None => (told, FollowStage::Snapshot),
        };
        Follower::new(self, interest, (subscription, told), stage)
    }

    /// Follows from now on, without a snapshot, for callers that have just read the state.
    pub(crate) fn follow_live(&self, interest: Interest) -> Follower {
        let (subscription, told) = self.hub.listen(&interest);
        Follower::new(self, interest, (subscription, told), FollowStage::Live)
    }

    /// Finds the asks that are open for a caller at this moment.
    async fn find_open(&self, caller: &Caller) -> Result<Rest, Rejection> {
        let filter = AskFilter { states: StateFilter::Open, order: Order::LongestWaitingFirst, ..seen_asks(caller) };
        let look = move |index: &Index| index.rows_and_cursor(&filter, limits::SNAPSHOT_ASKS_MAX + 1);
        let (mut rows, cursor) = self.look_up(look).await?;
        let more = rows.len() > limits::SNAPSHOT_ASKS_MAX;
        rows.truncate(limits::SNAPSHOT_ASKS_MAX);
        Ok(Rest { cursor, rows: rows.into(), more })
    }

    /// Reads the next part of the snapshot, as much as one read of the journal returns.
    async fn read_part(&self, mut rest: Rest) -> Result<(Snapshot, Rest), Rejection> {
        let read = self.look_up(move |index| {
            let (mut asks, mut bytes) = (Vec::new(), 0);
            index.read(rest.rows.make_contiguous(), |known| {
                bytes += known.bytes;
                asks.push(known.view());
                if bytes < limits::READ_BYTES_MAX { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            // Rows that were forgotten since are skipped with the others.
            match asks.last().filter(|_| bytes >= limits::READ_BYTES_MAX) {
                Some(last) => while rest.rows.pop_front().is_some_and(|row| row.id != last.ask.id) {},
                None => rest.rows.clear(),
            }
            Ok((asks, rest))
        });
        let (asks, rest) = read.await?;
        let (cursor, goes_on) = (rest.cursor.to_string(), !rest.rows.is_empty());
        Ok((Snapshot { cursor, asks, more: rest.more, drafts: Vec::new(), goes_on }, rest))
    }
}

/// Reads what is open for a caller. Thousands may wait for their turn at once, so each step is boxed: a waiting future
/// holds no space for the later steps.
async fn look(handle: Handle, caller: Caller) -> Result<(Snapshot, Rest), Rejection> {
    let found = Box::pin(handle.find_open(&caller)).await?;
    let (mut snapshot, rest) = look_on(handle.clone(), found).await?;
    snapshot.drafts = Box::pin(handle.drafts_of(&caller)).await;
    Ok((snapshot, rest))
}

/// Reads the next part.
async fn look_on(handle: Handle, rest: Rest) -> Result<(Snapshot, Rest), Rejection> {
    let (mut snapshot, rest) = Box::pin(handle.read_part(rest)).await?;
    Box::pin(handle.with_votes(&mut snapshot.asks)).await?;
    handle.mark_hosts(&mut snapshot.asks);
    Ok((snapshot, rest))
}

impl Follower {
    fn new(handle: &Handle, interest: Interest, listening: (Subscription, Cursor), stage: FollowStage) -> Self {
        let (subscription, told) = listening;
        Self { handle: handle.clone(), interest, subscription, told, claims: NewestClaims::default(), stage }
    }

    /// Waits for the next item. An error ends the following.
    pub async fn next(&mut self) -> Result<FollowUpdate, Rejection> {
        loop {
            match &mut self.stage {
                FollowStage::Snapshot => {
                    self.stage = match &self.interest {
                        Interest::Inbox(caller) => {
                            FollowStage::Looking(Box::pin(look(self.handle.clone(), caller.clone())))
                        }
                        Interest::Session(_) => FollowStage::Live,
                    };
                }
                FollowStage::Looking(looking) => {
                    let looked = looking.await;
                    // Not before: if this future is dropped, the next call continues the same read.
                    self.stage = FollowStage::Live;
                    let (snapshot, rest) = looked?;
                    if snapshot.goes_on {
                        self.stage = FollowStage::Looking(Box::pin(look_on(self.handle.clone(), rest)));
                    } else {
                        self.told = rest.cursor;
                    }
                    return Ok(FollowUpdate::Snapshot(Box::new(snapshot)));
                }
                FollowStage::Missed(missed) => match missed.next().await {
                    Some(Ok(Followed::Entry(stored))) => {
                        // A follower that fell behind while still catching up may be ahead of the cursor where it was
                        // dropped.
                        if self.told.covers(stored.entry.session, stored.position) {
                            continue;
                        }
                        self.told.advance(&stored);
                        if self.wants(stored.entry.session) && self.claims.shows(&self.handle, &stored).await {
                            return Ok(FollowUpdate::Message(Arc::new(HubMessage::of(&stored, &self.told))));
                        }
                    }
                    Some(Ok(Followed::Gone(_))) => self.stage = FollowStage::Snapshot,
                    Some(Ok(Followed::Forgotten(_))) => {}
                    Some(Ok(Followed::CaughtUp)) | None => self.stage = FollowStage::Live,
                    Some(Err(error)) => return Err(down(error)),
                },
                FollowStage::Past(past) => {
                    if let Some(next) = past.read.front() {
                        if !past.is_caught_up && !past.began.covers(past.session, next.position) {
                            let seen = self.handle.seen(past.dialect, past.session).await;
                            past.is_caught_up = true;
                            return Ok(FollowUpdate::CaughtUp(seen));
                        }
                        let Some(stored) = past.read.pop_front() else { continue };
                        self.told.advance(&stored);
                        return Ok(FollowUpdate::Message(Arc::new(HubMessage::of(&stored, &self.told))));
                    }
                    let page = self.handle.store.read(past.session, None, past.after, limits::READ_BATCH_MAX).await;
                    let page = page.map_err(down)?;
                    match page.last() {
                        Some(last) => {
                            past.after = Some(last.position);
                            past.read = self.handle.shown(past.session, page).await?.into();
                        }
                        None if past.is_caught_up => self.stage = FollowStage::Live,
                        None => {
                            let seen = self.handle.seen(past.dialect, past.session).await;
                            self.stage = FollowStage::Live;
                            return Ok(FollowUpdate::CaughtUp(seen));
                        }
                    }
                }
                FollowStage::Live => match self.subscription.next().await {
                    None => match self.subscription.let_go() {
                        Some(let_go) => {
                            if let Some(heard) = self.read_on(let_go) {
                                return Ok(heard);
                            }
                        }
                        None => return Ok(FollowUpdate::Lagged),
                    },
                    Some(news) => {
                        if let Some(heard) = self.fresh(news) {
                            return Ok(heard);
                        }
                    }
                },
            }
        }
    }

    /// The queue of this follower overflowed. It reads the rest from the journal, as fast as its client takes it.
    fn read_on(&mut self, LetGo { news, told }: LetGo) -> Option<FollowUpdate> {
        self.handle.meters.lagged();
        warn!("A client does not keep up with what happens; what it has not heard is read from the journal");
        self.subscription = self.handle.hub.listen(&self.interest).0;
        self.stage = FollowStage::Missed(Box::pin(self.handle.store.follow(told)));
        self.fresh(news)
    }

    /// Returns the next item, if it is ready.
    pub(crate) fn next_if_ready(&mut self) -> Option<Result<FollowUpdate, Rejection>> {
        if !matches!(self.stage, FollowStage::Live) {
            return None;
        }
        loop {
            let news = self.subscription.next_if_ready()?;
            if let Some(heard) = self.fresh(news) {
                return Some(Ok(heard));
            }
        }
    }

    /// Skips an entry that was told before.
    fn fresh(&mut self, news: Arc<HubMessage>) -> Option<FollowUpdate> {
        if let HubMessage::Entry(batch) = &*news {
            if self.told.covers(batch.session, batch.position) {
                return None;
            }
            self.told.advance_to(batch.session, batch.position);
        }
        Some(FollowUpdate::Message(news))
    }

    /// Has this follower been told of the entry at `position`?
    pub(crate) fn has_told(&self, session: SessionId, position: Position) -> bool {
        self.told.covers(session, position)
    }

    /// Up to where this follower has been told about a session.
    pub(crate) fn told_in(&self, session: SessionId) -> Position {
        self.told.place_of(session)
    }

    /// Is the session one to tell? The hub has not filtered what comes from the journal.
    fn wants(&self, session: SessionId) -> bool {
        match &self.interest {
            Interest::Session(wanted) => *wanted == session,
            Interest::Inbox(caller) => {
                let access = self.handle.access(session);
                sees(caller, access.as_deref())
            }
        }
    }
}
