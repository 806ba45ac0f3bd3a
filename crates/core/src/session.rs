//! The state of one session, and [`evolve`], which folds events into it and cannot fail.
//!
//! Chat text, tool output and usage are not folded, which keeps a session small. A finished ask leaves only a stub.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::answer::{Answer, Outcome, Who};
use crate::ask::{Ask, Body};
use crate::event::{Event, Lane, Parcel, Process, Said, Settings, Started};
use crate::ids::{AskId, CallId, Epoch, Key, MessageId, NodeId, PersonId, SessionId, Timestamp};
use crate::limits;
use crate::verdict::Verdict;

/// All state that the rules have of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub id: SessionId,
    /// `None` until it is started.
    pub started: Option<Arc<Started>>,
    /// As started, then as configured since.
    pub settings: Arc<Settings>,
    pub end: Option<End>,
    pub host: Option<Host>,
    /// The highest epoch that was ever claimed.
    pub epoch: Epoch,
    /// Asks that are not over: open, undelivered, or still answerable late. Boxed, because a `BTreeMap` node has room
    /// for eleven values and stays allocated when the last one is gone, and most sessions have one ask.
    pub asks: BTreeMap<u32, Box<Live>>,
    /// Asks that are over, by number.
    stubs: Vec<Stub>,
    /// Digests of the keys they were asked with, and the newest number of each.
    keys: HashMap<u64, u32>,
    /// The people that stubs refer to, so that a stub stays small.
    people: Vec<Who>,
    /// Messages that have not been delivered to the agent.
    pub queue: Vec<Queued>,
    pub asks_made: u32,
    pub messages_made: u32,
    /// The last interruption.
    pub interrupted: Option<Interruption>,
    pub decisions: u64,
}

/// A request that the agent stop its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interruption {
    pub at: Timestamp,
    /// The number of the last message before it. Turns that began with a later message are not affected.
    pub after: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Closed { why: String, at: Timestamp },
    Continued { to: SessionId, at: Timestamp },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Host {
    pub node: NodeId,
    pub epoch: Epoch,
    pub process: Option<Process>,
}

/// An ask that is not over.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    pub ask: Arc<Ask>,
    /// The ask's own deadline, or the one that a person extended it to.
    pub deadline: Option<Timestamp>,
    pub stage: AskStage,
    pub parked: bool,
    pub stranded: bool,
    pub votes: Vec<(Who, Answer)>,
    /// How often the verdict was handed to the agent.
    pub attempts: u32,
    pub delivered_at: Option<Timestamp>,
    pub late: Option<Late>,
    /// The call that ran because a person overruled its denial. Boxed, because few asks have one.
    pub used_by: Option<Box<CallId>>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AskStage {
    Open,
    Proposed { answer: Answer, by: Who, until: Timestamp },
    Settled { outcome: Outcome, verdict: Verdict, at: Timestamp },
}

/// An answer that arrived after the agent had been told of an expiry or a rule's decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Late {
    pub answer: Answer,
    pub by: Who,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Queued {
    pub said: Said,
    pub attempts: u32,
}

/// What is left of an ask that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stub {
    pub number: u32,
    pub ending: Ending,
    /// Who decided: an index into the session's people.
    by: u16,
    /// The later ask that took this one's place.
    pub moved_to: u32,
    pub at: Timestamp,
    /// Digest of the answer, to recognise the same answer.
    answer: u64,
    /// Digest of the body, to recognise a key that is reused for another ask.
    body: u32,
    /// The ask's digest of the terms that the request stated.
    pub stated: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    Answered,
    Dismissed,
    Expired,
    Ruled,
    Withdrawn,
    Overtaken,
}

/// What the session knows of an ask.
#[derive(Debug)]
pub enum FoundAsk<'a> {
    Live(&'a Live),
    Over(&'a Stub),
}

const NOBODY: u16 = u16::MAX;
/// Bytes of a session without asks, including `started` and its places in the bridge's lists.
const WEIGHT: usize = 2 * 1024;

impl Session {
    /// Returns a session without events.
    pub fn new(id: SessionId) -> Self {
        Self {
            id,
            started: None,
            settings: Arc::default(),
            end: None,
            host: None,
            epoch: Epoch(0),
            asks: BTreeMap::new(),
            stubs: Vec::new(),
            keys: HashMap::new(),
            people: Vec::new(),
            queue: Vec::new(),
            asks_made: 0,
            messages_made: 0,
            interrupted: None,
            decisions: 0,
        }
    }

    /// Folds events into a session.
    pub fn replay<'e>(id: SessionId, events: impl IntoIterator<Item = &'e Event>) -> Self {
        let mut session = Self::new(id);
        for event in events {
            evolve(&mut session, event);
        }
        session
    }

    pub fn find(&self, ask: AskId) -> Option<FoundAsk<'_>> {
        if ask.session != self.id {
            return None;
        }
        if let Some(live) = self.asks.get(&ask.number) {
            return Some(FoundAsk::Live(live));
        }
        // Most lookups are for the ask that ended last; the binary search would touch distant memory.
        let last = self.stubs.last().filter(|stub| stub.number == ask.number);
        let at = || self.stubs.binary_search_by_key(&ask.number, |stub| stub.number).ok();
        last.or_else(|| at().map(|at| &self.stubs[at])).map(FoundAsk::Over)
    }

    /// Returns asks that a person can still decide, oldest first.
    pub fn open(&self) -> impl Iterator<Item = &Live> {
        self.asks.values().map(|live| &**live).filter(|live| live.is_open())
    }

    /// Returns the number of the ask that was made with `key`, whether it is over or not.
    pub fn asked_with(&self, key: &Key) -> Option<u32> {
        let live = self.asks.values().find(|live| live.ask.key.as_ref() == Some(key)).map(|l| l.ask.id.number);
        live.or_else(|| self.keys.get(&digest(key)).copied())
    }

    /// Returns the person that a stub names.
    pub fn decided_by(&self, stub: &Stub) -> Option<&Who> {
        self.people.get(usize::from(stub.by))
    }

    /// Returns roughly how many bytes of memory the session takes: its asks and a fixed part.
    pub fn weight(&self) -> usize {
        let asks = self.asks.values().map(|live| size_of::<Live>() + live.ask.weight()).sum::<usize>();
        let said = self.queue.iter().map(|queued| size_of::<Queued>() + queued.said.text.len()).sum::<usize>();
        let stubs = self.stubs.capacity() * size_of::<Stub>() + self.keys.capacity() * 2 * size_of::<u64>();
        WEIGHT + asks + said + stubs
    }

    /// Was a later epoch claimed? What the host of this one says no longer counts.
    pub fn is_over_for(&self, epoch: Epoch) -> bool {
        epoch < self.epoch
    }

    pub fn ask_id(&self, number: u32) -> AskId {
        AskId { session: self.id, number }
    }

    fn live(&mut self, ask: AskId) -> Option<&mut Live> {
        self.asks.get_mut(&ask.number).map(|live| &mut **live)
    }

    /// Turns an ask into a stub.
    fn close(&mut self, number: u32, ending: Ending, at: Timestamp, moved_to: u32) {
        let Some(live) = self.asks.remove(&number) else {
            return;
        };
        let (by, answer) = match &live.stage {
            AskStage::Settled { outcome: Outcome::Answered { answer, by }, .. } => (Some(by), digest(answer)),
            AskStage::Settled { outcome: Outcome::Dismissed { words, by }, .. } => (Some(by), digest(words)),
            _ => (None, 0),
        };
        let by = by.map_or(NOBODY, |by| self.intern(by));
        if let Some(key) = &live.ask.key {
            let newest = self.keys.entry(digest(key)).or_insert(number);
            *newest = number.max(*newest);
        }
        let body = body_digest(&live.ask.body);
        let stub = Stub { number, ending, by, moved_to, at, answer, body, stated: live.ask.stated };
        // Asks mostly end in the order in which they were made.
        let place = match self.stubs.last() {
            Some(last) if last.number > number => self.stubs.partition_point(|stub| stub.number < number),
            _ => self.stubs.len(),
        };
        self.stubs.insert(place, stub);
    }

    fn intern(&mut self, who: &Who) -> u16 {
        let known = self.people.iter().position(|known| known == who);
        let index = known.unwrap_or_else(|| {
            self.people.push(who.clone());
            self.people.len() - 1
        });
        u16::try_from(index).unwrap_or(NOBODY)
    }

    /// Closes the ask if it no longer waits for anything, and the oldest delivered ask if there are too many.
    fn tidy_up(&mut self, number: u32) {
        let Some(live) = self.asks.get(&number) else {
            return;
        };
        let AskStage::Settled { outcome, at, .. } = &live.stage else {
            return;
        };
        let (ending, at) = (outcome.ending(), *at);
        // An overrule is kept for the call that it lets through, and afterwards to recognise that very call.
        if live.delivered_at.is_some() && !live.takes_late_answers() && live.overruled_at().is_none() {
            self.close(number, ending, at, 0);
        }
        let late = self.asks.values().filter(|live| live.delivered_at.is_some());
        if late.clone().count() > limits::LATE_ASKS_MAX {
            let oldest = late.map(|live| live.ask.id.number).next().expect("more than none were counted");
            let ending = self.asks[&oldest].ending().expect("what was delivered was settled");
            self.close(oldest, ending, at, 0);
        }
    }
}

impl Live {
    /// Returns an ask as it is just after it was made.
    pub(crate) fn new(ask: Arc<Ask>) -> Self {
        Self {
            deadline: ask.terms.deadline,
            ask,
            stage: AskStage::Open,
            parked: false,
            stranded: false,
            votes: Vec::new(),
            attempts: 0,
            delivered_at: None,
            late: None,
            used_by: None,
        }
    }

    pub fn is_open(&self) -> bool {
        matches!(self.stage, AskStage::Open | AskStage::Proposed { .. })
    }

    pub fn ending(&self) -> Option<Ending> {
        match &self.stage {
            AskStage::Settled { outcome, .. } => Some(outcome.ending()),
            _ => None,
        }
    }

    /// Returns the ask's next timer, or `None` while it waits for a person alone.
    pub fn due(&self) -> Option<(Timestamp, crate::intent::Due)> {
        match &self.stage {
            AskStage::Open => self.deadline.map(|at| (at, crate::intent::Due::Expire)),
            AskStage::Proposed { until, .. } => Some((*until, crate::intent::Due::Commit)),
            AskStage::Settled { .. } => None,
        }
    }
}

impl Outcome {
    pub fn ending(&self) -> Ending {
        match self {
            Self::Answered { .. } => Ending::Answered,
            Self::Dismissed { .. } => Ending::Dismissed,
            Self::Expired => Ending::Expired,
            Self::Ruled { .. } | Self::RuledOut { .. } => Ending::Ruled,
        }
    }
}

impl Stub {
    /// Is this the answer that the ask was settled with?
    pub fn was_answered_with(&self, answer: &Answer) -> bool {
        self.ending == Ending::Answered && self.answer == digest(answer)
    }

    /// Is this what was asked?
    pub fn asked(&self, body: &Body) -> bool {
        self.body == body_digest(body)
    }

    pub fn was_dismissed_with(&self, words: &Option<String>) -> bool {
        self.ending == Ending::Dismissed && self.answer == digest(words)
    }
}

/// Kept in memory only, so it may differ between releases.
fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Half a digest, so that a stub stays small.
fn body_digest(body: &Body) -> u32 {
    (digest(body) >> 32) as u32
}

/// Applies one event. Cannot fail: an event that does not fit the state changes nothing.
pub fn evolve(session: &mut Session, event: &Event) {
    if event.lane() == Lane::Content {
        return;
    }
    session.decisions += 1;
    match event {
        Event::Started(started) => {
            session.settings = Arc::new(started.settings.clone());
            session.started = Some(Arc::new((**started).clone()));
        }
        Event::Closed { why, at } => session.end = Some(End::Closed { why: why.clone(), at: *at }),
        Event::Continued { to, at } => session.end = Some(End::Continued { to: *to, at: *at }),
        Event::Hosted { node, epoch, process } => {
            session.host = Some(Host { node: *node, epoch: *epoch, process: *process });
            session.epoch = session.epoch.max(*epoch);
        }
        Event::Unhosted { epoch } => {
            if session.host.is_some_and(|host| host.epoch == *epoch) {
                session.host = None;
            }
        }
        Event::Said(said) => {
            session.messages_made = session.messages_made.max(said.message.number);
            session.queue.push(Queued { said: (**said).clone(), attempts: 0 });
        }
        Event::Unsaid { message } => session.queue.retain(|queued| queued.said.message != *message),
        Event::Configured(settings) => Arc::make_mut(&mut session.settings).merge(settings),
        Event::Interrupted { at, .. } => {
            session.interrupted = Some(Interruption { at: *at, after: session.messages_made });
        }
        Event::Asked(ask) => asked(session, ask),
        Event::Proposed { ask, answer, by, until } => {
            if let Some(live) = session.live(*ask) {
                live.stage = AskStage::Proposed { answer: answer.clone(), by: by.clone(), until: *until };
            }
        }
        Event::Undone { ask, by } => {
            if let Some(live) = session.live(*ask) {
                live.stage = AskStage::Open;
                live.votes.retain(|(who, _)| who.person != by.person);
            }
        }
        Event::Extended { ask, deadline, .. } => {
            if let Some(live) = session.live(*ask) {
                live.deadline = *deadline;
            }
        }
        Event::Voted { ask, answer, by } => {
            if let Some(live) = session.live(*ask) {
                live.votes.retain(|(who, _)| who.person != by.person);
                live.votes.push((by.clone(), answer.clone()));
            }
        }
        Event::Settled(settled) => {
            if let Some(live) = session.live(settled.ask) {
                live.stage = AskStage::Settled {
                    outcome: settled.outcome.clone(),
                    verdict: settled.verdict.clone(),
                    at: settled.at,
                };
                live.votes = Vec::new();
            }
        }
        Event::Withdrawn { ask, at, .. } => session.close(ask.number, Ending::Withdrawn, *at, 0),
        Event::Overtaken { ask, at, .. } => session.close(ask.number, Ending::Overtaken, *at, 0),
        Event::Parked { ask } => {
            if let Some(live) = session.live(*ask) {
                live.parked = true;
            }
        }
        Event::Stranded { ask } => {
            if let Some(live) = session.live(*ask) {
                live.stranded = true;
            }
        }
        Event::LateAnswered { ask, answer, by, at } => {
            if let Some(live) = session.live(*ask) {
                live.late = Some(Late { answer: answer.clone(), by: by.clone(), at: *at });
            }
        }
        Event::OverruleUsed { ask, call, .. } => {
            if let Some(live) = session.live(*ask) {
                live.used_by = Some(Box::new(call.clone()));
            }
        }
        Event::Handed { parcel, .. } => match parcel {
            Parcel::Verdict(ask) => {
                if let Some(live) = session.live(*ask) {
                    live.attempts += 1;
                }
            }
            Parcel::Message(message) => {
                if let Some(queued) = session.queued(*message) {
                    queued.attempts += 1;
                }
            }
        },
        Event::Delivered { parcel, at, .. } => match parcel {
            Parcel::Verdict(ask) => {
                if let Some(live) = session.live(*ask) {
                    live.delivered_at = Some(*at);
                    live.parked = false;
                }
                session.tidy_up(ask.number);
            }
            Parcel::Message(message) => session.queue.retain(|queued| queued.said.message != *message),
        },
        Event::Text { .. }
        | Event::Thinking { .. }
        | Event::ToolCalled { .. }
        | Event::ToolReturned { .. }
        | Event::ToolRuled { .. }
        | Event::TurnEnded { .. }
        | Event::Notice { .. } => unreachable!("content was let pass above"),
    }
}

fn asked(session: &mut Session, ask: &Arc<Ask>) {
    session.asks_made = session.asks_made.max(ask.id.number);
    if let Some(old) = ask.instead_of {
        session.close(old.number, Ending::Expired, ask.at, ask.id.number);
    }
    session.asks.insert(ask.id.number, Box::new(Live::new(Arc::clone(ask))));
}

impl Session {
    fn queued(&mut self, message: MessageId) -> Option<&mut Queued> {
        self.queue.iter_mut().find(|queued| queued.said.message == message)
    }

    /// Returns the people who may decide here, or `None` for everyone.
    pub fn audience(&self) -> Option<&[PersonId]> {
        match &self.started.as_ref()?.audience {
            crate::event::Audience::Everyone => None,
            crate::event::Audience::Only(people) => Some(people),
        }
    }
}
