//! What outlives the bridge: the journal, the clock, the log, and what the clients recorded.

use std::collections::BTreeSet;
use std::sync::Arc;

use askbridge_core::answer::{Answer, Outcome};
use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, Position, SessionId};
use askbridge_journal::journal::Journal;
use askbridge_journal::{Memory, Stored};
use askbridge_peers::listing::Listing;
use futures_util::FutureExt;
use parking_lot::Mutex;
use serde_json::Value;

use crate::fates::Fates;
use crate::log::Log;
use crate::phone::Phone;
use crate::rules::InForce;

pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) memory: Memory,
    pub(crate) log: Arc<Log>,
    pub(crate) fates: Arc<Fates>,
    pub(crate) ledger: Mutex<Ledger>,
    /// Are revocations only noted and not carried out?
    pub(crate) keeps_revoked: bool,
    /// Are new rules only noted and not put in force?
    pub(crate) keeps_rules: bool,
    /// Do rules change?
    pub(crate) has_rules: bool,
    /// The phone that is rung, if there is one.
    pub(crate) phone: Option<Phone>,
    /// A dialect that is deliberately broken.
    pub(crate) deaf: Option<&'static Listing>,
}

/// What the clients recorded, for the judge.
#[derive(Default)]
pub(crate) struct Ledger {
    /// Everything that people sent, recorded before it is sent.
    pub(crate) sent: Vec<Sent>,
    /// What the bridge acknowledged of `sent`.
    pub(crate) acknowledged: Vec<Acknowledged>,
    pub(crate) watched: Vec<Watched>,
    /// Clients that watch must have been told everything up to this position. A deadline may still fire at the moment
    /// when the simulation ends.
    pub(crate) heard_up_to: u64,
    /// Every view of an ask that an agent got.
    pub(crate) views: Vec<(String, Value)>,
    /// Asks whose id an agent knows, for the intruder to try.
    pub(crate) known: Vec<AskId>,
    /// Names and token ids of all whose token may be revoked.
    pub(crate) holders: Vec<(String, String)>,
    pub(crate) revoked: Vec<Revoked>,
    /// Every version of the rules, in order.
    pub(crate) rules: Vec<InForce>,
}

/// A revocation: whose token, and its place in the journal and in the ledger rather than by the clock.
#[derive(Debug, Clone)]
pub(crate) struct Revoked {
    pub(crate) name: String,
    pub(crate) party: String,
    /// The last entry before the revocation.
    pub(crate) after: Position,
    /// The length of [`Ledger::sent`] at that time.
    pub(crate) sent: usize,
}

/// Did a person say something, and was their token still valid?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SaidIt {
    InTime,
    /// Only after their token was revoked.
    Revoked,
    Never,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PersonDecision {
    Answer(Answer),
    Dismiss,
}

/// What a person said about an ask, which is named by its number, by its call, or by the session alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sent {
    pub(crate) person: String,
    pub(crate) session: SessionId,
    pub(crate) number: Option<u32>,
    pub(crate) call: Option<String>,
    pub(crate) what: PersonDecision,
}

#[derive(Debug, Clone)]
pub(crate) struct Acknowledged {
    pub(crate) sent: Sent,
    /// Did the bridge say that it came late? `None` if the dialect cannot say so.
    pub(crate) late: Option<bool>,
}

/// What one of our own clients saw from its first snapshot on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watched {
    pub(crate) person: String,
    pub(crate) first_cursor: Option<String>,
    pub(crate) first_open: Vec<String>,
    /// Did the snapshot say that more asks are open than fit into it?
    pub(crate) first_had_more: bool,
    pub(crate) snapshots: usize,
    pub(crate) events: Vec<Value>,
}

impl World {
    /// Reads a session as it is stored at this moment.
    pub(crate) fn stored(&self, session: SessionId) -> Vec<Arc<Stored>> {
        let mut all: Vec<Arc<Stored>> = Vec::new();
        loop {
            let after = all.last().map(|stored| stored.position);
            let read = self.memory.read(session, None, after, usize::MAX).now_or_never();
            let batch = read.expect("memory answers at once").expect("memory can be read");
            if batch.is_empty() {
                return all;
            }
            all.extend(batch);
        }
    }

    /// Does the journal have, at this moment, an event that satisfies `wanted`?
    pub(crate) fn has(&self, session: SessionId, wanted: impl Fn(&Event) -> bool) -> bool {
        self.stored(session).iter().flat_map(|stored| &stored.entry.events).any(|written| wanted(&written.event))
    }

    /// Does the journal have exactly this event at this moment?
    pub(crate) fn has_json(&self, session: SessionId, event: &Value) -> bool {
        let stored = self.stored(session);
        let mut events = stored.iter().flat_map(|stored| &stored.entry.events);
        events.any(|written| serde_json::from_str::<Value>(&written.json).is_ok_and(|stored| stored == *event))
    }

    /// Returns the revocation of this client's token, if there was one.
    pub(crate) fn revoked(&self, name: &str) -> Option<Revoked> {
        self.ledger.lock().revoked.iter().find(|revoked| revoked.name == name).cloned()
    }

    pub(crate) fn revoked_party(&self, party: &str) -> Option<Revoked> {
        self.ledger.lock().revoked.iter().find(|revoked| revoked.party == party).cloned()
    }

    /// Records that a client's token is revoked from now on.
    pub(crate) fn note_revoked(&self, name: &str, token: &str) {
        self.log.line("world", None, format!("the token of {name} is revoked"));
        let after = Position(self.fates.newest());
        let mut ledger = self.ledger.lock();
        let sent = ledger.sent.len();
        let party = format!("tok_{token}");
        ledger.revoked.push(Revoked { name: name.to_owned(), party, after, sent });
    }

    /// Looks for something that a person said, and whether their token was valid then.
    pub(crate) fn said_it(&self, person: &str, is_it: impl Fn(&Sent) -> bool) -> SaidIt {
        let limit = self.revoked(person).map_or(usize::MAX, |revoked| revoked.sent);
        let sent = self.ledger.lock().sent.clone();
        match sent.iter().position(|sent| sent.person == person && is_it(sent)) {
            None => SaidIt::Never,
            Some(place) if place >= limit => SaidIt::Revoked,
            Some(_) => SaidIt::InTime,
        }
    }

    /// Records what a person says, before it is sent.
    pub(crate) fn note_sent(&self, sent: &Sent) {
        let text = match &sent.what {
            PersonDecision::Answer(answer) => format!("says {answer:?}"),
            PersonDecision::Dismiss => "closes it".to_owned(),
        };
        self.log.line(&sent.person, Some(sent.session), text);
        self.ledger.lock().sent.push(sent.clone());
    }

    /// Records that the bridge acknowledged something, which has to be in the journal now.
    pub(crate) fn note_acknowledged(&self, sent: &Sent, late: Option<bool>) {
        let how = if late == Some(true) { "is heard, late" } else { "is heard" };
        self.log.line(&sent.person, Some(sent.session), how);
        let cards = self.cards(sent);
        let there = self.has(sent.session, |event| match event {
            Event::Settled(settled) => cards.contains(&settled.ask.number) && sent.is_outcome(&settled.outcome),
            Event::Proposed { answer, by, .. }
            | Event::Voted { answer, by, .. }
            | Event::LateAnswered { answer, by, .. } => {
                by.person.as_str() == sent.person && sent.what == PersonDecision::Answer(answer.clone())
            }
            _ => false,
        });
        if !there {
            let why = format!("{} was told that it counts, but it is not in the journal", sent.person);
            self.log.broke(1, Some(sent.session), why);
        }
        if self.said_it(&sent.person, |said| said == sent) == SaidIt::Revoked {
            let why = format!("{} was told that it counts, with a token that was revoked", sent.person);
            self.log.broke(8, Some(sent.session), why);
        }
        self.ledger.lock().acknowledged.push(Acknowledged { sent: sent.clone(), late });
    }

    /// Returns the asks that a person can mean: those they named, and those that replaced them on the screen.
    pub(crate) fn cards(&self, sent: &Sent) -> BTreeSet<u32> {
        let mut cards = BTreeSet::from_iter(sent.number);
        for written in self.stored(sent.session).iter().flat_map(|stored| &stored.entry.events) {
            let Event::Asked(ask) = &*written.event else { continue };
            let took_its_place = ask.instead_of.is_some_and(|old| cards.contains(&old.number));
            let by_call = match (&sent.call, sent.number) {
                (Some(call), _) => ask.call.as_ref().is_some_and(|known| known.as_str() == call),
                (None, number) => number.is_none(),
            };
            if took_its_place || by_call {
                cards.insert(ask.id.number);
            }
        }
        cards
    }

    /// Does the journal say that `winner` decided the ask?
    pub(crate) fn was_won_by(&self, sent: &Sent, winner: Option<&str>) -> bool {
        let cards = self.cards(sent);
        self.has(sent.session, |event| match event {
            Event::Settled(settled) if cards.contains(&settled.ask.number) => {
                let person = match &settled.outcome {
                    Outcome::Answered { by, .. } | Outcome::Dismissed { by, .. } => Some(by.person.as_str()),
                    Outcome::Expired | Outcome::Ruled { .. } | Outcome::RuledOut { .. } => None,
                };
                person == winner
            }
            // During the undo time the person who answered has decided; after expiry the first late answer wins.
            Event::Proposed { by, .. } | Event::LateAnswered { by, .. } => Some(by.person.as_str()) == winner,
            Event::Said(said) => said.by.as_ref().map(|by| by.person.as_str()) == winner,
            _ => false,
        })
    }
}

impl Sent {
    /// Is this how the ask was settled?
    pub(crate) fn is_outcome(&self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Answered { answer, by } => {
                by.person.as_str() == self.person && self.what == PersonDecision::Answer(answer.clone())
            }
            Outcome::Dismissed { by, .. } => by.person.as_str() == self.person && self.what == PersonDecision::Dismiss,
            Outcome::Expired | Outcome::Ruled { .. } | Outcome::RuledOut { .. } => false,
        }
    }
}
