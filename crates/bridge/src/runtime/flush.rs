//! Writes the riders that no decision has taken along, after a short while.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use askbridge_core::ids::SessionId;
use askbridge_core::intent::Intent;
use askbridge_core::limits;
use askbridge_peers::wish::{Receipt, Rejection, Wish};
use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::cache::{Cell, Rider};
use super::gate::Entrance;
use super::handle::Handle;

/// Sessions that are flushed concurrently, so that they share a transaction.
const AT_ONCE: usize = 256;
/// Interval for flushing riders, while there are any. A rider is written in the second round that finds it. So none
/// waits longer than `RIDE_ALONG_WAIT`, and one whose agent asks again at once still rides along.
const LOOK_EVERY: Duration = limits::RIDE_ALONG_WAIT.checked_div(2).expect("two is not zero");

/// Sessions with riders that may not be written yet, each of them once.
#[derive(Debug, Default)]
pub(crate) struct Unwritten {
    sessions: Mutex<Vec<SessionId>>,
    /// How many rounds there were.
    looks: AtomicU64,
    wake: Notify,
}

impl Unwritten {
    fn add(&self, session: SessionId) {
        let mut sessions = self.sessions.lock();
        sessions.push(session);
        if sessions.len() == 1 {
            self.wake.notify_one();
        }
    }

    fn take(&self) -> Vec<SessionId> {
        std::mem::take(&mut *self.sessions.lock())
    }
}

/// What the flusher does about a session.
enum Look {
    Write,
    Later,
    /// All riders were taken along.
    Never,
}

impl Cell {
    fn look(&self, now: u64) -> Look {
        let mut riding = self.riding.lock();
        let look = match (riding.waiting.is_empty(), riding.aboard) {
            (true, false) => Look::Never,
            (false, _) if riding.since < now => Look::Write,
            _ => Look::Later,
        };
        riding.listed = matches!(look, Look::Later);
        look
    }
}

impl Handle {
    /// Notes something that happened and that no request waits for: it is written with the session's next decision, or
    /// on its own a moment later.
    pub fn note(&self, session: SessionId, intents: impl IntoIterator<Item = Intent>) {
        self.ride(session, intents.into_iter().map(Rider::Note));
    }

    /// Notes what a wish says of a delivery.
    pub(super) fn note_wish(&self, entrance: &Entrance, wish: Wish) -> Result<Receipt, Rejection> {
        let (session, intent) = match wish {
            Wish::Hand { parcel } => (parcel.session(), Intent::Hand { parcel }),
            Wish::Deliver { parcel, proof } | Wish::Took { parcel, proof } => {
                (parcel.session(), Intent::Deliver { parcel, proof })
            }
            Wish::Return { ask, result } => (ask.session, Intent::Return { ask, result }),
            wish => unreachable!("{wish:?} is not noted"),
        };
        self.note(session, [entrance.fenced(intent)]);
        Ok(Receipt { session: Some(session), news: true, ..Receipt::default() })
    }

    /// The same for notes and content.
    pub fn ride(&self, session: SessionId, riders: impl IntoIterator<Item = Rider>) {
        let cell = self.cache.cell(session);
        let is_new = {
            let mut riding = cell.riding.lock();
            if riding.waiting.is_empty() || !riding.listed {
                riding.since = self.unwritten.looks.load(Ordering::Relaxed);
            }
            riding.waiting.extend(riders);
            !riding.waiting.is_empty() && !std::mem::replace(&mut riding.listed, true)
        };
        if is_new {
            self.unwritten.add(session);
        }
    }

    /// Writes all riders.
    pub async fn flush_all(&self) {
        let sessions = self.unwritten.take();
        sessions
            .iter()
            .filter_map(|session| self.cache.known(*session))
            .for_each(|cell| cell.riding.lock().listed = false);
        self.flush_each(sessions).await;
    }

    /// Writes the riders that have waited long enough.
    async fn flush_some(&self) {
        let now = self.unwritten.looks.fetch_add(1, Ordering::Relaxed);
        let (mut due, mut later) = (Vec::new(), Vec::new());
        for session in self.unwritten.take() {
            match self.cache.known(session).map_or(Look::Never, |cell| cell.look(now)) {
                Look::Write => due.push(session),
                Look::Later => later.push(session),
                Look::Never => {}
            }
        }
        later.into_iter().for_each(|session| self.unwritten.add(session));
        self.flush_each(due).await;
    }

    async fn flush_each(&self, sessions: Vec<SessionId>) {
        stream::iter(sessions)
            .for_each_concurrent(AT_ONCE, |session| async move {
                if let Err(error) = self.flush(session).await {
                    warn!(session.id = %session, %error, "Could not write what was noted; it stays in memory");
                    // Treated as new, so that a full disk is not tried again in every round.
                    self.note(session, []);
                }
            })
            .await;
    }
}

/// Runs until `stop`.
pub(crate) async fn run(handle: Handle, stop: CancellationToken) {
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return handle.flush_all().await,
            () = handle.unwritten.wake.notified() => {}
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => return handle.flush_all().await,
            () = tokio::time::sleep(LOOK_EVERY) => handle.flush_some().await,
        }
        if !handle.unwritten.sessions.lock().is_empty() {
            handle.unwritten.wake.notify_one();
        }
    }
}
