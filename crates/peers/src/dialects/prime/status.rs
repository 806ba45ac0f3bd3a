//! What `session_status` says, gathered from what happened.

use std::collections::BTreeSet;

use askbridge_core::event::{Event, Parcel};
use askbridge_core::ids::{MessageId, Timestamp};

use super::wire;
use crate::json::Rfc3339;
use crate::told::Happened;

#[derive(Debug, Default)]
pub(super) struct Progress {
    in_turn: bool,
    queued: BTreeSet<MessageId>,
    /// Messages of which more than their saying was heard: a turn has begun since, or has even ended.
    overtaken: BTreeSet<MessageId>,
    last_event_type: Option<&'static str>,
    last_activity: Option<Timestamp>,
    completed_at: Option<Timestamp>,
}

impl Progress {
    /// Returns whether a turn begins with this.
    pub(super) fn hear(&mut self, happened: &Happened) -> bool {
        let was_in_turn = self.in_turn;
        self.last_activity = Some(happened.at);
        match &*happened.event {
            Event::Said(said) => drop(self.queued.insert(said.message)),
            Event::Unsaid { message } => drop(self.queued.remove(message)),
            Event::Delivered { parcel: Parcel::Message(message), .. } => {
                // That it was heard is noted in passing, perhaps after what was made of it.
                self.queued.remove(message);
                if !self.overtaken.remove(message) {
                    self.begin();
                }
            }
            Event::Text { .. } | Event::Thinking { .. } | Event::ToolCalled { .. } | Event::Asked(_) => self.begin(),
            Event::TurnEnded { .. } => {
                self.in_turn = false;
                self.completed_at = Some(happened.at);
            }
            Event::Closed { .. } => {
                self.in_turn = false;
                self.queued.clear();
            }
            _ => {}
        }
        self.in_turn && !was_in_turn
    }

    fn begin(&mut self) {
        self.in_turn = true;
        self.completed_at = None;
        self.overtaken = self.queued.clone();
    }

    /// Remembers what a client was, or would have been, sent last.
    pub(super) fn sent(&mut self, kind: &'static str) {
        self.last_event_type = Some(kind);
    }

    pub(super) fn is_processing(&self) -> bool {
        self.in_turn || !self.queued.is_empty()
    }

    pub(super) fn status(&self, session_id: String, pending: Option<String>, buffered_count: usize) -> wire::Status {
        let is_processing = self.is_processing() || pending.is_some();
        let status = match (&pending, is_processing, self.last_event_type) {
            (Some(_), ..) => "waiting",
            (None, false, _) => "done",
            (None, true, Some("text" | "tool_use")) => "generating",
            (None, true, _) => "thinking",
        };
        let written = |at: Option<Timestamp>| at.map(|at| Rfc3339(at).to_string());
        wire::Status {
            session_id,
            is_processing,
            waiting_for_user: pending.is_some(),
            pending_question_id: pending,
            status,
            last_event_type: self.last_event_type,
            buffered_count,
            last_activity: written(self.last_activity),
            completed_at: written(self.completed_at.filter(|_| !is_processing)),
        }
    }
}
