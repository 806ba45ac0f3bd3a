//! Where the time comes from. The rules own no clock; tests move theirs by hand.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use askbridge_core::ids::Timestamp;
use tokio::sync::watch;

/// Longest sleep without another look at the wall clock, which may be set while we sleep.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// The time, as this process sees it.
#[derive(Debug, Clone)]
pub enum Clock {
    System,
    Manual(Manual),
}

/// A clock that stands still until it is moved.
#[derive(Debug, Clone)]
pub struct Manual(Arc<watch::Sender<Timestamp>>);

impl Clock {
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => system_now(),
            Self::Manual(manual) => *manual.0.borrow(),
        }
    }

    /// Waits until `at`. May return early: look at the time again.
    pub async fn sleep_until(&self, at: Timestamp) {
        match self {
            Self::System => tokio::time::sleep(at.since(system_now()).min(LOOK_AGAIN)).await,
            Self::Manual(manual) => {
                let mut moved = manual.0.subscribe();
                // An error means that nobody is left to move the clock.
                let _ = moved.wait_for(|now| *now >= at).await;
            }
        }
    }
}

impl Manual {
    pub fn new(at: Timestamp) -> Self {
        Self(Arc::new(watch::Sender::new(at)))
    }

    /// Sets the clock, forwards or back, as administrators and time servers do.
    pub fn set(&self, at: Timestamp) {
        self.0.send_replace(at);
    }

    pub fn advance(&self, span: Duration) {
        self.0.send_modify(|now| *now = now.plus(span));
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine for the time")]
fn system_now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
