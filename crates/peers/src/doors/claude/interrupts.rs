//! Stops a turn, exactly once, even if askbridge was killed before it could send the interrupt.
//!
//! Our request is named after the time of the interrupt. So when all lines are replayed after a restart, Claude Code's
//! response shows whether it was sent.

use askbridge_core::ids::{MessageId, Timestamp};
use askbridge_core::limits::QUEUED_MESSAGES_MAX;
use askbridge_core::session::Interruption;
use serde_json::json;

use super::peer::Claude;
use super::say;
use crate::peer::Outbox;

const PREFIX: &str = "askbridge-interrupt-";

/// Which interrupts are done and pending.
#[derive(Debug)]
pub(super) struct Interrupts {
    /// Interrupts up to this time need nothing more.
    pub(super) done: Timestamp,
    /// To be sent as soon as the parked call has come back.
    wanted: Option<Timestamp>,
}

impl Interrupts {
    pub(super) fn since(done: Timestamp) -> Self {
        Self { done, wanted: None }
    }
}

impl Claude {
    /// A person wants the agent to stop.
    pub(super) fn interrupt(&mut self, at: Timestamp, out: &mut Outbox) {
        if at <= self.interrupts.done {
            return;
        }
        if !self.turn_is_running && !self.expected.is_empty() {
            self.interrupts.wanted = Some(at);
            return;
        }
        self.interrupts.done = at;
        // Between turns there is nothing to stop, and no end of a turn would clear `interrupting`.
        if self.turn_is_running && !self.interrupting {
            self.interrupting = true;
            let name = format!("{PREFIX}{}", at.0);
            self.say(say::request(&name, &json!({"subtype": "interrupt"})), out);
        }
    }

    pub(super) fn interrupt_if_wanted(&mut self, out: &mut Outbox) {
        if let Some(at) = self.interrupts.wanted.take() {
            self.interrupt(at, out);
        }
    }

    /// Takes up an interrupt from the journal. A turn that began with a later message is not meant.
    pub(super) fn learn_of(&mut self, interruption: Interruption, out: &mut Outbox) {
        let Interruption { at, after } = interruption;
        let later = (after + 1..).take(QUEUED_MESSAGES_MAX).map(|number| MessageId { session: self.session, number });
        if later.into_iter().any(|message| self.messages.has_started(message)) {
            self.interrupts.done = self.interrupts.done.max(at);
        } else {
            self.interrupt(at, out);
        }
    }

    /// Claude Code has responded to a request of that name.
    pub(super) fn interrupt_was_heard(&mut self, name: &str) {
        let Some(at) = name.strip_prefix(PREFIX).and_then(|at| at.parse().ok()).map(Timestamp) else { return };
        self.interrupts.done = self.interrupts.done.max(at);
        // Replayed after a restart: the end of the turn is yet to come.
        self.interrupting |= self.turn_is_running;
    }
}
