//! Follows the journal, from memory if possible, else from disk, without gap or repeat.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::{Stream, stream};

use super::db::Db;
use super::recent::Recent;
use super::rows::read_between;
use crate::cursor::Cursor;
use crate::entry::Stored;
use crate::journal::{FollowError, Followed, ReadError};

/// Entries that are fetched at once.
const BATCH: usize = 64;

struct Follower {
    db: Db,
    recent: Arc<Recent>,
    /// Everything up to here has been sent or is in `fetched`.
    at: u64,
    fetched: VecDeque<Arc<Stored>>,
    /// Sent before everything else.
    gone: Option<Cursor>,
    /// The journal's last position when following began, until it is reached.
    goal: Option<u64>,
    failed: bool,
}

pub(crate) fn follow(
    db: Db,
    recent: Arc<Recent>,
    after: Cursor,
    now: Cursor,
) -> impl Stream<Item = Result<Followed, FollowError>> + Send + 'static {
    let goal = now.places()[0];
    let known = after.is_known_to(&now);
    let follower = Follower {
        db,
        recent,
        at: if known { after.places()[0] } else { goal },
        fetched: VecDeque::new(),
        gone: (!known).then_some(now),
        goal: Some(goal),
        failed: false,
    };
    stream::unfold(follower, |mut follower| async move { Some((follower.next().await?, follower)) })
}

impl Follower {
    async fn next(&mut self) -> Option<Result<Followed, FollowError>> {
        if self.failed {
            return None;
        }
        if let Some(now) = self.gone.take() {
            return Some(Ok(Followed::Gone(now)));
        }
        loop {
            if let Some(stored) = self.fetched.pop_front() {
                return Some(Ok(Followed::Entry(stored)));
            }
            if self.goal.take_if(|goal| self.at >= *goal).is_some() {
                return Some(Ok(Followed::CaughtUp));
            }
            let end = self.recent.end();
            if self.at < end.newest {
                if let Err(error) = self.fetch(end.newest).await {
                    self.failed = true;
                    return Some(Err(error));
                }
            } else if end.open {
                self.recent.changed(end).await;
            } else {
                return None;
            }
        }
    }

    async fn fetch(&mut self, newest: u64) -> Result<(), FollowError> {
        if let Some(batch) = self.recent.after(self.at, BATCH) {
            self.at = batch.up_to;
            self.fetched.extend(batch.entries);
            self.recent.make_room();
            return Ok(());
        }
        let at = self.at;
        let read = self.db.run(move |conn| read_between(conn, at, newest, BATCH)).await;
        let stretch = read.map_err(ReadError::Down)??;
        self.at = stretch.up_to;
        self.fetched.extend(stretch.entries);
        Ok(())
    }
}
