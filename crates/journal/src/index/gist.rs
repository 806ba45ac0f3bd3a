//! The gist of entries: the few fields that the index needs.
//!
//! Thousands of entries accumulate before the index is updated. Kept whole, they would evict each other from the
//! processor's caches; their gists take a tenth of that, in memory that is reused.

use std::sync::Arc;

use askbridge_core::ask::{Ask, Kind};
use askbridge_core::event::{Event, Lane, Parcel};
use askbridge_core::ids::{SessionId, Timestamp};

use super::rows::{SessionState, State};
use crate::entry::{Entry, lane_number};

/// Characters of a headline that are kept for lists.
const HEADLINE_CHARS_MAX: usize = 200;

/// The gist of some entries, in order.
#[derive(Debug, Default)]
pub(crate) struct Gists {
    entries: Vec<EntryGist>,
    events: Vec<Gist>,
    text: String,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct EntryGist {
    pub(super) place: i64,
    pub(super) session: SessionId,
    pub(super) lane: u8,
    /// Is the entry listed in `runs`?
    pub(super) is_listed: bool,
    first: u32,
    events: u32,
}

/// The gist of one event. Asks are those of the entry's session, by number.
#[derive(Debug)]
pub(super) enum Gist {
    /// A session was started or configured: rare, and many fields are needed.
    Session(Arc<Event>),
    SessionEnded(SessionState),
    Asked(AskedGist),
    Changed {
        number: u32,
        change: Change,
    },
}

#[derive(Debug, Clone, Copy)]
pub(super) struct AskedGist {
    pub(super) number: u32,
    /// The index of the event in its entry.
    pub(super) within: u8,
    pub(super) kind: Kind,
    pub(super) at: Timestamp,
    pub(super) deadline: Option<Timestamp>,
    pub(super) instead_of: Option<u32>,
    pub(super) headline: Text,
    pub(super) agent: Text,
    pub(super) door: Text,
    pub(super) party: Text,
}

/// What happened to an ask.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Proposed { until: Timestamp },
    Undone,
    Extended { deadline: Option<Timestamp> },
    Over(State, Timestamp),
    Parked,
    Stranded,
    LateAnswered,
    Delivered(Timestamp),
}

/// A range in the shared text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    from: u32,
    to: u32,
}

impl Gists {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.events.clear();
        self.text.clear();
    }

    /// Adds an entry with this `place`.
    pub(crate) fn add(&mut self, place: u64, entry: &Entry) {
        self.add_entry(place, entry, true);
    }

    /// The same for an entry that is not listed in `runs`.
    pub(super) fn add_unlisted(&mut self, place: u64, entry: &Entry) {
        self.add_entry(place, entry, false);
    }

    fn add_entry(&mut self, place: u64, entry: &Entry, is_listed: bool) {
        let first = self.events.len();
        if entry.lane == Lane::Decisions {
            for (within, written) in entry.events.iter().enumerate() {
                let gist = self.gist(within, &written.event);
                self.events.extend(gist);
            }
        }
        self.entries.push(EntryGist {
            place: place.cast_signed(),
            session: entry.session,
            lane: lane_number(entry.lane),
            is_listed,
            first: first as u32,
            events: (self.events.len() - first) as u32,
        });
    }

    /// Returns the sessions of the entries, one per entry.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = SessionId> {
        self.entries.iter().map(|entry| entry.session)
    }

    pub(crate) fn forget(&mut self, session: SessionId) {
        self.entries.retain(|entry| entry.session != session);
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (EntryGist, &[Gist])> {
        let events = |entry: &EntryGist| entry.first as usize..(entry.first + entry.events) as usize;
        self.entries.iter().map(move |entry| (*entry, &self.events[events(entry)]))
    }

    pub(super) fn text(&self, text: Text) -> &str {
        &self.text[text.from as usize..text.to as usize]
    }

    fn gist(&mut self, within: usize, event: &Arc<Event>) -> Option<Gist> {
        let changed = |number, change| Some(Gist::Changed { number, change });
        match &**event {
            Event::Started(_) | Event::Configured(_) => Some(Gist::Session(Arc::clone(event))),
            Event::Closed { .. } => Some(Gist::SessionEnded(SessionState::Closed)),
            Event::Continued { .. } => Some(Gist::SessionEnded(SessionState::Continued)),
            Event::Asked(ask) => Some(Gist::Asked(self.asked(within, ask))),
            Event::Proposed { ask, until, .. } => changed(ask.number, Change::Proposed { until: *until }),
            Event::Undone { ask, .. } => changed(ask.number, Change::Undone),
            Event::Extended { ask, deadline, .. } => changed(ask.number, Change::Extended { deadline: *deadline }),
            Event::Settled(settled) => {
                changed(settled.ask.number, Change::Over(State::ended(settled.outcome.ending()), settled.at))
            }
            Event::Withdrawn { ask, at, .. } => changed(ask.number, Change::Over(State::Withdrawn, *at)),
            Event::Overtaken { ask, at, .. } => changed(ask.number, Change::Over(State::Overtaken, *at)),
            Event::Parked { ask } => changed(ask.number, Change::Parked),
            Event::Stranded { ask } => changed(ask.number, Change::Stranded),
            Event::LateAnswered { ask, .. } => changed(ask.number, Change::LateAnswered),
            Event::Delivered { parcel: Parcel::Verdict(ask), at, .. } => changed(ask.number, Change::Delivered(*at)),
            _ => None,
        }
    }

    fn asked(&mut self, within: usize, ask: &Ask) -> AskedGist {
        let headline = ask.body.headline();
        let cut = headline.char_indices().nth(HEADLINE_CHARS_MAX).map_or(headline.len(), |(at, _)| at);
        AskedGist {
            number: ask.id.number,
            within: within as u8,
            kind: ask.body.kind(),
            at: ask.at,
            deadline: ask.terms.deadline,
            instead_of: ask.instead_of.map(|old| old.number),
            headline: self.keep(&headline[..cut]),
            agent: self.keep(&ask.asker.agent),
            door: self.keep(&ask.asker.door),
            party: self.keep(ask.asker.party.as_str()),
        }
    }

    fn keep(&mut self, text: &str) -> Text {
        let from = self.text.len() as u32;
        self.text.push_str(text);
        Text { from, to: self.text.len() as u32 }
    }
}
