//! Which cards people look at, as their pages say it: what is on a visible page, and in use.
//!
//! A page says so again and again. What it said counts for a short time, so that a phone in a pocket, whose connection
//! was lost without a word, does not count as present. In doubt it rings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::limits;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// How long it counts what a page said: a heartbeat, after which it says so again, and as long again for the way.
const COUNTS_FOR: Duration = limits::HEARTBEAT.saturating_mul(2);

#[derive(Debug, Default)]
pub(crate) struct Eyes {
    pages: Mutex<Pages>,
    /// A page shows less than before, or is gone.
    pub(super) less: Notify,
}

#[derive(Debug, Default)]
struct Pages {
    made: u64,
    by_page: BTreeMap<u64, Page>,
}

#[derive(Debug)]
struct Page {
    person: String,
    cards: BTreeSet<AskId>,
    until: Timestamp,
}

/// One connection of a page. What it shows is forgotten when this is dropped.
#[derive(Debug)]
pub(crate) struct Gaze {
    eyes: Arc<Eyes>,
    page: u64,
}

impl Eyes {
    pub(crate) fn open(self: &Arc<Self>) -> Gaze {
        let mut pages = self.pages.lock();
        pages.made += 1;
        Gaze { eyes: Arc::clone(self), page: pages.made }
    }

    /// What each person looks at now.
    pub(super) fn now(&self, now: Timestamp) -> BTreeMap<String, BTreeSet<AskId>> {
        let mut seen: BTreeMap<String, BTreeSet<AskId>> = BTreeMap::new();
        let pages = self.pages.lock();
        for page in pages.by_page.values().filter(|page| page.until > now) {
            seen.entry(page.person.clone()).or_default().extend(&page.cards);
        }
        seen
    }
}

impl Gaze {
    /// The page is visible and shows these cards; none: it is not. Returns those that it did not show before.
    pub(crate) fn shows(&self, person: &str, cards: &[AskId], now: Timestamp) -> Vec<AskId> {
        let cards: BTreeSet<_> = cards.iter().copied().collect();
        let mut pages = self.eyes.pages.lock();
        let before = pages.by_page.remove(&self.page).map(|page| page.cards).unwrap_or_default();
        if !before.is_subset(&cards) {
            self.eyes.less.notify_one();
        }
        let new = cards.difference(&before).copied().collect();
        if !cards.is_empty() {
            let page = Page { person: person.to_owned(), cards, until: now.plus(COUNTS_FOR) };
            pages.by_page.insert(self.page, page);
        }
        new
    }
}

impl Drop for Gaze {
    fn drop(&mut self) {
        if self.eyes.pages.lock().by_page.remove(&self.page).is_some() {
            self.eyes.less.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use askbridge_core::ids::SessionId;

    use super::*;

    const T: Timestamp = Timestamp(1_000_000);

    fn card(number: u32) -> AskId {
        AskId { session: SessionId(1), number }
    }

    fn looks(eyes: &Eyes, ask: AskId, now: Timestamp) -> bool {
        eyes.now(now).get("ada").is_some_and(|cards| cards.contains(&ask))
    }

    #[test]
    fn a_page_that_went_away_counts_no_longer() {
        let eyes = Arc::new(Eyes::default());
        let (desk, phone) = (eyes.open(), eyes.open());
        assert_eq!(desk.shows("ada", &[card(1)], T), [card(1)]);
        phone.shows("ada", &[card(2)], T);
        assert!(looks(&eyes, card(1), T) && looks(&eyes, card(2), T) && !looks(&eyes, card(3), T));
        assert_eq!(desk.shows("ada", &[], T), []);
        assert!(!looks(&eyes, card(1), T), "it is hidden");
        drop(phone);
        assert!(!looks(&eyes, card(2), T), "it is closed");
    }

    #[test]
    fn what_a_page_said_counts_only_as_long_as_it_says_so_again() {
        let eyes = Arc::new(Eyes::default());
        let page = eyes.open();
        page.shows("ada", &[card(1)], T);
        let later = T.plus(COUNTS_FOR);
        assert!(!looks(&eyes, card(1), later));
        assert_eq!(page.shows("ada", &[card(1)], later), [], "it was seen before");
        assert!(looks(&eyes, card(1), later));
    }
}
