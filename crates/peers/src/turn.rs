//! Does an agent work? Told from what happened, for screens that have to know before they let anybody speak.

use std::collections::BTreeSet;

use askbridge_core::event::{Event, Parcel};
use askbridge_core::ids::MessageId;

/// Where a session's turn stands.
#[derive(Debug, Default)]
pub struct Turn {
    is_on: bool,
    queued: BTreeSet<MessageId>,
    /// Messages of which more than their saying was heard: a turn has begun since, or has even ended. That the agent
    /// heard them is noted in passing, and may be told after what it made of them.
    overtaken: BTreeSet<MessageId>,
}

impl Turn {
    /// Returns whether a turn begins with this.
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
            Event::Text { .. } | Event::Thinking { .. } | Event::ToolCalled { .. } | Event::Asked(_) => self.begin(),
            Event::TurnEnded { .. } | Event::Unhosted { .. } => self.is_on = false,
            Event::Closed { .. } | Event::Continued { .. } => *self = Self::default(),
            _ => {}
        }
        self.is_on && !was_on
    }

    fn begin(&mut self) {
        self.is_on = true;
        self.overtaken = self.queued.clone();
    }

    /// A turn runs, or something waits to be said.
    pub fn is_running(&self) -> bool {
        self.is_on || !self.queued.is_empty()
    }
}
