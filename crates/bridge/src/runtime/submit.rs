//! decide → append → evolve → tell → reply: only durable events are announced.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use askbridge_core::event::{Event, Lane};
use askbridge_core::ids::{EntryId, Epoch, Position, SessionId};
use askbridge_core::intent::Intent;
use askbridge_core::refusal::Refusal;
use askbridge_core::{Session, evolve, limits};
use askbridge_journal::journal::{AppendError, Guard, Journal};
use askbridge_journal::{Digest, Entry, Written};
use askbridge_peers::wish::Rejection;

use super::cache::{Cell, CellState, InDoubt, Rider, Riders};
use super::error::{down, from_append};
use super::handle::Handle;

/// How often a decision is retried because another node decided first.
const TRIES_MAX: usize = 16;
/// How often an append with an unknown result is retried, with the same id.
const UNKNOWN_MAX: usize = 8;
/// Bytes of riders in one entry. Beyond: the rest waits for the next.
const RIDERS_BYTES_MAX: usize = limits::ENTRY_BYTES_MAX / 4;

/// A durable decision.
#[derive(Debug)]
pub struct Done {
    pub session: SessionId,
    /// Empty: nothing had to change.
    pub events: Vec<Written>,
    /// Where it was recorded.
    pub position: Option<Position>,
}

/// May the same intents be decided again, because another node decided first?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    Never,
    Perhaps,
}

impl Handle {
    /// Decides about `intents` in one session, all or none. Returns once the decision is durable.
    pub async fn submit(&self, session: SessionId, intents: Vec<Intent>) -> Result<Done, Rejection> {
        let mut intents = Some(intents);
        let make = |_: &Session, again: Again| match again {
            Again::Never => intents.take(),
            Again::Perhaps => intents.clone(),
        };
        let done = self.submit_made(session, make, |_| {}).await?;
        done.ok_or_else(|| Rejection::Down("there was nothing to decide about".to_owned()))
    }

    /// The same with intents that are made from the session's state while it is locked. `None`: `make` made none.
    ///
    /// `decided` is called with the events before they are appended, so that a wait that it begins misses nothing.
    pub(crate) async fn submit_made(
        &self,
        session: SessionId,
        mut make: impl FnMut(&Session, Again) -> Option<Vec<Intent>>,
        mut decided: impl FnMut(&[Written]),
    ) -> Result<Option<Done>, Rejection> {
        let cell = self.cache.cell(session);
        let mut state = cell.lock().await;
        let mut tries = 0;
        // No other node writes to an exclusive store. But if the state is untrusted, an abandoned append may still be
        // on its way into the journal, and then everything is decided again.
        let for_sure = self.store.exclusive() && state.trusted && state.in_doubt.is_none();
        let again = if for_sure { Again::Never } else { Again::Perhaps };
        loop {
            self.make_ready(&cell, &mut state).await?;
            let Some(intents) = make(&state.session, again) else { return Ok(None) };
            let mut riders = cell.take_riders();
            if self.may_lag(&state, &riders) {
                Box::pin(self.catch_up(&mut state)).await?;
            }
            let noted = match self.board_all(&mut state, &mut riders).await {
                Ok(noted) => noted,
                Err(AppendError::Conflict) if tries < TRIES_MAX && !for_sure => {
                    tries += 1;
                    continue;
                }
                Err(error) => return Err(from_append(&error)),
            };
            let events = match self.decide_all(&mut state, intents) {
                Ok(events) => events,
                Err(refusal) => {
                    // A decision of another node may not have arrived here: refuse only after catching up.
                    if !self.store.exclusive() && tries == 0 && Box::pin(self.catch_up(&mut state)).await? {
                        tries += 1;
                        continue;
                    }
                    return Err(Rejection::Refused(refusal));
                }
            };
            let events: Vec<_> = events.into_iter().map(Written::new).collect();
            decided(&events);
            match self.append_both(&mut state, noted, &mut riders, events.clone()).await {
                Ok(()) => {
                    self.cache.weigh(&cell, &state.session);
                    let position = state.head.filter(|_| !events.is_empty());
                    return Ok(Some(Done { session, events, position }));
                }
                Err(AppendError::Conflict) if tries < TRIES_MAX && !for_sure => tries += 1,
                Err(error) => return Err(from_append(&error)),
            }
        }
    }

    /// Writes the session's riders on their own, if no decision has taken them along.
    pub(crate) async fn flush(&self, session: SessionId) -> Result<(), Rejection> {
        let cell = self.cache.cell(session);
        if cell.has_no_riders() {
            return Ok(());
        }
        let mut state = cell.lock().await;
        for _ in 0..TRIES_MAX {
            self.make_ready(&cell, &mut state).await?;
            let mut riders = cell.take_riders();
            if riders.waiting.is_empty() {
                return Ok(());
            }
            if self.may_lag(&state, &riders) {
                Box::pin(self.catch_up(&mut state)).await?;
            }
            let noted = self.board(&mut state, &mut riders);
            match self.append_both(&mut state, noted, &mut riders, Vec::new()).await {
                Ok(()) | Err(AppendError::Conflict) => self.cache.weigh(&cell, &state.session),
                Err(error) => return Err(from_append(&error)),
            }
        }
        Ok(())
    }

    /// Reads a session as it is now.
    pub(crate) async fn look<T>(&self, session: SessionId, look: impl FnOnce(&CellState) -> T) -> Result<T, Rejection> {
        let cell = self.cache.cell(session);
        let mut state = cell.lock().await;
        self.freshen(&cell, &mut state).await?;
        Ok(look(&state))
    }

    /// Reads a session as the journal has it, without waiting for a decision that is being stored.
    ///
    /// For snapshots and lists. An append with an unknown result holds its session for most of a minute, and the asks
    /// of all other sessions would wait with it.
    pub(crate) async fn look_at_stored<T>(
        &self,
        session: SessionId,
        look: impl FnOnce(&CellState) -> T,
    ) -> Result<T, Rejection> {
        let cell = self.cache.cell(session);
        if let Some(mut state) = cell.lock_if_free() {
            self.freshen(&cell, &mut state).await?;
            return Ok(look(&state));
        }
        let mut stored = CellState::unread(session);
        Box::pin(self.catch_up(&mut stored)).await?;
        Ok(look(&stored))
    }

    /// Brings a locked session up to date with the journal.
    async fn freshen(&self, cell: &Cell, state: &mut CellState) -> Result<(), Rejection> {
        let was_folded = !state.trusted;
        self.trust(state).await?;
        if was_folded {
            self.cache.weigh(cell, &state.session);
        }
        if !self.store.exclusive() {
            Box::pin(self.catch_up(state)).await?;
        }
        Ok(())
    }

    /// Decides about each intent in turn, evolving as it goes. After a refusal half-way the state is not trusted.
    fn decide_all(&self, state: &mut CellState, intents: Vec<Intent>) -> Result<Vec<Event>, Refusal> {
        let at = self.clock.now();
        let mut all = Vec::new();
        for intent in intents {
            let events = (self.decide)(&state.session, intent, at)?;
            for event in &events {
                state.trusted = false;
                if let Some(traces) = self.traces() {
                    traces.before(&state.session, event);
                }
                evolve(&mut state.session, event);
            }
            if all.is_empty() {
                all = events;
            } else {
                all.extend(events);
            }
        }
        Ok(all)
    }

    /// Would a note be refused, perhaps because what another node has decided was not read yet? A note is dropped when it is
    /// refused, so the session is caught up first.
    fn may_lag(&self, state: &CellState, riders: &Riders<'_>) -> bool {
        let at = self.clock.now();
        !self.store.exclusive()
            && riders.waiting.iter().any(|rider| match rider {
                Rider::Note(intent) => (self.decide)(&state.session, intent.clone(), at).is_err(),
                Rider::Content(..) => false,
            })
    }

    /// Decides about all riders. Those that do not fit into the next decision's entry are written before it, in entries
    /// of their own: they happened before it.
    async fn board_all(&self, state: &mut CellState, riders: &mut Riders<'_>) -> Result<Vec<Written>, AppendError> {
        loop {
            let noted = self.board(state, riders);
            if riders.aboard == riders.waiting.len() {
                return Ok(noted);
            }
            // Boxed, because it is rare and large.
            Box::pin(self.append(state, noted, riders)).await?;
        }
    }

    /// Decides about the riders, as many as one entry holds: the first `aboard` of them.
    ///
    /// They happened before the next decision, so they come before it.
    fn board(&self, state: &mut CellState, riders: &mut Riders<'_>) -> Vec<Written> {
        let (at, mut noted, mut bytes) = (self.clock.now(), Vec::new(), 0);
        for rider in &riders.waiting {
            let written = match rider {
                // A note that is refused is dropped: it only ever notes what has happened already.
                Rider::Note(intent) => {
                    let events = (self.decide)(&state.session, intent.clone(), at).unwrap_or_default();
                    events.into_iter().map(Written::new).collect()
                }
                // What an agent says that another node has displaced is not shown anyway.
                Rider::Content(epoch, _) if state.session.is_over_for(*epoch) => Vec::new(),
                Rider::Content(_, written) => vec![written.clone()],
            };
            bytes += written.iter().map(|written| written.json.len()).sum::<usize>();
            let is_full = noted.len() + written.len() > limits::ENTRY_EVENTS_MAX || bytes > RIDERS_BYTES_MAX;
            if is_full && !noted.is_empty() {
                break;
            }
            riders.aboard += 1;
            for written in written {
                state.trusted = false;
                evolve(&mut state.session, &written.event);
                noted.push(written);
            }
        }
        noted
    }

    /// Appends the riders' events and the decision: as one entry, or as two if one would be too large.
    async fn append_both(
        &self,
        state: &mut CellState,
        mut noted: Vec<Written>,
        riders: &mut Riders<'_>,
        events: Vec<Written>,
    ) -> Result<(), AppendError> {
        let bytes = |events: &[Written]| events.iter().map(|written| written.json.len()).sum::<usize>();
        let fit = noted.len() + events.len() <= limits::ENTRY_EVENTS_MAX
            && bytes(&noted) + bytes(&events) <= limits::ENTRY_BYTES_MAX;
        if fit {
            noted.extend(events);
            return self.append(state, noted, riders).await;
        }
        self.append(state, noted, riders).await?;
        self.append(state, events, riders).await
    }

    /// Appends the events as one entry: of decisions, or of content if there is no decision among them. The riders aboard
    /// are in it.
    ///
    /// The state stays untrusted until the entry is known to be durable: after an abandoned append, the next task folds
    /// the session again.
    async fn append(
        &self,
        state: &mut CellState,
        events: Vec<Written>,
        riders: &mut Riders<'_>,
    ) -> Result<(), AppendError> {
        state.trusted = false;
        if !events.is_empty() {
            let (id, session, at, node) = (self.next_entry(), state.session.id, self.clock.now(), self.node);
            let epoch = state.session.host.map_or(Epoch(0), |host| host.epoch);
            let (lane, prev, guard) = match events.iter().all(|written| written.event.lane() == Lane::Content) {
                true => (Lane::Content, Digest::ZERO, Guard::Unguarded),
                false => (Lane::Decisions, state.digest, Guard::Head(state.head)),
            };
            let entry = Arc::new(Entry { id, session, lane, at, node, epoch, prev, events });
            if riders.bring_content() {
                state.in_doubt = Some(InDoubt { entry: Arc::clone(&entry), guard, riders: riders.aboard });
            }
            let position = self.append_surely(&entry, guard).await?;
            state.in_doubt = None;
            if lane == Lane::Decisions {
                self.take_note(state, &entry, position);
            }
        }
        riders.arrive();
        state.trusted = true;
        Ok(())
    }

    /// Appends an entry. A decision is tried again while its result is unknown.
    async fn append_surely(&self, entry: &Arc<Entry>, guard: Guard) -> Result<Position, AppendError> {
        let mut unknown = 0;
        loop {
            match self.store.append(Arc::clone(entry), guard).await {
                Err(AppendError::Unknown) if unknown < UNKNOWN_MAX && guard != Guard::Unguarded => {
                    unknown += 1;
                    tokio::time::sleep(Duration::from_millis(100 << unknown)).await;
                }
                appended => return appended,
            }
        }
    }

    /// Takes note of decisions that were stored.
    fn take_note(&self, state: &mut CellState, entry: &Entry, position: Position) {
        state.head = Some(position);
        state.digest = entry.digest();
        state.last_at = entry.at;
        self.note_claims(state, position, entry);
        self.meters.rounds(&state.session, &entry.events);
        self.open_bytes.hear(&entry.events);
        self.rules.history.hear(&state.session, &entry.events);
        if let Some(traces) = self.traces() {
            traces.after(&state.session, &entry.events);
        }
    }

    /// Finds out what became of an append that is in doubt, and folds the session again unless its state is trusted.
    async fn make_ready(&self, cell: &Cell, state: &mut CellState) -> Result<(), Rejection> {
        if state.in_doubt.is_some() {
            // Boxed, because it is rare and large.
            Box::pin(self.settle_doubt(cell, state)).await?;
        }
        self.trust(state).await
    }

    /// Appends an entry again whose result is unknown: the same one, so it is stored once, and the riders in it with it.
    async fn settle_doubt(&self, cell: &Cell, state: &mut CellState) -> Result<(), Rejection> {
        let Some(InDoubt { entry, guard, riders }) = &state.in_doubt else { return Ok(()) };
        state.trusted = false;
        match self.append_surely(entry, *guard).await {
            Ok(_) => drop(cell.riding.lock().waiting.drain(..*riders)),
            Err(error @ (AppendError::Unknown | AppendError::Down(_))) => return Err(from_append(&error)),
            // It is not stored, and never will be: another decision came first, or it is refused.
            Err(_) => {}
        }
        state.in_doubt = None;
        Ok(())
    }

    /// Makes an entry's id of the node's run id and a number: random bytes would cost a system call each time.
    pub(super) fn next_entry(&self) -> EntryId {
        let number = self.entries_made.fetch_add(1, Ordering::Relaxed);
        EntryId(u128::from(self.node.0) << 64 | u128::from(number))
    }

    /// Folds the session again, unless the state in memory is trusted.
    pub(super) async fn trust(&self, state: &mut CellState) -> Result<(), Rejection> {
        if state.trusted {
            return Ok(());
        }
        state.session = Session::new(state.session.id);
        state.head = None;
        state.digest = Digest::ZERO;
        state.claims.clear();
        // Boxed, because it is rarely needed and large.
        Box::pin(self.catch_up(state)).await?;
        state.trusted = true;
        Ok(())
    }

    /// Folds the entries after the head. Returns whether there were any.
    pub(super) async fn catch_up(&self, state: &mut CellState) -> Result<bool, Rejection> {
        let mut news = false;
        loop {
            let id = state.session.id;
            let read = self.store.read(id, Some(Lane::Decisions), state.head, limits::READ_BATCH_MAX).await;
            let batch = read.map_err(down)?;
            let Some(last) = batch.last() else { return Ok(news) };
            for stored in &batch {
                stored.entry.events.iter().for_each(|written| evolve(&mut state.session, &written.event));
                self.note_claims(state, stored.position, &stored.entry);
            }
            state.head = Some(last.position);
            state.digest = last.entry.digest();
            state.last_at = last.entry.at;
            news = true;
        }
    }
}
