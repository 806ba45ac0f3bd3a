//! Checks everything that the clients recorded against the journal.

use std::collections::{BTreeMap, BTreeSet};

use askbridge_core::answer::{Answer, Decision, Outcome};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::event::{Event, Parcel, Settled};
use askbridge_core::ids::{AskId, Position, SessionId, Timestamp};
use askbridge_core::limits;
use askbridge_core::verdict::Ruling;
use askbridge_journal::journal::{Followed, Journal};
use askbridge_journal::{Cursor, Digest, Stored};
use futures_util::StreamExt;
use serde_json::Value;
use std::sync::Arc;

use super::{revoked, ruled};
use crate::rules::Says;
use crate::world::{PersonDecision, SaidIt, Sent, World};

/// What the journal says about one ask.
struct Record {
    ask: Arc<Ask>,
    asked: usize,
    /// The entries that ask and that settle.
    asked_in: Position,
    settled_in: Option<Position>,
    deadline: Option<Timestamp>,
    endings: Vec<Ending>,
    late: Vec<(Answer, String)>,
    /// Answers with an undo time, and by whom; `None` for an undo.
    proposed: Vec<(Option<Answer>, String)>,
    /// Votes, and by whom; `None` for an undo.
    votes: Vec<(Option<Answer>, String)>,
    messages: Vec<String>,
    delivered: usize,
}

enum Ending {
    Settled(Box<Settled>),
    Withdrawn,
}

/// Checks everything against the journal. Returns the number of asks.
pub(crate) async fn judge(world: &World) -> usize {
    let stored = everything(world).await;
    let records = records(world, &stored);
    for (ask, record) in &records {
        outcome(world, *ask, record);
        late(world, *ask, record);
    }
    asked(world, &records);
    acknowledged(world, &records);
    watched(world, &stored);
    revoked::judge(world, &stored);
    chain(world, &stored);
    records.len()
}

pub(super) async fn everything(world: &World) -> Vec<Arc<Stored>> {
    let mut all = Vec::new();
    let mut entries = Box::pin(world.memory.follow(world.memory.start()));
    while let Some(Ok(Followed::Entry(stored))) = entries.next().await {
        all.push(stored);
    }
    all
}

fn records(world: &World, stored: &[Arc<Stored>]) -> BTreeMap<AskId, Record> {
    let mut records: BTreeMap<AskId, Record> = BTreeMap::new();
    let mut open: BTreeMap<SessionId, BTreeSet<AskId>> = BTreeMap::new();
    let all = stored.iter().flat_map(|stored| stored.entry.events.iter().map(|written| (stored.position, written)));
    for (position, written) in all {
        let event = &*written.event;
        if let Event::Asked(ask) = event {
            let fresh = Record {
                ask: Arc::clone(ask),
                asked: 0,
                asked_in: position,
                settled_in: None,
                deadline: ask.terms.deadline,
                endings: Vec::new(),
                late: Vec::new(),
                proposed: Vec::new(),
                votes: Vec::new(),
                messages: Vec::new(),
                delivered: 0,
            };
            records.entry(ask.id).or_insert(fresh).asked += 1;
            let open = open.entry(ask.id.session).or_default();
            open.insert(ask.id);
            if open.len() > limits::OPEN_ASKS_MAX {
                world.log.broke(7, Some(ask.id.session), "more asks are open than a session may have");
            }
        }
        let about = match event {
            Event::Said(said) => said.about,
            other => other.ask(),
        };
        let Some(ask) = about else { continue };
        let Some(record) = records.get_mut(&ask) else {
            world.log.broke(3, Some(ask.session), format!("{ask} was never asked, and yet: {event:?}"));
            continue;
        };
        match event {
            Event::Extended { deadline, .. } => record.deadline = *deadline,
            Event::Proposed { answer, by, .. } => record.proposed.push((Some(answer.clone()), by.person.to_string())),
            Event::Undone { by, .. } => {
                if record.proposed.last().is_some_and(|(said, _)| said.is_some()) {
                    record.proposed.push((None, by.person.to_string()));
                }
                record.votes.push((None, by.person.to_string()));
            }
            Event::Voted { answer, by, .. } => record.votes.push((Some(answer.clone()), by.person.to_string())),
            Event::Settled(settled) => {
                record.settled_in.get_or_insert(position);
                record.endings.push(Ending::Settled(settled.clone()));
            }
            Event::Withdrawn { .. } | Event::Overtaken { .. } => record.endings.push(Ending::Withdrawn),
            Event::LateAnswered { answer, by, .. } => record.late.push((answer.clone(), by.person.to_string())),
            Event::Said(said) => record.messages.push(said.text.clone()),
            Event::Delivered { parcel: Parcel::Verdict(_), .. } => record.delivered += 1,
            _ => {}
        }
        if !record.endings.is_empty() {
            open.entry(ask.session).or_default().remove(&ask);
        }
    }
    records
}

impl Record {
    /// Counts the people whose last vote was for this answer.
    fn agree(&self, answer: &Answer) -> usize {
        let last: BTreeMap<_, _> = self.votes.iter().map(|(said, who)| (who.as_str(), said.as_ref())).collect();
        last.values().filter(|said| **said == Some(answer)).count()
    }

    /// May the ask be settled with this answer, given the earlier proposals?
    fn stands(&self, world: &World, answer: &Answer, person: &str) -> bool {
        let said = PersonDecision::Answer(answer.clone());
        match self.proposed.last() {
            None => true,
            // The person who proposed an answer may replace it by one that counts at once.
            Some((Some(last), who)) => who == person && (last == answer || self.times(world, &said, person) > 0),
            // After an undo, the answer has to be given again.
            Some((None, _)) => {
                let is_it = |(said, who): &&(Option<Answer>, String)| said.as_ref() == Some(answer) && who == person;
                self.times(world, &said, person) > self.proposed.iter().filter(is_it).count()
            }
        }
    }

    /// Counts how often a person said this about the ask.
    fn times(&self, world: &World, what: &PersonDecision, person: &str) -> usize {
        let sent = world.ledger.lock().sent.clone();
        let is_it = |sent: &&Sent| sent.person == person && sent.what == *what && is_about(world, sent, &self.ask);
        sent.iter().filter(is_it).count()
    }

    /// Did this answer count without settling the ask: as one vote of several, or until it was undone or replaced, or
    /// until the agent withdrew its question?
    fn stood_for_a_while(&self, sent: &Sent) -> bool {
        let PersonDecision::Answer(answer) = &sent.what else { return false };
        let is_vote = self.votes.iter().any(|(said, who)| said.as_ref() == Some(answer) && *who == sent.person);
        let mine = self.proposed.iter().position(|(said, who)| said.as_ref() == Some(answer) && *who == sent.person);
        let taken_back = mine.is_some_and(|mine| self.proposed[mine + 1..].iter().any(|(_, who)| *who == sent.person));
        let gave_way = match self.endings.first() {
            Some(Ending::Withdrawn) | None => true,
            // A person who may undo an answer may also dismiss the ask instead.
            Some(Ending::Settled(settled)) => match &settled.outcome {
                Outcome::Dismissed { by, .. } => by.person.as_str() == sent.person,
                // The same person gave another answer, without an undo time.
                Outcome::Answered { by, .. } => by.person.as_str() == sent.person,
                _ => false,
            },
        };
        is_vote || taken_back || (mine.is_some() && gave_way)
    }
}

/// Laws 2, 3 and 5: an ask has one outcome, which a person really decided, or which is reported as nobody's.
fn outcome(world: &World, ask: AskId, record: &Record) {
    let broke = |law, text: String| world.log.broke(law, Some(ask.session), text);
    if record.asked != 1 {
        broke(4, format!("{ask} was asked {} times", record.asked));
    }
    if record.endings.len() > 1 {
        broke(2, format!("{ask} ended {} times", record.endings.len()));
    }
    ruled::terms(world, &record.ask);
    if record.delivered > 1 {
        broke(4, format!("{ask} was delivered {} times", record.delivered));
    }
    let Some(Ending::Settled(settled)) = record.endings.first() else { return };
    let said = |wanted: &PersonDecision, person: &str| {
        let said = world.said_it(person, |sent| is_about(world, sent, &record.ask) && sent.what == *wanted);
        if said == SaidIt::Revoked {
            broke(8, format!("{ask} was decided by {person}, whose token was revoked"));
        }
        said != SaidIt::Never
    };
    let ruling = &settled.verdict.ruling;
    match &settled.outcome {
        Outcome::Answered { answer, by } => {
            if !said(&PersonDecision::Answer(answer.clone()), by.person.as_str()) {
                broke(3, format!("{} never said {answer:?} to {ask}", by.person));
            }
            let needed = usize::from(record.ask.terms.quorum);
            if needed > 1 && record.agree(answer) < needed {
                broke(2, format!("{ask} needs {needed} people, and {} agree", record.agree(answer)));
            }
            if !record.stands(world, answer, by.person.as_str()) {
                broke(2, format!("{ask} was settled with an answer that was taken back: {answer:?}"));
            }
            if *ruling != Ruling::Answer(answer.clone()) {
                broke(3, format!("{ask} was answered with {answer:?}, and the agent is told {ruling:?}"));
            }
            if let (Answer::Questions(picks), Body::Questions(questions)) = (answer, &record.ask.body) {
                let skipped = picks.iter().zip(questions).filter(|(pick, _)| pick.is_skipped());
                for (_, question) in skipped.filter(|(_, question)| !settled.verdict.words.contains(&question.text)) {
                    broke(3, format!("{ask} does not say that “{}” was skipped", question.text));
                }
            }
        }
        Outcome::Dismissed { by, .. } => {
            if !said(&PersonDecision::Dismiss, by.person.as_str()) {
                broke(3, format!("{} never closed {ask}", by.person));
            }
        }
        Outcome::Expired => {
            if record.deadline.is_none_or(|deadline| settled.at < deadline) {
                broke(3, format!("{ask} expired at {:?}, before {:?}", settled.at, record.deadline));
            }
            if !settled.verdict.words.to_lowercase().contains("nobody") {
                broke(3, format!("{ask} expired, and the agent is not told so: {}", settled.verdict.words));
            }
        }
        Outcome::Ruled { .. } | Outcome::RuledOut { .. } => {
            ruled::judge(world, &record.ask, settled, record.settled_in == Some(record.asked_in));
        }
    }
    let allows = matches!(
        ruling,
        Ruling::Answer(Answer::Approval(Decision::Allow { .. })) | Ruling::Assume(Answer::Approval(_))
    );
    let by_a_person =
        matches!(&settled.outcome, Outcome::Answered { answer: Answer::Approval(Decision::Allow { .. }), .. });
    let by_a_rule = matches!(&settled.outcome, Outcome::Ruled { rule, .. }
        if world.rule_in_force(rule, record.ask.at) == Some(Says::Allow));
    if allows && !by_a_person && !by_a_rule {
        broke(5, format!("{ask} allows what no person and no rule allowed"));
    }
}

/// Law 6: a late answer is in the journal once, as a message that quotes the question.
fn late(world: &World, ask: AskId, record: &Record) {
    let broke = |law, text: String| world.log.broke(law, Some(ask.session), text);
    if record.late.len() > 1 {
        broke(6, format!("{ask} was answered late {} times", record.late.len()));
    }
    for (answer, person) in &record.late {
        let is =
            |sent: &Sent| is_about(world, sent, &record.ask) && sent.what == PersonDecision::Answer(answer.clone());
        match world.said_it(person, is) {
            SaidIt::InTime => {}
            SaidIt::Revoked => broke(8, format!("{person} answered {ask} late, with a token that was revoked")),
            SaidIt::Never => broke(3, format!("{person} never said {answer:?} to {ask}")),
        }
        if !record.messages.iter().any(|text| text.contains(record.ask.body.headline())) {
            broke(6, format!("the late answer to {ask} became no message"));
        }
    }
}

/// Law 4: an ask that was acknowledged is in the journal once, and what the agent is told never changes.
fn asked(world: &World, records: &BTreeMap<AskId, Record>) {
    let ledger = world.ledger.lock();
    let mut keys: BTreeMap<&str, &str> = BTreeMap::new();
    for (key, view) in &ledger.views {
        let id = view["id"].as_str().unwrap_or_default();
        let Ok(ask) = id.parse::<AskId>() else { continue };
        let broke = |law, text: String| world.log.broke(law, Some(ask.session), text);
        let first = *keys.entry(key.as_str()).or_insert(id);
        if first != id {
            broke(4, format!("{key} is {first} and also {id}"));
        }
        let Some(record) = records.get(&ask) else {
            broke(4, format!("{ask} was acknowledged and is lost"));
            continue;
        };
        let told = view["verdict"]["words"].as_str();
        match record.endings.first() {
            Some(Ending::Settled(settled)) if told.is_some_and(|words| words != settled.verdict.words) => {
                broke(2, format!("{ask} was told {told:?}, the journal says {:?}", settled.verdict.words));
            }
            Some(Ending::Withdrawn) | None if told.is_some() => {
                broke(2, format!("{ask} was told {told:?}, the journal knows of no verdict"));
            }
            _ => {}
        }
    }
}

/// Laws 2 and 4: an answer that was acknowledged counts.
fn acknowledged(world: &World, records: &BTreeMap<AskId, Record>) {
    let acknowledged = world.ledger.lock().acknowledged.clone();
    for one in acknowledged {
        let sent = &one.sent;
        let Some(number) = sent.number else { continue };
        let ask = AskId { session: sent.session, number };
        let cards = world.cards(sent).into_iter().map(|number| AskId { number, ..ask });
        let records: Vec<_> = cards.filter_map(|card| records.get(&card)).collect();
        let won = records.iter().flat_map(|record| &record.endings).any(|ending| match ending {
            Ending::Settled(settled) => sent.is_outcome(&settled.outcome),
            Ending::Withdrawn => false,
        });
        let mut late = records.iter().flat_map(|record| &record.late);
        let came_late =
            late.any(|(answer, person)| *person == sent.person && sent.what == PersonDecision::Answer(answer.clone()));
        let stood = records.iter().any(|record| record.stood_for_a_while(sent));
        let holds = match one.late {
            Some(true) => came_late,
            // A repeated answer is acknowledged without `late`, even if the first was late.
            Some(false) | None => won || came_late || stood,
        };
        if !holds {
            let why = format!("{} was told that {:?} counts for {ask}, and it does not", sent.person, sent.what);
            world.log.broke(2, Some(sent.session), why);
        }
    }
}

/// Law 4, for clients with a cursor: they get everything from the first snapshot on, in order, once.
fn watched(world: &World, stored: &[Arc<Stored>]) {
    let (watched, heard_up_to) = {
        let ledger = world.ledger.lock();
        (ledger.watched.clone(), ledger.heard_up_to)
    };
    for person in watched {
        let Some(first) = person.first_cursor.as_deref().and_then(|cursor| cursor.parse::<Cursor>().ok()) else {
            continue;
        };
        let revoked = world.revoked(&person.person);
        if person.snapshots != 1 {
            world.log.broke(4, None, format!("{} needed {} snapshots", person.person, person.snapshots));
        }
        let (before, after): (Vec<_>, Vec<_>) =
            stored.iter().partition(|stored| first.covers(stored.entry.session, stored.position));
        let mut open = BTreeSet::new();
        for event in before.iter().flat_map(|stored| &stored.entry.events).map(|written| &*written.event) {
            match event {
                Event::Asked(ask) => drop(open.insert(ask.id.to_string())),
                Event::Settled(settled) => drop(open.remove(&settled.ask.to_string())),
                Event::Withdrawn { ask, .. } | Event::Overtaken { ask, .. } => drop(open.remove(&ask.to_string())),
                _ => {}
            }
        }
        let shown: BTreeSet<_> = person.first_open.iter().cloned().collect();
        let fits = if person.first_had_more { shown.is_subset(&open) } else { shown == open };
        if !fits {
            world.log.broke(4, None, format!("{} was shown {:?}, open was {open:?}", person.person, person.first_open));
        }
        let expected = after.iter().flat_map(|stored| stored.entry.events.iter().map(|it| (stored.entry.session, it)));
        let expected: Vec<_> = expected.collect();
        let in_time = after.iter().filter(|stored| stored.position.0 <= heard_up_to);
        let needed: usize = in_time.map(|stored| stored.entry.events.len()).sum();
        let differs = expected.iter().zip(&person.events).find(|((_, written), heard)| {
            serde_json::from_str::<Value>(&written.json).is_ok_and(|written| written != **heard)
        });
        if let Some(((session, written), heard)) = differs {
            let why = format!("{} heard {heard} where the journal has {}", person.person, written.json);
            world.log.broke(4, Some(*session), why);
        } else if !(needed..=expected.len()).contains(&person.events.len()) && revoked.is_none() {
            let missed = expected.get(person.events.len()).map(|(session, _)| *session);
            let why = format!("{} heard {} of {} events", person.person, person.events.len(), expected.len());
            world.log.broke(4, missed, why);
        }
    }
}

/// Law 4, for the hash chain: every entry names the one before it.
fn chain(world: &World, stored: &[Arc<Stored>]) {
    let mut last: BTreeMap<SessionId, (Digest, Position)> = BTreeMap::new();
    for stored in stored {
        let (session, prev) = (stored.entry.session, stored.entry.prev);
        let (expected, before) = last.get(&session).copied().unwrap_or((Digest::ZERO, Position(0)));
        if prev != expected || stored.position <= before {
            world.log.broke(4, Some(session), format!("the entry at {} does not follow its last", stored.position.0));
        }
        last.insert(session, (stored.entry.digest(), stored.position));
    }
}

/// Finds the session of the ask with this key.
pub(crate) async fn session_of_key(world: &World, key: &str) -> Option<SessionId> {
    ask_of_key(world, key).await.map(|ask| ask.session)
}

/// Finds the ask with this key.
pub(crate) async fn ask_of_key(world: &World, key: &str) -> Option<AskId> {
    let stored = everything(world).await;
    let mut events = stored.iter().flat_map(|stored| &stored.entry.events);
    events.find_map(|written| match &*written.event {
        Event::Asked(ask) if ask.key.as_ref().is_some_and(|known| known.as_str() == key) => Some(ask.id),
        _ => None,
    })
}

/// Did this person speak about that ask?
fn is_about(world: &World, sent: &Sent, ask: &Ask) -> bool {
    sent.session == ask.id.session && world.cards(sent).contains(&ask.id.number)
}
