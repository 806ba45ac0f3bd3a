//! Which cards people look at, as their pages say it: what is on a visible page, and in use.
//!
//! A page says so again and again. What it said counts for a short time, so that a phone in a pocket, whose connection
//! was lost without a word, does not count as present. In doubt it rings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ids::{AskId, NodeId, Timestamp};
use askbridge_core::limits;
use askbridge_journal::bus::{Bus, Topic};
use futures_util::StreamExt;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::runtime::Handle;

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
    by_page: BTreeMap<PageId, Page>,
}

/// A page, and the run of the node that serves it.
type PageId = (NodeId, u64);

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
    page: PageId,
    /// Tells the other nodes, if there can be any: one of them may be the one that rings.
    others: Option<Handle>,
    person: String,
}

/// What a page of another node shows.
#[derive(Serialize, Deserialize)]
struct EyesNotice {
    node: u64,
    page: u64,
    person: String,
    cards: Vec<String>,
}

impl Eyes {
    pub(crate) fn open(self: &Arc<Self>, handle: &Handle) -> Gaze {
        let others = (!handle.nodes.is_alone()).then(|| handle.clone());
        self.open_at(handle.nodes.run(), others)
    }

    fn open_at(self: &Arc<Self>, node: NodeId, others: Option<Handle>) -> Gaze {
        let mut pages = self.pages.lock();
        pages.made += 1;
        Gaze { eyes: Arc::clone(self), page: (node, pages.made), others, person: String::new() }
    }

    /// Takes in what pages of other nodes show, until the server stops.
    pub(super) async fn hear_others(self: Arc<Self>, handle: Handle) {
        let mut messages = handle.store().subscribe(Topic::Eyes.into());
        while let Some(message) = messages.next().await {
            let Ok(notice) = serde_json::from_slice::<EyesNotice>(&message.body) else { continue };
            let node = NodeId(notice.node);
            if node != handle.nodes.run() {
                let cards = notice.cards.iter().filter_map(|card| card.parse().ok()).collect();
                self.show((node, notice.page), &notice.person, cards, handle.now());
            }
        }
    }

    /// A page shows these cards. Returns those that it did not show before.
    fn show(&self, page: PageId, person: &str, cards: BTreeSet<AskId>, now: Timestamp) -> Vec<AskId> {
        let mut pages = self.pages.lock();
        let before = pages.by_page.remove(&page).map(|page| page.cards).unwrap_or_default();
        if !before.is_subset(&cards) {
            self.less.notify_one();
        }
        // Pages of a node that died say nothing more.
        if pages.by_page.len() >= limits::CONNECTIONS_MAX {
            pages.by_page.retain(|_, page| page.until > now);
        }
        let new = cards.difference(&before).copied().collect();
        if !cards.is_empty() {
            let shown = Page { person: person.to_owned(), cards, until: now.plus(COUNTS_FOR) };
            pages.by_page.insert(page, shown);
        }
        new
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
    pub(crate) fn shows(&mut self, person: &str, cards: &[AskId], now: Timestamp) -> Vec<AskId> {
        person.clone_into(&mut self.person);
        self.tell_others(cards);
        self.eyes.show(self.page, person, cards.iter().copied().collect(), now)
    }

    fn tell_others(&self, cards: &[AskId]) {
        let Some(handle) = &self.others else { return };
        let (NodeId(node), page) = self.page;
        let cards = cards.iter().map(ToString::to_string).collect();
        handle.notify(Topic::Eyes.of_all(), &EyesNotice { node, page, person: self.person.clone(), cards });
    }
}

impl Drop for Gaze {
    fn drop(&mut self) {
        if self.eyes.pages.lock().by_page.remove(&self.page).is_some() {
            self.eyes.less.notify_one();
            self.tell_others(&[]);
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
        let (mut desk, mut phone) = (eyes.open_at(NodeId(1), None), eyes.open_at(NodeId(1), None));
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
        let mut page = eyes.open_at(NodeId(1), None);
        page.shows("ada", &[card(1)], T);
        let later = T.plus(COUNTS_FOR);
        assert!(!looks(&eyes, card(1), later));
        assert_eq!(page.shows("ada", &[card(1)], later), [], "it was seen before");
        assert!(looks(&eyes, card(1), later));
    }
}
