//! Storing what an agent says and does: once, however often it is heard, and in order.

use askbridge_core::event::{Event, Lane, Level, Parcel};
use askbridge_core::ids::{AskId, CallId, EntryId, SessionId};
use askbridge_core::limits;
use askbridge_journal::journal::{AppendError, Journal};
use askbridge_peers::peer::Record;
use askbridge_peers::wish::Rejection;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::time::Duration;
use tokio::time::sleep;
use tracing::warn;

use super::host::Host;
use crate::auth::ProcessId;
use crate::runtime::{Handle, chain, from_read};

/// How long to wait before storing something again that could not be stored.
const STORE_AGAIN: Duration = Duration::from_millis(500);

/// Calls and results that stand in the journal together with decisions. Such have no names there, so whoever hears them again
/// has to know them.
#[derive(Debug, Default)]
pub(super) struct Known {
    made: HashSet<CallId>,
    returned: HashSet<CallId>,
}

impl Known {
    pub(super) async fn of(handle: &Handle, session: SessionId) -> Result<Self, Rejection> {
        let (mut known, mut after) = (Self::default(), None);
        loop {
            let read = handle.store().read(session, Some(Lane::Decisions), after, limits::READ_BATCH_MAX).await;
            let page = read.map_err(|error| from_read(&error))?;
            let Some(last) = page.last() else { return Ok(known) };
            after = Some(last.position);
            for written in page.iter().flat_map(|stored| &stored.entry.events) {
                match &*written.event {
                    Event::ToolCalled { call, .. } => drop(known.made.insert(call.clone())),
                    Event::ToolReturned { call, .. } => drop(known.returned.insert(call.clone())),
                    _ => {}
                }
            }
        }
    }

    fn has(&self, event: &Event) -> bool {
        match event {
            Event::ToolCalled { call, .. } => self.made.contains(call),
            Event::ToolReturned { call, .. } => self.returned.contains(call),
            _ => false,
        }
    }
}

/// Results that wait to be stored together with the proof of a delivery. What comes after them is stored after them.
#[derive(Default)]
pub(super) struct Returning {
    asks: Vec<AskId>,
    /// They are being stored.
    on_its_way: Option<Shared<BoxFuture<'static, ()>>>,
}

impl Returning {
    pub(super) fn add(&mut self, ask: AskId) {
        self.asks.push(ask);
    }

    /// What was waited for may have happened.
    pub(super) fn hear(&mut self, event: &Event) {
        if let Event::Delivered { parcel: Parcel::Verdict(ask), .. } = event {
            self.asks.retain(|waiting| waiting != ask);
        }
    }
}

impl Host {
    /// Has what returned stored now, if it still waits. Whatever is stored next waits for what this returns.
    pub(super) fn store_what_returned(&mut self) -> Option<Shared<BoxFuture<'static, ()>>> {
        if !self.returning.asks.is_empty() {
            self.returning.asks.clear();
            let (handle, session) = (self.desk.handle.clone(), self.session);
            // Should it fail, it is tried again a moment later; nothing waits for that.
            let stored = async move { drop(handle.flush(session).await) };
            self.returning.on_its_way = Some(stored.boxed().shared());
        }
        self.returning.on_its_way.take_if(|stored| stored.peek().is_some());
        self.returning.on_its_way.clone()
    }

    /// Stores a piece of content, under a name that it has every time it is heard.
    pub(super) fn record(&mut self, record: Record, place: usize) {
        if self.known.has(&record.event) {
            return;
        }
        let before = self.store_what_returned();
        let id = entry_id(&record, self.process, self.spool.offset(), place);
        let (handle, epoch, session) = (self.desk.handle.clone(), self.epoch, record.session);
        self.records.push_back(Box::pin(async move {
            if let Some(before) = before {
                before.await;
            }
            loop {
                match handle.record(session, Some(id), epoch, record.event.clone()).await {
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

    pub(super) fn notice(&mut self, level: Level, text: &str) {
        let event = Event::Notice { level, text: text.to_owned() };
        // Two different ones may be said at the same place.
        let (session, name) = (self.session, format!("notice/{}/{}/{text}", self.epoch.0, self.spool.offset()));
        self.record(Record { session, name, event }, 0);
    }
}

/// The same piece gets the same id every time it is heard.
fn entry_id(record: &Record, process: ProcessId, offset: u64, place: usize) -> EntryId {
    let mut sha = Sha256::new();
    sha.update(record.session.0.to_be_bytes());
    match record.name.as_str() {
        "" => {
            sha.update(process.pid.to_be_bytes());
            sha.update(process.started.to_be_bytes());
            sha.update(offset.to_be_bytes());
            sha.update(place.to_be_bytes());
        }
        name => sha.update(name),
    }
    let digest: [u8; 32] = sha.finalize().into();
    EntryId(u128::from_be_bytes(digest[..16].try_into().expect("a digest is longer than an id")))
}
