//! The judge: compares what the clients recorded with the journal.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use askbridge_core::answer::Outcome;
use askbridge_core::event::{Event, Parcel};
use askbridge_core::ids::{NodeId, SessionId};
use askbridge_journal::journal::{Followed, Journal};
use askbridge_journal::{Sqlite, sqlite};
use futures_util::StreamExt;
use serde_json::Value;

use crate::agents::QuestionRecord;
use crate::people::Seen;

/// What the journal says about one ask.
#[derive(Default)]
struct Record {
    asked: usize,
    settled: Vec<(String, Option<String>, NodeId)>,
    delivered: Vec<NodeId>,
}

/// The minimum that a storm has to contain to prove anything.
pub(crate) struct Storm {
    /// Lives of the server that wrote something.
    pub(crate) lives: usize,
    /// How often each person connected.
    pub(crate) connections: usize,
    /// Whether lives ended by a kill.
    pub(crate) torn: bool,
}

pub(crate) async fn judge(folder: &Path, asked: &[QuestionRecord], seen: &[Seen], storm: Storm) {
    let journal = Sqlite::open(&sqlite::Options::new(folder, 0)).unwrap();
    let mut records: HashMap<String, Record> = HashMap::new();
    let mut keys: HashMap<String, Vec<String>> = HashMap::new();
    let mut told: Vec<Value> = Vec::new();
    let mut lives: HashSet<NodeId> = HashSet::new();
    // The session of the tap with which the first person switched taps off: before the storm, and not an agent's.
    let mut taps: HashSet<SessionId> = HashSet::new();
    let mut entries = Box::pin(journal.follow(journal.start()));
    while let Some(Ok(Followed::Entry(stored))) = entries.next().await {
        lives.insert(stored.entry.node);
        let begins = stored.entry.events.iter().any(|written| match &*written.event {
            Event::Started(started) => started.agent == "askbridge",
            _ => false,
        });
        if begins || taps.contains(&stored.entry.session) {
            taps.insert(stored.entry.session);
            continue;
        }
        for written in &stored.entry.events {
            told.push(serde_json::from_str(&written.json).unwrap());
            match &*written.event {
                Event::Asked(ask) => {
                    records.entry(ask.id.to_string()).or_default().asked += 1;
                    let key = ask.key.as_ref().unwrap().to_string();
                    keys.entry(key).or_default().push(ask.id.to_string());
                }
                Event::Settled(settled) => {
                    let said = match &settled.outcome {
                        Outcome::Answered { by, .. } => ("answered".to_owned(), Some(by.person.to_string())),
                        Outcome::Expired => ("expired".to_owned(), None),
                        other => panic!("nobody dismissed or ruled, and yet: {other:?}"),
                    };
                    let record = records.entry(settled.ask.to_string()).or_default();
                    record.settled.push((said.0, said.1, stored.entry.node));
                }
                Event::Delivered { parcel: Parcel::Verdict(ask), .. } => {
                    records.entry(ask.to_string()).or_default().delivered.push(stored.entry.node);
                }
                _ => {}
            }
        }
    }

    // The storm was large enough.
    assert!(lives.len() >= storm.lives, "only {} lives wrote anything", lives.len());
    assert!(asked.len() > 128, "only {} rounds were made", asked.len());
    let between = records.values().filter(|record| {
        let settled = record.settled.first().map(|settled| settled.2);
        record.delivered.first().is_some_and(|delivered| settled != Some(*delivered))
    });
    assert!(!storm.torn || between.count() > 0, "no kill fell between settled and delivered");

    // Every acknowledged ask is in the journal once; one key is one ask.
    for asked in asked {
        assert_eq!(keys[&asked.key].len(), 1, "{} was asked twice", asked.key);
        let id = &keys[&asked.key][0];
        assert!(asked.ids.iter().all(|known| known == id), "{asked:?}");
        let record = &records[id];
        assert_eq!(record.asked, 1);
        // There is one outcome, and the agent was told the same each time.
        assert_eq!(record.settled.len(), 1, "{id} was settled {} times", record.settled.len());
        let (state, person, _) = &record.settled[0];
        for view in &asked.settled {
            assert_eq!(view["state"], *state, "{view}");
            assert_eq!(view["by"]["person"].as_str().map(str::to_owned), *person, "{view}");
            if let Some(person) = person {
                assert_eq!(view["answers"]["Which way?"], **person, "each person answers with their own name");
            }
        }
        // A delivery is recorded once. The record is a rider of a later decision, so a kill right after the agent
        // fetched its answer can lose the record; the agent has the answer all the same.
        assert!(record.delivered.len() <= 1, "{id} was delivered {} times", record.delivered.len());
    }
    // Every acknowledged answer won.
    let mut acknowledged = 0;
    for person in seen {
        for (ask, label) in &person.acknowledged {
            acknowledged += 1;
            assert_eq!(records[ask].settled[0].1.as_deref(), Some(label.as_str()), "{ask}");
        }
    }
    assert!(acknowledged > 64, "only {acknowledged} answers were acknowledged");
    // No client missed an event, got one twice, or needed a second snapshot.
    for person in seen {
        assert_eq!(person.snapshots, 1);
        assert!(person.connections >= storm.connections, "only {} connections", person.connections);
        let first_difference = person.events.iter().zip(&told).position(|(heard, told)| heard != told);
        assert_eq!(first_difference, None, "heard {:?}", first_difference.map(|at| (&person.events[at], &told[at])));
        assert_eq!(person.events.len(), told.len());
    }
}
