//! Hides what a host said after another node had claimed its session: it was thought dead, and did not know yet.
//!
//! Decisions of such a host are refused when they are appended. Content is appended without a guard, so it is left out
//! by those who read it. Where one node has the journal for itself, nothing is looked at.

use std::sync::Arc;

use askbridge_core::event::{Event, Lane};
use askbridge_core::ids::{Epoch, Position, SessionId};
use askbridge_core::limits;
use askbridge_journal::journal::Journal;
use askbridge_journal::{Entry, Stored};
use askbridge_peers::wish::Rejection;
use foldhash::HashMap;

use super::cache::CellState;
use super::handle::Handle;

impl CellState {
    /// Was an epoch later than this one claimed before `position`?
    fn is_over_at(&self, epoch: Epoch, position: Position) -> bool {
        self.claims.iter().any(|(at, claimed)| *at < position && *claimed > epoch)
    }

    /// Returns the newest epoch that was claimed before `position`.
    fn claimed_before(&self, position: Position) -> Epoch {
        let before = self.claims.iter().filter(|(at, _)| *at < position);
        before.map(|(_, epoch)| *epoch).max().unwrap_or_default()
    }
}

impl Handle {
    /// Remembers where epochs were claimed.
    pub(super) fn note_claims(&self, state: &mut CellState, position: Position, entry: &Entry) {
        if !self.store.exclusive() {
            state.claims.extend(claims_in(entry).map(|epoch| (position, epoch)));
        }
    }

    /// Returns what is to be shown of a part of a session.
    pub(crate) async fn shown(
        &self,
        session: SessionId,
        read: Vec<Arc<Stored>>,
    ) -> Result<Vec<Arc<Stored>>, Rejection> {
        if self.store.exclusive() || !read.iter().any(|stored| is_a_hosts(&stored.entry)) {
            return Ok(read);
        }
        self.look_at_stored(session, |state| {
            let is_over =
                |stored: &Stored| is_a_hosts(&stored.entry) && state.is_over_at(stored.entry.epoch, stored.position);
            read.into_iter().filter(|stored| !is_over(stored)).collect()
        })
        .await
    }
}

/// What a follower of the journal knows of claims. It reads all entries in order, so it looks a session up only once.
#[derive(Debug, Default)]
pub(super) struct NewestClaims(HashMap<SessionId, Epoch>);

impl NewestClaims {
    /// Is this entry to be shown? A session that cannot be looked up is shown.
    pub(super) async fn shows(&mut self, handle: &Handle, stored: &Stored) -> bool {
        if handle.store.exclusive() {
            return true;
        }
        let entry = &stored.entry;
        if let Some(claimed) = claims_in(entry).max() {
            self.remember(entry.session, claimed);
        }
        if !is_a_hosts(entry) {
            return true;
        }
        if let Some(newest) = self.0.get(&entry.session) {
            return entry.epoch >= *newest;
        }
        // Without waiting for a decision that is being stored: all other sessions would wait too.
        let looked = Box::pin(handle.look_at_stored(entry.session, |state| state.claimed_before(stored.position)));
        let Ok(newest) = looked.await else { return true };
        self.remember(entry.session, newest);
        entry.epoch >= newest
    }

    fn remember(&mut self, session: SessionId, epoch: Epoch) {
        // What is dropped is looked up again.
        if self.0.len() >= limits::CACHED_SESSIONS_MAX {
            self.0.clear();
        }
        self.0.insert(session, epoch);
    }
}

/// Is this what an agent said that a node runs? Other content belongs to no epoch.
fn is_a_hosts(entry: &Entry) -> bool {
    entry.lane == Lane::Content && entry.epoch > Epoch(0)
}

fn claims_in(entry: &Entry) -> impl Iterator<Item = Epoch> {
    entry.events.iter().filter_map(|written| match &*written.event {
        Event::Hosted { epoch, .. } => Some(*epoch),
        _ => None,
    })
}
