//! An ask and a session flattened for display.
//!
//! A view is made of the session ([`AskView::of`]) or of events ([`AskView::apply`]). The session keeps only a stub of an
//! ask that is over, so the bridge makes the view of such an ask of the events that ended it, which the index keeps.

use std::sync::Arc;

use crate::answer::{Answer, Outcome, RulePlace, Who};
use crate::ask::Ask;
use crate::event::{Event, Parcel, Settings, Started};
use crate::ids::{AskId, CallId, MessageId, Raw, SessionId, StableNodeId, Timestamp};
use crate::session::{AskStage, End, Interruption, Late, Live, Session};
use crate::verdict::Verdict;

/// The state of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    Open,
    Proposed,
    Answered,
    Dismissed,
    Expired,
    Ruled,
    Withdrawn,
    Overtaken,
}

/// One ask and its history.
#[derive(Debug, Clone, PartialEq)]
pub struct AskView {
    pub ask: Arc<Ask>,
    pub state: State,
    pub deadline: Option<Timestamp>,
    pub parked: bool,
    pub stranded: bool,
    /// What a person or a rule answered; while proposed, the answer that counts unless it is undone.
    pub answer: Option<Answer>,
    pub by: Option<By>,
    /// While several people have to agree: the votes so far, one per person.
    pub votes: Vec<(Who, Answer)>,
    /// What a person wrote when dismissing it, or why the agent no longer waits.
    pub words: Option<String>,
    /// The input that the call ran with, if it is not the allowed one.
    pub ran: Option<Raw>,
    pub verdict: Option<Verdict>,
    /// Until when an answer can be undone.
    pub undo_until: Option<Timestamp>,
    pub settled_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub late: Option<Late>,
    /// The later ask that took this one's place.
    pub moved_to: Option<AskId>,
    /// The node that runs the agent. The session does not know how it is, so the caller that shows the ask fills it in.
    pub host: Option<Arc<HostMark>>,
}

/// The node that runs a session's agent, where several share the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostMark {
    pub id: StableNodeId,
    pub name: String,
    pub state: HostState,
}

/// How a node is that runs agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostState {
    Up,
    /// It delivers what was decided when it is up again.
    Down {
        since: Timestamp,
    },
    /// It was declared gone: its agents will not come back.
    Gone,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    Person(Who),
    Rule { rule: String, place: Option<RulePlace> },
}

/// One session, without its asks.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionView {
    pub id: SessionId,
    pub started: Arc<Started>,
    pub settings: Arc<Settings>,
    pub end: Option<End>,
    pub open: Vec<AskId>,
    pub queued: Vec<(MessageId, String)>,
    /// Those of the queued messages that were handed to the agent, without proof that they arrived.
    pub handed: Vec<MessageId>,
    /// Asks whose verdict has not reached the agent: open, or settled and not delivered.
    pub waiting: Vec<UndeliveredAsk>,
    pub process: ProcessState,
    /// The last interruption: its door may not have told the agent.
    pub interrupted: Option<Interruption>,
    pub last_activity: Timestamp,
    /// The node that runs the agent. The session does not know how it is, so the caller that shows it fills it in.
    pub host: Option<Arc<HostMark>>,
}

/// An ask whose verdict has not reached the agent, with what its door needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndeliveredAsk {
    pub ask: AskId,
    pub call: Option<CallId>,
    pub is_open: bool,
    pub parked: bool,
    pub stranded: bool,
}

/// The state of a hosted agent's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProcessState {
    Running,
    /// It was ended while an ask is open; the answer starts it again.
    Parked,
    /// It ended; the next message starts it again.
    Asleep,
    /// The session never had one, or will not have one again.
    None,
}

impl ProcessState {
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Parked => "parked",
            Self::Asleep => "asleep",
            Self::None => "none",
        }
    }

    fn of(session: &Session) -> Self {
        match session.host {
            Some(host) if host.process.is_some() => Self::Running,
            _ if session.end.is_some() || session.epoch.0 == 0 => Self::None,
            _ if session.open().any(|live| live.parked) => Self::Parked,
            _ => Self::Asleep,
        }
    }
}

impl State {
    pub const ALL: [Self; 8] = [
        Self::Open,
        Self::Proposed,
        Self::Answered,
        Self::Dismissed,
        Self::Expired,
        Self::Ruled,
        Self::Withdrawn,
        Self::Overtaken,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Proposed => "proposed",
            Self::Answered => "answered",
            Self::Dismissed => "dismissed",
            Self::Expired => "expired",
            Self::Ruled => "ruled",
            Self::Withdrawn => "withdrawn",
            Self::Overtaken => "overtaken",
        }
    }

    pub fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::Proposed)
    }
}

impl AskView {
    /// Returns the view of an ask that was just made.
    pub fn fresh(ask: Arc<Ask>) -> Self {
        Self {
            deadline: ask.terms.deadline,
            ask,
            state: State::Open,
            parked: false,
            stranded: false,
            answer: None,
            by: None,
            votes: Vec::new(),
            words: None,
            ran: None,
            verdict: None,
            undo_until: None,
            settled_at: None,
            delivered_at: None,
            late: None,
            moved_to: None,
            host: None,
        }
    }

    pub fn of(live: &Live) -> Self {
        let mut view = Self {
            deadline: live.deadline,
            parked: live.parked,
            stranded: live.stranded,
            votes: live.votes.clone(),
            delivered_at: live.delivered_at,
            late: live.late.clone(),
            ..Self::fresh(Arc::clone(&live.ask))
        };
        match &live.stage {
            AskStage::Open => {}
            AskStage::Proposed { answer, by, until } => view.proposed(answer, by, *until),
            AskStage::Settled { outcome, verdict, at } => view.settled(outcome, verdict, *at),
        }
        view
    }

    /// Can a person still answer it, perhaps late?
    pub fn is_answerable(&self) -> bool {
        let late = matches!(self.state, State::Expired | State::Ruled);
        self.state.is_open() || (late && self.late.is_none() && self.moved_to.is_none())
    }

    /// Applies an event about this ask, as [`evolve`](crate::evolve) applies it to the session. Events about other asks
    /// change nothing, except that one that takes its place moves it.
    pub fn apply(&mut self, event: &Event) {
        if let Event::Asked(ask) = event
            && ask.instead_of == Some(self.ask.id)
        {
            self.state = State::Expired;
            self.moved_to = Some(ask.id);
            self.settled_at = self.settled_at.or(Some(ask.at));
        }
        if event.ask() != Some(self.ask.id) {
            return;
        }
        match event {
            Event::Proposed { answer, by, until, .. } => self.proposed(answer, by, *until),
            Event::Undone { by, .. } => {
                self.reopen();
                self.votes.retain(|(who, _)| who.person != by.person);
            }
            Event::Extended { deadline, .. } => self.deadline = *deadline,
            Event::Voted { answer, by, .. } => {
                self.votes.retain(|(who, _)| who.person != by.person);
                self.votes.push((by.clone(), answer.clone()));
            }
            Event::Settled(settled) => {
                self.reopen();
                self.votes = Vec::new();
                self.settled(&settled.outcome, &settled.verdict, settled.at);
            }
            Event::Withdrawn { why, at, .. } => self.left(State::Withdrawn, why, *at),
            Event::Overtaken { mouth, ran, at, .. } => {
                self.left(State::Overtaken, mouth, *at);
                self.ran = ran.clone();
            }
            Event::Parked { .. } => self.parked = true,
            Event::Stranded { .. } => self.stranded = true,
            Event::LateAnswered { answer, by, at, .. } => {
                self.late = Some(Late { answer: answer.clone(), by: by.clone(), at: *at });
            }
            Event::Delivered { parcel: Parcel::Verdict(_), at, .. } => {
                self.delivered_at = Some(*at);
                self.parked = false;
            }
            _ => {}
        }
    }

    /// Drops a proposed answer.
    fn reopen(&mut self) {
        self.state = State::Open;
        (self.answer, self.by, self.undo_until) = (None, None, None);
    }

    /// The agent no longer waits. What a person decided meanwhile does not reach it.
    fn left(&mut self, state: State, words: &str, at: Timestamp) {
        self.reopen();
        (self.votes, self.verdict) = (Vec::new(), None);
        self.state = state;
        self.words = Some(words.to_owned());
        self.settled_at = Some(at);
    }

    fn proposed(&mut self, answer: &Answer, by: &Who, until: Timestamp) {
        self.state = State::Proposed;
        self.answer = Some(answer.clone());
        self.by = Some(By::Person(by.clone()));
        self.undo_until = Some(until);
    }

    fn settled(&mut self, outcome: &Outcome, verdict: &Verdict, at: Timestamp) {
        self.settled_at = Some(at);
        self.verdict = Some(verdict.clone());
        match outcome {
            Outcome::Answered { answer, by } => {
                self.state = State::Answered;
                self.answer = Some(answer.clone());
                self.by = Some(By::Person(by.clone()));
            }
            Outcome::Dismissed { words, by } => {
                self.state = State::Dismissed;
                self.words = words.clone();
                self.by = Some(By::Person(by.clone()));
            }
            Outcome::Expired => self.state = State::Expired,
            Outcome::Ruled { rule, place, answer } => {
                self.state = State::Ruled;
                self.answer = Some(answer.clone());
                self.by = Some(By::Rule { rule: rule.clone(), place: place.clone() });
            }
            Outcome::RuledOut { rule, place, words } => {
                self.state = State::Ruled;
                self.words = Some(words.clone());
                self.by = Some(By::Rule { rule: rule.clone(), place: place.clone() });
            }
        }
    }
}

impl SessionView {
    /// Returns `None` for a session that was never started.
    pub fn of(session: &Session, last_activity: Timestamp) -> Option<Self> {
        Some(Self {
            id: session.id,
            started: Arc::clone(session.started.as_ref()?),
            settings: Arc::clone(&session.settings),
            end: session.end.clone(),
            open: session.open().map(|live| live.ask.id).collect(),
            queued: session.queue.iter().map(|queued| (queued.said.message, queued.said.text.clone())).collect(),
            handed: session.queue.iter().filter(|it| it.attempts > 0).map(|it| it.said.message).collect(),
            waiting: session
                .asks
                .values()
                .filter(|live| live.is_unfinished())
                .map(|live| UndeliveredAsk::of(live))
                .collect(),
            process: ProcessState::of(session),
            interrupted: session.interrupted,
            last_activity,
            host: None,
        })
    }
}

impl UndeliveredAsk {
    fn of(live: &Live) -> Self {
        Self {
            ask: live.ask.id,
            call: live.ask.call.clone(),
            is_open: live.is_open(),
            parked: live.parked,
            stranded: live.stranded,
        }
    }
}
