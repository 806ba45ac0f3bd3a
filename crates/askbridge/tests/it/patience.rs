//! Waiting for something that will happen, never for a time that will do.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// Far longer than anything takes, also on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Looks again and again until there is something to see.
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
