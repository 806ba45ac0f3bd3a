//! Remembers for a while that a server elsewhere did not answer, so that an agent is not delayed at each of its calls.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use askbridge_bridge::clock::Clock;
use askbridge_core::ids::Timestamp;
use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// How long it is remembered after the first failure. It doubles with each further one.
const FIRST: Duration = Duration::from_secs(5);
/// How long it is remembered at most: so much later at the latest, hooks notice that it is back.
const LONGEST: Duration = Duration::from_secs(60);

/// A file in the data folder.
#[derive(Debug)]
pub(crate) struct HomeDown {
    file: PathBuf,
    known: Option<Known>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Known {
    place: String,
    until_ms: i64,
    failures: u32,
}

impl HomeDown {
    /// Reads what is remembered about a server.
    pub(crate) fn read(settings: &Settings, place: &str) -> Self {
        let file = settings.data.join("home-down");
        let known = fs::read(&file).ok().and_then(|text| serde_json::from_slice::<Known>(&text).ok());
        Self { file, known: known.filter(|known| known.place == place) }
    }

    /// Forgets what is remembered of any server.
    pub(crate) fn forget(settings: &Settings) {
        let _ = fs::remove_file(settings.data.join("home-down"));
    }

    /// Is it known to be down now?
    pub(crate) fn is_down(&self) -> bool {
        self.is_down_at(Clock::System.now())
    }

    fn is_down_at(&self, now: Timestamp) -> bool {
        // A time far ahead is of a clock that was set back since.
        let left = |known: &Known| known.until_ms.saturating_sub(now.0);
        self.known.as_ref().is_some_and(|known| (1..=millis(LONGEST)).contains(&left(known)))
    }

    /// It did not answer.
    pub(crate) fn note(&self, place: &str) {
        // Without the file, each hook finds out by itself.
        let _ = fs::write(&self.file, serde_json::to_vec(&self.next(place, Clock::System.now())).unwrap_or_default());
    }

    fn next(&self, place: &str, now: Timestamp) -> Known {
        let failures = self.known.as_ref().map_or(0, |known| known.failures).saturating_add(1);
        let pause = FIRST.saturating_mul(1 << (failures - 1).min(8)).min(LONGEST);
        Known { place: place.to_owned(), until_ms: now.0.saturating_add(millis(pause)), failures }
    }

    /// It answered.
    pub(crate) fn clear(&self) {
        if self.known.is_some() {
            let _ = fs::remove_file(&self.file);
        }
    }
}

fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_stays_down_is_tried_less_and_less_often_but_once_a_minute() {
        let mut down = HomeDown { file: PathBuf::new(), known: None };
        assert!(!down.is_down_at(Timestamp(0)));
        let mut now = 1_000_000;
        let mut pauses = Vec::new();
        for _ in 0..6 {
            let known = down.next("home", Timestamp(now));
            pauses.push((known.until_ms - now) / 1000);
            now = known.until_ms;
            down.known = Some(known);
            assert!(down.is_down_at(Timestamp(now - 1)) && !down.is_down_at(Timestamp(now)));
        }
        assert_eq!(pauses, [5, 10, 20, 40, 60, 60]);
        assert!(!down.is_down_at(Timestamp(now - 100_000_000)), "the clock was set back");
    }
}
