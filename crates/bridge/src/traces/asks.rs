//! A span for each ask, from asking until it is settled, withdrawn or overtaken.
//!
//! It is made when the ask ends, from the session's state, so an ask that outlived a restart has one too. The session
//! does not hold the request that made the ask: that is kept here, in memory, so after a restart the span has no
//! parent.

use askbridge_core::Session;
use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::limits;
use askbridge_core::session::{Ending, FoundAsk, Live};
use askbridge_journal::Written;
use foldhash::HashMap;
use parking_lot::Mutex;

use super::context::Context;
use super::span::{Kind, Span};
use super::tracer::Tracer;

#[derive(Debug, Default)]
pub(super) struct OpenAsks(Mutex<HashMap<AskId, TracedAsk>>);

/// What the span needs of an ask after its session has dropped it.
#[derive(Debug, Clone)]
struct TracedAsk {
    at: Timestamp,
    kind: &'static str,
    door: String,
    agent: String,
    /// The request that made it.
    parent: Option<Context>,
}

impl OpenAsks {
    fn note(&self, ask: AskId, known: TracedAsk) {
        let mut asks = self.0.lock();
        if asks.len() >= limits::TRACED_ASKS_MAX
            && let Some(any) = asks.keys().next().copied()
        {
            asks.remove(&any);
        }
        asks.entry(ask).or_insert(known);
    }

    fn take(&self, ask: AskId) -> Option<TracedAsk> {
        self.0.lock().remove(&ask)
    }
}

impl TracedAsk {
    fn of(ask: &askbridge_core::ask::Ask, parent: Option<Context>) -> Self {
        let (door, agent) = (ask.asker.door.clone(), ask.asker.agent.clone());
        Self { at: ask.at, kind: ask.body.kind().name(), door, agent, parent }
    }
}

impl Tracer {
    /// Called before an event is folded: afterwards the session no longer holds a withdrawn ask.
    pub(crate) fn before(&self, session: &Session, event: &Event) {
        if let Event::Withdrawn { ask, .. } | Event::Overtaken { ask, .. } = event
            && let Some(live) = open(session, *ask)
        {
            self.asks.note(*ask, TracedAsk::of(&live.ask, None));
        }
    }

    /// Called with durable, folded events: remembers new asks, and makes spans of those that ended.
    pub(crate) fn after(&self, session: &Session, events: &[Written]) {
        for written in events {
            match &*written.event {
                Event::Asked(ask) => self.asks.note(ask.id, TracedAsk::of(ask, Context::current())),
                Event::Settled(settled) => {
                    let known = self.asks.take(settled.ask).or_else(|| match session.find(settled.ask) {
                        Some(FoundAsk::Live(live)) => Some(TracedAsk::of(&live.ask, None)),
                        _ => None,
                    });
                    self.ended(settled.ask, known, settled.outcome.ending(), settled.at);
                }
                Event::Withdrawn { ask, at, .. } => self.ended(*ask, self.asks.take(*ask), Ending::Withdrawn, *at),
                Event::Overtaken { ask, at, .. } => self.ended(*ask, self.asks.take(*ask), Ending::Overtaken, *at),
                _ => {}
            }
        }
    }

    /// Without `known` it had ended before: an answer that the agent has not received can still be overtaken.
    fn ended(&self, ask: AskId, known: Option<TracedAsk>, ending: Ending, at: Timestamp) {
        let Some(TracedAsk { at: began, kind, door, agent, parent }) = known else { return };
        let request = Context::current().filter(|request| request.sampled && Some(*request) != parent);
        let mut span = Span {
            context: self.below(parent),
            parent: parent.map(|parent| parent.span),
            link: request,
            name: format!("ask {kind}").into(),
            kind: Kind::Internal,
            began: nanos(began),
            ended: nanos(at.max(began)),
            failed: false,
            attributes: Vec::with_capacity(6),
        };
        span.say("askbridge.ask.id", ask.to_string());
        span.say("askbridge.session.id", ask.session.to_string());
        span.say("askbridge.ask.kind", kind);
        span.say("askbridge.ask.outcome", outcome(ending));
        span.say("askbridge.door", door);
        span.say("askbridge.agent", agent);
        self.keep(span);
    }
}

fn open(session: &Session, ask: AskId) -> Option<&Live> {
    match session.find(ask) {
        Some(FoundAsk::Live(live)) if live.is_open() => Some(live),
        _ => None,
    }
}

fn outcome(ending: Ending) -> &'static str {
    match ending {
        Ending::Answered => "answered",
        Ending::Dismissed => "dismissed",
        Ending::Expired => "expired",
        Ending::Ruled => "ruled",
        Ending::Withdrawn => "withdrawn",
        Ending::Overtaken => "overtaken",
    }
}

fn nanos(at: Timestamp) -> u64 {
    u64::try_from(at.0).unwrap_or(0).saturating_mul(1_000_000)
}
