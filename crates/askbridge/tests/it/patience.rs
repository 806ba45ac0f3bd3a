//! Waits for conditions, never for a fixed time.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// Far longer than anything takes, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Polls until the condition returns something.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(began.elapsed() < PATIENCE, "waited in vain until {what}");
        sleep(Duration::from_millis(20));
    }
}
