//! Sessions and asks to write tests with.

#![allow(dead_code, reason = "each test uses some of it")]

use std::sync::Arc;

use askbridge_core::answer::{Answer, Outcome, Pick, Who};
use askbridge_core::ask::{Ask, Asker, Body, Choice, Context, Question, Reach};
use askbridge_core::event::{Audience, Event, Lane, Parcel, Settings, Settled, Started};
use askbridge_core::ids::{AskId, EntryId, Epoch, NodeId, PartyId, PersonId, Position, SessionId, Timestamp};
use askbridge_core::terms::{Facts, Rules, Terms, Wishes, terms};
use askbridge_core::verdict::{Ruling, Verdict};
use askbridge_journal::{AppendError, Digest, Entry, Guard, Journal, Written};

/// One session and its only writer.
pub(crate) struct Talk<J> {
    pub(crate) journal: J,
    pub(crate) session: SessionId,
    pub(crate) head: Option<Position>,
    prev: Digest,
    entries: u128,
}

impl<J: Journal> Talk<J> {
    pub(crate) fn new(journal: &J, number: u128) -> Self {
        let session = SessionId(number);
        Self { journal: journal.clone(), session, head: None, prev: Digest::ZERO, entries: 0 }
    }

    pub(crate) fn entry(&mut self, events: Vec<Event>) -> Arc<Entry> {
        self.entries += 1;
        Arc::new(Entry {
            id: EntryId(self.session.0 << 64 | self.entries),
            session: self.session,
            lane: Lane::Decisions,
            at: Timestamp(1_000),
            node: NodeId(1),
            epoch: Epoch(0),
            prev: self.prev,
            events: events.into_iter().map(Written::new).collect(),
        })
    }

    pub(crate) async fn try_append(&mut self, events: Vec<Event>) -> Result<Position, AppendError> {
        let entry = self.entry(events);
        let position = self.journal.append(Arc::clone(&entry), Guard::Head(self.head)).await?;
        (self.head, self.prev) = (Some(position), entry.digest());
        Ok(position)
    }

    pub(crate) async fn append(&mut self, events: Vec<Event>) -> Position {
        self.try_append(events).await.unwrap()
    }

    pub(crate) fn id(&self, number: u32) -> AskId {
        AskId { session: self.session, number }
    }

    pub(crate) fn asked(&self, number: u32, headline: &str) -> Event {
        Event::Asked(Arc::new(ask(self.id(number), headline, None)))
    }

    pub(crate) fn asked_until(&self, number: u32, deadline: i64) -> Event {
        Event::Asked(Arc::new(ask(self.id(number), "Hurry?", Some(Timestamp(deadline)))))
    }

    pub(crate) fn answered(&self, number: u32) -> Event {
        self.settled(number, Outcome::Answered { answer: yes(), by: mira() })
    }

    pub(crate) fn settled(&self, number: u32, outcome: Outcome) -> Event {
        let verdict = Verdict { ruling: Ruling::Deny, words: "words".into() };
        Event::Settled(Box::new(Settled { ask: self.id(number), at: Timestamp(2_000), outcome, verdict }))
    }

    pub(crate) fn delivered(&self, number: u32) -> Event {
        Event::Delivered { parcel: Parcel::Verdict(self.id(number)), proof: "proof".into(), at: Timestamp(3_000) }
    }
}

pub(crate) fn started(audience: Audience) -> Event {
    Event::Started(Box::new(Started {
        at: Timestamp(500),
        door: "http".into(),
        agent: "ci".into(),
        owner: PartyId::from("token:ci"),
        audience,
        settings: Settings { title: Some("Release".into()), ..Settings::default() },
        continues: None,
        host: None,
    }))
}

pub(crate) fn only(person: &str) -> Audience {
    Audience::Only(vec![PersonId::from(person)])
}

pub(crate) fn mira() -> Who {
    Who { person: PersonId::from("mira"), device: "phone".into(), via: "native".into() }
}

pub(crate) fn yes() -> Answer {
    Answer::Questions(vec![Pick::option(0)])
}

pub(crate) fn ask(id: AskId, headline: &str, deadline: Option<Timestamp>) -> Ask {
    let choice = |label: &str| Choice { label: label.into(), description: None, preview: None };
    let question = Question {
        text: headline.into(),
        header: Some("Deploy".into()),
        options: vec![choice("yes"), choice("no")],
        multi: false,
        secret: false,
    };
    Ask {
        id,
        at: Timestamp(1_000),
        body: Body::Questions(vec![question]),
        terms: Terms { deadline, ..plain_terms() },
        reach: Reach::Pull,
        asker: Asker { door: "http".into(), agent: "ci".into(), party: PartyId::from("token:ci"), machine: None },
        call: None,
        context: Context::default(),
        key: None,
        stated: None,
        original: None,
        instead_of: None,
    }
}

fn plain_terms() -> Terms {
    let none = Wishes::default();
    let (door, agent) = ("http", "ci");
    let facts = Facts { at: Timestamp(0), door, agent, folder: None, headline: "", header: None, wishes: [&none; 4] };
    terms(&Rules::default(), &facts)
}
