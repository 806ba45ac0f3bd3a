//! Stopping a turn, once: whoever wanted it is heard, even if we were killed before we could say it.
//!
//! Our request is named after the time at which somebody wanted it. So when everything is heard again after a restart,
//! Claude Code's answer shows whether it was told.

use askbridge_core::ids::{MessageId, Timestamp};
use askbridge_core::limits::QUEUED_MESSAGES_MAX;
use askbridge_core::session::Interruption;
use serde_json::json;

use super::peer::Claude;
use super::say;
use crate::peer::Outbox;

const PREFIX: &str = "askbridge-interrupt-";

/// How far we are with stopping.
#[derive(Debug)]
pub(super) struct Interrupts {
    /// Up to here there is nothing left to do.
    pub(super) done: Timestamp,
    /// To be said as soon as the call is here that comes back.
    wanted: Option<Timestamp>,
}

impl Interrupts {
    pub(super) fn since(done: Timestamp) -> Self {
        Self { done, wanted: None }
    }
}

impl Claude {
    /// Somebody wants the agent to stop.
    pub(super) fn interrupt(&mut self, at: Timestamp, out: &mut Outbox) {
        if at <= self.interrupts.done {
            return;
        }
        if !self.turn_is_running && !self.expected.is_empty() {
            self.interrupts.wanted = Some(at);
            return;
        }
        self.interrupts.done = at;
        // Between turns there is nothing to stop, and no end of a turn would tell us that we may go on.
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

    /// Learns what the journal knows. A turn that began with a later message is not meant.
    pub(super) fn learn_of(&mut self, interruption: Interruption, out: &mut Outbox) {
        let Interruption { at, after } = interruption;
        let later = (after + 1..).take(QUEUED_MESSAGES_MAX).map(|number| MessageId { session: self.session, number });
        if later.into_iter().any(|message| self.messages.has_started(message)) {
            self.interrupts.done = self.interrupts.done.max(at);
        } else {
            self.interrupt(at, out);
        }
    }

    /// Claude Code has answered a request of that name.
    pub(super) fn interrupt_was_heard(&mut self, name: &str) {
        let Some(at) = name.strip_prefix(PREFIX).and_then(|at| at.parse().ok()).map(Timestamp) else { return };
        self.interrupts.done = self.interrupts.done.max(at);
        // Heard again after a restart: the end of the turn is yet to come.
        self.interrupting |= self.turn_is_running;
    }
}
