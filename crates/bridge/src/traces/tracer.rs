//! The tracer: makes spans and queues them. Tracing costs one atomic load when no collector is configured.

use std::sync::atomic::{AtomicU64, Ordering};

use askbridge_core::limits;
use tokio::sync::mpsc;

use super::asks::OpenAsks;
use super::context::Context;
use super::span::Span;
use crate::chance::Chance;
use crate::clock::Clock;

#[derive(Debug)]
pub(crate) struct Tracer {
    pub(super) clock: Clock,
    chance: Chance,
    queue: mpsc::Sender<Span>,
    pub(super) asks: OpenAsks,
    sent: AtomicU64,
    lost: AtomicU64,
}

/// Makes a tracer, and the receiving end of its queue.
pub(crate) fn tracer(clock: Clock, chance: Chance) -> (Tracer, mpsc::Receiver<Span>) {
    let (queue, waiting) = mpsc::channel(limits::SPANS_WAITING_MAX);
    let (sent, lost) = (AtomicU64::new(0), AtomicU64::new(0));
    (Tracer { clock, chance, queue, asks: OpenAsks::default(), sent, lost }, waiting)
}

impl Tracer {
    /// Queues a span if it is sampled. Never waits.
    pub(super) fn keep(&self, span: Span) {
        if span.context.sampled && self.queue.try_send(span).is_err() {
            self.note_lost(1);
        }
    }

    /// Makes the context of a new span, within `parent` or in a trace of its own.
    pub(super) fn below(&self, parent: Option<Context>) -> Context {
        // Zero is not a valid id.
        let trace = parent.map_or_else(|| self.chance.u128().max(1), |parent| parent.trace);
        Context { trace, span: self.chance.u64().max(1), sampled: parent.is_none_or(|parent| parent.sampled) }
    }

    pub(super) fn note_sent(&self, spans: u64) {
        self.sent.fetch_add(spans, Ordering::Relaxed);
    }

    pub(super) fn note_lost(&self, spans: u64) {
        self.lost.fetch_add(spans, Ordering::Relaxed);
    }

    /// How many spans the collector took, and how many were lost.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.sent.load(Ordering::Relaxed), self.lost.load(Ordering::Relaxed))
    }
}
