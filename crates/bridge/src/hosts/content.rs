//! Stores what an agent says and does: in order, and once, however often it is read.

use askbridge_core::event::{Event, Lane, Parcel};
use askbridge_core::ids::{AskId, CallId, EntryId, SessionId};
use askbridge_core::limits;
use askbridge_journal::journal::{AppendError, Journal};
use askbridge_peers::peer::Record;
use askbridge_peers::wish::Rejection;
use futures_util::future::poll_immediate;
use std::collections::HashSet;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::sleep;
use tracing::warn;

use super::endpoint::AgentProcess;
use crate::auth::ProcessId;
use crate::derived::derived;
use crate::runtime::{Handle, chain, down};

/// Delay before a failed store is retried.
const STORE_AGAIN: Duration = Duration::from_millis(500);

/// Calls, rulings on them and results that were stored in entries of decisions. They have no entry id of their own, so
/// they must be recognised when they are read again.
#[derive(Debug, Default)]
pub(super) struct StoredCalls {
    made: HashSet<CallId>,
    ruled: HashSet<CallId>,
    returned: HashSet<CallId>,
}

impl StoredCalls {
    pub(super) async fn of(handle: &Handle, session: SessionId) -> Result<Self, Rejection> {
        let (mut known, mut after) = (Self::default(), None);
        loop {
            let read = handle.store().read(session, Some(Lane::Decisions), after, limits::READ_BATCH_MAX).await;
            let page = read.map_err(down)?;
            let Some(last) = page.last() else { return Ok(known) };
            after = Some(last.position);
            for written in page.iter().flat_map(|stored| &stored.entry.events) {
                match &*written.event {
                    Event::ToolCalled { call, .. } => drop(known.made.insert(call.clone())),
                    Event::ToolRuled { call, .. } => drop(known.ruled.insert(call.clone())),
                    Event::ToolReturned { call, .. } => drop(known.returned.insert(call.clone())),
                    _ => {}
                }
            }
        }
    }

    fn has(&self, event: &Event) -> bool {
        match event {
            Event::ToolCalled { call, .. } => self.made.contains(call),
            Event::ToolRuled { call, .. } => self.ruled.contains(call),
            Event::ToolReturned { call, .. } => self.returned.contains(call),
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

impl AgentProcess {
    /// Stores the waiting results now. What is stored next waits for them.
    pub(super) fn store_what_returned(&mut self) {
        if self.returning.asks.is_empty() {
            return;
        }
        self.returning.asks.clear();
        let (handle, session, mut turn) = (self.pool.handle.clone(), self.session, self.order.join());
        self.records.push_back(Box::pin(async move {
            turn.come().await;
            // A failed flush is retried a moment later; nothing waits for that.
            drop(handle.flush(session).await);
        }));
    }

    /// Stores a piece of content under an id that is the same whenever it is read.
    pub(super) fn store(&mut self, record: Record, place: usize) {
        if self.known.has(&record.event) {
            return;
        }
        self.store_what_returned();
        let mut turn = self.order.join();
        let id = entry_id(&record, self.process, self.spool.offset(), place);
        let (handle, epoch, session) = (self.pool.handle.clone(), self.epoch, record.session);
        self.records.push_back(Box::pin(async move {
            turn.come().await;
            let mut turn = Some(turn);
            loop {
                let mut storing = pin!(handle.record(session, Some(id), epoch, record.event.clone()));
                // After the first poll it is in the journal's queue, and the next may follow.
                let begun = poll_immediate(storing.as_mut()).await;
                drop(turn.take());
                let stored = match begun {
                    Some(stored) => stored,
                    None => storing.await,
                };
                match stored {
                    Ok(()) => return,
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
