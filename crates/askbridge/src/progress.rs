//! How far long work is: on stderr, on a terminal, and gone when the work is done.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// How long work is quiet before it says anything, and between two times that it does.
const PAUSE: Duration = Duration::from_millis(200);

/// One line that is written over and over.
#[derive(Debug)]
pub(crate) struct Progress {
    what: &'static str,
    is_seen: bool,
    /// When to show something next.
    next: Instant,
    has_shown: bool,
}

impl Progress {
    pub(crate) fn new(what: &'static str) -> Self {
        Self { what, is_seen: stderr().is_terminal(), next: Instant::now() + PAUSE, has_shown: false }
    }

    /// Shows nothing, wherever it is.
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
