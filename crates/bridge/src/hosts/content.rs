//! Stores what an agent says and does: in order, once however often it is read, and together where it came together.
//!
//! What one burst of lines holds is gathered and stored as one entry: with a decision that the agent's wish leads to,
//! with the results that wait to be stored, or else as content alone. The spool keeps every line until then.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::event::{Event, Lane, Parcel, Process as ProcessName};
use askbridge_core::ids::{AskId, CallId, EntryId, Epoch, Position, SessionId};
use askbridge_core::limits;
use askbridge_journal::Written;
use askbridge_journal::journal::{AppendError, Journal};
use askbridge_peers::peer::Record;
use askbridge_peers::wish::Rejection;
use futures_util::future::poll_immediate;
use tokio::sync::oneshot;
use tokio::time::sleep;
use tracing::warn;

use super::endpoint::AgentProcess;
use crate::auth::ProcessId;
use crate::derived::derived;
use crate::runtime::{Handle, Rider, chain, down};

/// Delay before a failed store is retried.
const STORE_AGAIN: Duration = Duration::from_millis(500);

/// What an earlier askbridge stored together with other things. Such pieces have no entry id of their own, so they must
/// be recognised when they are read again.
#[derive(Debug, Default)]
pub(super) struct StoredPieces {
    made: HashSet<CallId>,
    ruled: HashSet<CallId>,
    returned: HashSet<CallId>,
    /// Blocks of text of this process.
    blocks: HashSet<u32>,
    /// The ends of turns, as they are stored: each says what its turn took, which tells them apart.
    turns_ended: Vec<Arc<str>>,
}

impl StoredPieces {
    /// Reads what is stored of a session. What this process said is looked for after `rest`, where its output is read
    /// from again.
    pub(super) async fn of(
        handle: &Handle,
        session: SessionId,
        process: ProcessId,
        rest: Option<Position>,
    ) -> Result<Self, Rejection> {
        let (mut known, mut after) = (Self::default(), None);
        let ours = ProcessName { pid: process.pid, started: process.started };
        let mut began = None;
        loop {
            let read = handle.store().read(session, Some(Lane::Decisions), after, limits::READ_BATCH_MAX).await;
            let page = read.map_err(down)?;
            let Some(last) = page.last() else { break };
            after = Some(last.position);
            for stored in &page {
                for written in &stored.entry.events {
                    match &*written.event {
                        Event::ToolCalled { call, .. } => drop(known.made.insert(call.clone())),
                        Event::ToolRuled { call, .. } => drop(known.ruled.insert(call.clone())),
                        Event::ToolReturned { call, .. } => drop(known.returned.insert(call.clone())),
                        Event::Hosted { process: Some(process), .. } if *process == ours => {
                            began = began.or(Some(stored.position));
                        }
                        _ => {}
                    }
                }
            }
        }
        // Without its claim, none of its output was stored.
        if let Some(from) = rest.max(began) {
            known.read_own(handle, session, from).await?;
        }
        Ok(known)
    }

    /// Reads what the process said after a position.
    async fn read_own(&mut self, handle: &Handle, session: SessionId, from: Position) -> Result<(), Rejection> {
        let mut after = Some(from);
        loop {
            let read = handle.store().read(session, None, after, limits::READ_BATCH_MAX).await;
            let page = read.map_err(down)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.position);
            for written in page.iter().flat_map(|stored| &stored.entry.events) {
                match &*written.event {
                    Event::Text { block, .. } | Event::Thinking { block, .. } => drop(self.blocks.insert(*block)),
                    Event::ToolCalled { call, .. } => drop(self.made.insert(call.clone())),
                    Event::ToolRuled { call, .. } => drop(self.ruled.insert(call.clone())),
                    Event::ToolReturned { call, .. } => drop(self.returned.insert(call.clone())),
                    Event::TurnEnded { .. } => self.turns_ended.push(Arc::clone(&written.json)),
                    _ => {}
                }
            }
        }
    }

    /// Is this piece stored, or on its way? From now on it is.
    fn has(&mut self, piece: &Written) -> bool {
        match &*piece.event {
            Event::Text { block, .. } | Event::Thinking { block, .. } => self.blocks.contains(block),
            Event::ToolCalled { call, .. } => !self.made.insert(call.clone()),
            Event::ToolRuled { call, .. } => !self.ruled.insert(call.clone()),
            Event::ToolReturned { call, .. } => !self.returned.insert(call.clone()),
            Event::TurnEnded { .. } => {
                let known = self.turns_ended.iter().position(|json| *json == piece.json);
                known.map(|place| self.turns_ended.swap_remove(place)).is_some()
            }
            _ => false,
        }
    }
}

/// Asks whose results wait to be stored with the proof of delivery. Later content is stored after them.
#[derive(Default)]
pub(super) struct Returning {
    asks: Vec<AskId>,
}

impl Returning {
    pub(super) fn add(&mut self, ask: AskId) {
        self.asks.push(ask);
    }

    /// Removes an ask whose delivery is now in the journal.
    pub(super) fn hear(&mut self, event: &Event) {
        if let Event::Delivered { parcel: Parcel::Verdict(ask), .. } = event {
            self.asks.retain(|waiting| waiting != ask);
        }
    }
}

/// Stores run concurrently, but start in the order in which they were read: each waits for the turn of the one before.
#[derive(Default)]
pub(super) struct Order {
    last: Option<oneshot::Receiver<()>>,
}

/// A place in the order. Dropping it starts the next one.
struct Turn {
    before: Option<oneshot::Receiver<()>>,
    _next: oneshot::Sender<()>,
}

impl Order {
    fn join(&mut self) -> Turn {
        let (next, after) = oneshot::channel();
        Turn { before: self.last.replace(after), _next: next }
    }
}

impl Turn {
    async fn come(&mut self) {
        if let Some(before) = self.before.take() {
            // Nothing is ever sent: dropping the sender is the signal.
            let _ = before.await;
        }
    }
}

/// Content that was read and is not on its way to the journal yet.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pieces: Vec<Written>,
    bytes: usize,
    /// Made of the ids of all pieces: an entry with one of them is not taken for all of them.
    id: Option<EntryId>,
    /// A result waits to be stored, and what the agent said after it is already on screens.
    is_due: bool,
}

impl Gathered {
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    fn is_full(&self) -> bool {
        self.pieces.len() >= limits::BURST_PIECES_MAX || self.bytes >= limits::ALONG_BYTES_MAX
    }
}

impl AgentProcess {
    /// The results that wait are stored at the end of this burst. What is stored next waits for them.
    pub(super) fn store_what_returned(&mut self) {
        self.gathered.is_due |= !self.returning.asks.is_empty();
    }

    /// Gathers a piece of content, to be stored under an id that is the same whenever it is read.
    pub(super) fn store(&mut self, record: Record, place: usize) {
        let id = entry_id(&record, self.process, self.spool.offset(), place);
        let is_notice = matches!(record.event, Event::Notice { .. });
        let written = Written::new(record.event);
        if self.known.has(&written) {
            return;
        }
        // A notice is recognised by its entry's id alone. A large piece gains nothing from company.
        let stands_alone = is_notice || written.json.len() > limits::ALONG_BYTES_MAX;
        if stands_alone {
            // Results that wait were read before it.
            self.store_what_returned();
        }
        if stands_alone || self.gathered.is_full() {
            self.end_burst();
        }
        if stands_alone {
            return self.append(id, vec![written]);
        }
        self.gathered.bytes += written.json.len();
        self.gathered.id = Some(match self.gathered.id {
            None => id,
            Some(before) => EntryId(derived(&[&before.0.to_be_bytes(), &id.0.to_be_bytes()])),
        });
        self.gathered.pieces.push(written);
    }

    /// Stores what was gathered. Called when all that was ready has been read.
    pub(super) fn end_burst(&mut self) {
        let Gathered { pieces, id, is_due, .. } = std::mem::take(&mut self.gathered);
        match id {
            _ if is_due || (!pieces.is_empty() && !self.returning.asks.is_empty()) => self.write_with_results(pieces),
            Some(id) => self.append(id, pieces),
            None => {}
        }
    }

    /// Stores the results that wait, and these pieces after them.
    fn write_with_results(&mut self, pieces: Vec<Written>) {
        self.returning.asks.clear();
        let (handle, session, mut turn) = (self.pool.handle.clone(), self.session, self.order.join());
        let epoch = self.epoch;
        self.records.push_back(Box::pin(async move {
            turn.come().await;
            handle.ride(session, pieces.into_iter().map(|piece| Rider::Content(epoch, piece)));
            // A failed flush is retried a moment later; nothing waits for that.
            drop(handle.flush(session).await);
        }));
    }

    /// Takes what was gathered, for a wish: it is stored with the decision that the wish leads to.
    pub(super) fn take_along(&mut self) -> Along {
        let Gathered { pieces, .. } = std::mem::take(&mut self.gathered);
        self.returning.asks.clear();
        let (handle, turn) = (self.pool.handle.clone(), self.order.join());
        Along { handle, session: self.session, epoch: self.epoch, pieces, turn }
    }

    fn append(&mut self, id: EntryId, pieces: Vec<Written>) {
        let (handle, epoch, session) = (self.pool.handle.clone(), self.epoch, self.session);
        let mut turn = self.order.join();
        self.records.push_back(Box::pin(async move {
            turn.come().await;
            let mut turn = Some(turn);
            loop {
                let mut storing = pin!(handle.record_all(session, id, epoch, pieces.clone()));
                // After the first poll it is in the journal's queue, and the next may follow.
                let begun = poll_immediate(storing.as_mut()).await;
                drop(turn.take());
                let stored = match begun {
                    Some(stored) => stored,
                    None => storing.await,
                };
                match stored {
                    Ok(_) => return,
                    Err(AppendError::Unknown | AppendError::Down(_) | AppendError::Conflict) => {
                        sleep(STORE_AGAIN).await;
                    }
                    Err(error) => {
                        warn!(session.id = %session, error = chain(&error), "Could not store what an agent said");
                        return;
                    }
                }
            }
        }));
    }
}

/// Content on its way to the decision that it came before, and the decision's turn among all that is stored.
pub(super) struct Along {
    handle: Handle,
    session: SessionId,
    epoch: Epoch,
    pieces: Vec<Written>,
    turn: Turn,
}

impl Along {
    /// Carries out `decide` after noting the content, so that its entry takes the content along.
    pub(super) async fn with<T>(self, decide: impl Future<Output = T>) -> T {
        let Self { handle, session, epoch, pieces, mut turn } = self;
        turn.come().await;
        if pieces.is_empty() {
            let mut decide = pin!(decide);
            // After the first poll it waits for the session, and the next may follow.
            let begun = poll_immediate(decide.as_mut()).await;
            drop(turn);
            return match begun {
                Some(decided) => decided,
                None => decide.await,
            };
        }
        handle.ride(session, pieces.into_iter().map(|piece| Rider::Content(epoch, piece)));
        let decided = decide.await;
        // Nothing is left to write, unless the wish was refused. A failed flush is retried a moment later.
        drop(handle.flush(session).await);
        decided
    }
}

/// The same piece gets the same id whenever it is read.
fn entry_id(record: &Record, process: ProcessId, offset: u64, place: usize) -> EntryId {
    let session = record.session.0.to_be_bytes();
    let (pid, started) = (process.pid.to_be_bytes(), process.started.to_be_bytes());
    let id = match record.name.as_str() {
        "" => derived(&[&session, &pid, &started, &offset.to_be_bytes(), &place.to_be_bytes()]),
        name => derived(&[&session, name.as_bytes()]),
    };
    // Existing entries have ids in this byte order.
    EntryId(id.swap_bytes())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::future::BoxFuture;
    use futures_util::stream::{FuturesOrdered, StreamExt};
    use parking_lot::Mutex;

    use super::*;

    #[test]
    fn what_is_stored_is_recognised_once_and_by_what_it_says() {
        let ended = |cost: u32| {
            let usage = Some(format!("{{\"total_cost_usd\":{cost}}}").as_str().into());
            Written::new(Event::TurnEnded { reason: "completed".to_owned(), usage })
        };
        let mut known = StoredPieces { turns_ended: vec![ended(1).json, ended(2).json], ..StoredPieces::default() };
        assert!(!known.has(&ended(3)), "a turn that ended after the last that is stored");
        assert!(known.has(&ended(2)) && known.has(&ended(1)), "in either order");
        assert!(!known.has(&ended(1)), "the next turn may have taken as much");
        let returned = |call: &str| {
            Written::new(Event::ToolReturned { call: CallId::from(call), ok: true, output: String::new() })
        };
        assert!(!known.has(&returned("a")) && known.has(&returned("a")), "it is on its way since the first time");
        assert!(!known.has(&returned("b")));
    }

    #[tokio::test]
    async fn what_was_never_looked_at_does_not_go_ahead_of_what_was_just_woken() {
        let (mut order, begun) = (Order::default(), Arc::new(Mutex::new(Vec::new())));
        let (flushed, flush) = oneshot::channel::<()>();
        let mut storing: FuturesOrdered<BoxFuture<'static, ()>> = FuturesOrdered::new();
        let mut first = order.join();
        storing.push_back(Box::pin(async move {
            first.come().await;
            let _ = flush.await;
        }));
        let mut store = |number: u32| -> BoxFuture<'static, ()> {
            let (begun, mut turn) = (Arc::clone(&begun), order.join());
            Box::pin(async move {
                turn.come().await;
                begun.lock().push(number);
            })
        };
        // The first two wait; the third was not polled yet when they may go on.
        storing.push_back(store(1));
        storing.push_back(store(2));
        assert!(poll_immediate(storing.next()).await.is_none());
        assert!(begun.lock().is_empty(), "they wait");
        storing.push_back(store(3));
        drop(flushed);
        while storing.next().await.is_some() {}
        assert_eq!(*begun.lock(), [1, 2, 3]);
    }
}
