//! A progress line for long work: on stderr, in a terminal only, and cleared when the work is done.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// The delay before the first update, and between updates.
const PAUSE: Duration = Duration::from_millis(200);

/// One line that is overwritten by each update.
#[derive(Debug)]
pub(crate) struct Progress {
    what: &'static str,
    is_seen: bool,
    /// When to update next.
    next: Instant,
    has_shown: bool,
}

impl Progress {
    pub(crate) fn new(what: &'static str) -> Self {
        Self { what, is_seen: stderr().is_terminal(), next: Instant::now() + PAUSE, has_shown: false }
    }

    /// Shows nothing, even in a terminal.
    pub(crate) fn none() -> Self {
        Self { is_seen: false, ..Self::new("") }
    }

    pub(crate) fn show(&mut self, done: u64, all: u64) {
        if !self.is_seen || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + PAUSE;
        self.has_shown = true;
        let _ = write!(stderr(), "\r{}: {} of {all} entries, {}%\x1b[K", self.what, done, percent(done, all));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.has_shown {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

fn percent(done: u64, all: u64) -> u64 {
    done.saturating_mul(100).checked_div(all).unwrap_or(100).min(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_nothing_is_all_of_it() {
        assert_eq!((percent(1, 3), percent(0, 0), percent(9, 3)), (33, 100, 100));
    }
}
