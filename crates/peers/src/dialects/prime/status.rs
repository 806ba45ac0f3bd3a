//! The content of `session_status`, gathered from events.

use askbridge_core::event::Event;
use askbridge_core::ids::Timestamp;

use super::wire;
use crate::json::Rfc3339;
use crate::told::Happened;
use crate::turn::Turn;

#[derive(Debug, Default)]
pub(super) struct Progress {
    turn: Turn,
    last_event_type: Option<&'static str>,
    last_activity: Option<Timestamp>,
    completed_at: Option<Timestamp>,
}

impl Progress {
    /// Returns whether this event begins a turn.
    pub(super) fn hear(&mut self, happened: &Happened) -> bool {
        self.last_activity = Some(happened.at);
        let begins = self.turn.hear(&happened.event);
        if begins {
            self.completed_at = None;
        }
        if let Event::TurnEnded { .. } = &*happened.event {
            self.completed_at = Some(happened.at);
        }
        begins
    }

    /// The status of a session that does not exist yet begins now.
    pub(super) fn begins(&mut self, now: Timestamp) {
        self.last_activity = Some(now);
    }

    /// Remembers the type of the last frame that a client was, or would have been, sent.
    pub(super) fn sent(&mut self, kind: &'static str) {
        self.last_event_type = Some(kind);
    }

    pub(super) fn is_processing(&self) -> bool {
        self.turn.is_running()
    }

    pub(super) fn status(&self, session_id: String, pending: Option<String>, buffered_count: usize) -> wire::Status {
        let is_processing = self.is_processing() || pending.is_some();
        let is_over = self.completed_at.is_some() || matches!(self.last_event_type, Some("complete" | "error"));
        let status = match (&pending, is_processing, self.last_event_type) {
            (Some(_), ..) => "waiting",
            // No message yet: it waits for the person.
            (None, false, _) => {
                if is_over {
                    "done"
                } else {
                    "waiting"
                }
            }
            (None, true, None | Some("thinking" | "session_id" | "complete" | "error")) => "thinking",
            (None, true, Some(_)) => "generating",
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
