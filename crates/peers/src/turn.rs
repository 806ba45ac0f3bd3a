//! Whether an agent is in a turn, derived from events, for clients that accept no message while it is.

use std::collections::BTreeSet;

use askbridge_core::event::{Event, Parcel};
use askbridge_core::ids::{AskId, MessageId};

/// The state of a session's turn.
#[derive(Debug, Default)]
pub struct Turn {
    is_on: bool,
    queued: BTreeSet<MessageId>,
    /// Messages that were queued when the agent last said or did something. `Delivered` is written late, as a rider,
    /// and may come after the turn that the message began; it must not begin another.
    overtaken: BTreeSet<MessageId>,
    open: BTreeSet<AskId>,
    /// Only asks have happened in this turn.
    only_asks: bool,
}

impl Turn {
    /// Returns whether this event begins a turn.
    pub fn hear(&mut self, event: &Event) -> bool {
        let was_on = self.is_on;
        match event {
            Event::Said(said) => drop(self.queued.insert(said.message)),
            Event::Unsaid { message } => drop(self.queued.remove(message)),
            Event::Delivered { parcel: Parcel::Message(message), .. } => {
                self.queued.remove(message);
                if !self.overtaken.remove(message) {
                    self.begin();
                }
            }
            Event::Text { .. } | Event::Thinking { .. } | Event::ToolCalled { .. } => self.begin(),
            Event::Asked(ask) => {
                let only_asks = self.only_asks || !self.is_on;
                self.begin();
                self.only_asks = only_asks;
                self.open.insert(ask.id);
            }
            Event::Settled(settled) => drop(self.open.remove(&settled.ask)),
            Event::Withdrawn { ask, .. } | Event::Overtaken { ask, .. } => drop(self.open.remove(ask)),
            Event::TurnEnded { .. } | Event::Unhosted { .. } => self.is_on = false,
            Event::Closed { .. } | Event::Continued { .. } => *self = Self::default(),
            _ => {}
        }
        self.is_on && !was_on
    }

    fn begin(&mut self) {
        self.is_on = true;
        self.only_asks = false;
        self.overtaken = self.queued.clone();
    }

    /// A turn runs, or a message waits for the agent.
    pub fn is_running(&self) -> bool {
        self.is_on || !self.queued.is_empty()
    }

    /// The same, except that a turn of nothing but asks is over with the last of them: an ask that comes over HTTP or MCP
    /// is in no turn of an agent, and no `TurnEnded` follows it.
    pub fn has_more_to_come(&self) -> bool {
        let is_over = self.only_asks && self.open.is_empty();
        self.is_on && !is_over || !self.queued.is_empty()
    }
}
