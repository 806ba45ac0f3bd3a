//! The source of the current time. The rules have no clock; tests set theirs by hand.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use askbridge_core::ids::Timestamp;
pub use askbridge_peers::json::Rfc3339;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Longest sleep before the wall clock is read again, since it may be set while we sleep.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// The time as this process sees it.
#[derive(Debug, Clone)]
pub enum Clock {
    System,
    Manual(Manual),
}

/// A clock that stands still until it is moved.
#[derive(Debug, Clone)]
pub struct Manual(Arc<Hands>);

#[derive(Debug)]
struct Hands {
    now: Mutex<Timestamp>,
    /// Wakes waiters in the order in which they began to wait, so that a simulation runs the same way every time.
    moved: Notify,
}

impl Clock {
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => system_now(),
            Self::Manual(manual) => *manual.0.now.lock(),
        }
    }

    /// The same in nanoseconds since 1970, for spans shorter than a millisecond.
    pub(crate) fn nanos(&self) -> u64 {
        match self {
            Self::System => u64::try_from(system_since().as_nanos()).unwrap_or(u64::MAX),
            Self::Manual(manual) => u64::try_from(manual.0.now.lock().0).unwrap_or(0).saturating_mul(1_000_000),
        }
    }

    /// Waits until `at`. May return early: check the time again.
    pub async fn sleep_until(&self, at: Timestamp) {
        match self {
            Self::System => tokio::time::sleep(at.since(system_now()).min(LOOK_AGAIN)).await,
            Self::Manual(manual) => loop {
                let mut moved = std::pin::pin!(manual.0.moved.notified());
                // Subscribe before reading the time: the clock may be moved in between.
                moved.as_mut().enable();
                if *manual.0.now.lock() >= at {
                    return;
                }
                moved.await;
            },
        }
    }
}

impl Manual {
    pub fn new(at: Timestamp) -> Self {
        Self(Arc::new(Hands { now: Mutex::new(at), moved: Notify::new() }))
    }

    /// Sets the clock, forwards or back, as administrators and time servers do.
    pub fn set(&self, at: Timestamp) {
        *self.0.now.lock() = at;
        self.0.moved.notify_waiters();
    }

    pub fn advance(&self, span: Duration) {
        let at = self.0.now.lock().plus(span);
        self.set(at);
    }
}

fn system_now() -> Timestamp {
    Timestamp(i64::try_from(system_since().as_millis()).unwrap_or(i64::MAX))
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine for the time")]
fn system_since() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
