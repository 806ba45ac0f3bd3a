//! Turns events into frames.

use askbridge_core::ask::{Ask, Body};
use askbridge_core::event::{Event, Level};
use askbridge_core::fit::{Card, fit};
use askbridge_core::ids::{AskId, Raw, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::peer::Prime;
use super::wire::{PrimeEvent, Question};
use super::{ABILITIES, quirks};
use crate::peer::Outbox;
use crate::slot::Ending;
use crate::told::Happened;
use crate::uuid;

/// One frame, with its type for the status.
pub(super) struct Sent {
    pub(super) kind: &'static str,
    pub(super) text: String,
}

pub(super) fn frame(said: &PrimeEvent<'_>) -> Sent {
    let kind = match said {
        PrimeEvent::Connected { .. } => "connected",
        PrimeEvent::SessionStatus(_) => "session_status",
        PrimeEvent::SessionId(_) => "session_id",
        PrimeEvent::Text { .. } => "text",
        PrimeEvent::ToolUse { .. } => "tool_use",
        PrimeEvent::Thinking { .. } => "thinking",
        PrimeEvent::AskUserQuestion { .. } => "ask_user_question",
        PrimeEvent::AskUserTimeout { .. } => "ask_user_timeout",
        PrimeEvent::Complete { .. } => "complete",
        PrimeEvent::Error { .. } => "error",
        PrimeEvent::SessionTaken => "session_taken",
    };
    Sent { kind, text: serde_json::to_string(said).expect("frames have text keys") }
}

pub(super) fn send(said: &PrimeEvent<'_>, out: &mut Outbox) {
    out.text(frame(said).text);
}

pub(super) fn error(error: &str, out: &mut Outbox) {
    send(&PrimeEvent::Error { error, is_permanent: false }, out);
}

/// The id of a question in the original's form: `q_` and 32 digits.
pub(super) fn question_id(ask: AskId) -> String {
    format!("q_{}", uuid::derived_hex(ask.session, ask.number))
}

/// What a turn cost, as far as the agent reported it.
#[derive(Default, Deserialize)]
pub(super) struct Usage {
    pub(super) total_cost_usd: Option<f64>,
    pub(super) duration_ms: Option<u64>,
}

impl Usage {
    pub(super) fn of(usage: Option<&Raw>) -> Self {
        usage.and_then(|usage| serde_json::from_str(usage.as_str()).ok()).unwrap_or_default()
    }
}

/// Writes an event as frames, except what concerns the one question on the screen.
pub(super) fn content(happened: &Happened) -> Vec<Sent> {
    let said = match &*happened.event {
        Event::Text { text, .. } => PrimeEvent::Text { chunk: text },
        Event::Thinking { text, .. } => PrimeEvent::Thinking { content: text },
        // A question's call is shown with the question, which is durable before its call is.
        Event::ToolCalled { ask: Some(_), .. } => return Vec::new(),
        Event::ToolCalled { name, input, .. } => return vec![tool_use(name, input)],
        Event::Asked(ask) => return asked(ask),
        Event::TurnEnded { usage, .. } => {
            let Usage { total_cost_usd: cost, duration_ms: duration } = Usage::of(usage.as_ref());
            PrimeEvent::Complete {
                status: "success",
                cost_twin: cost,
                duration_twin: duration,
                cost_usd: cost,
                duration_ms: duration,
            }
        }
        Event::Notice { level: Level::Error, text } => PrimeEvent::Error { error: text, is_permanent: false },
        Event::Closed { why, .. } => PrimeEvent::Error { error: why, is_permanent: true },
        _ => return Vec::new(),
    };
    vec![frame(&said)]
}

/// The call of a question, which the original shows before it asks.
fn asked(ask: &Ask) -> Vec<Sent> {
    match (&ask.body, &ask.call, &ask.original) {
        (Body::Questions(_), Some(_), Some(input)) => vec![tool_use(quirks::QUESTION_TOOL, input)],
        (Body::Plan(_), Some(_), Some(input)) => vec![tool_use("ExitPlanMode", input)],
        _ => Vec::new(),
    }
}

fn tool_use(name: &str, input: &Raw) -> Sent {
    let input = serde_json::from_str::<&RawValue>(input.as_str()).unwrap_or(RawValue::NULL);
    frame(&PrimeEvent::ToolUse { name, input })
}

impl Prime {
    /// Shows an ask on the one card there is.
    pub(super) fn show(&mut self, ask: &Ask, now: Timestamp, out: &mut Outbox) {
        let card = fit(ask, &ABILITIES);
        let Some(questions) = card.questions() else {
            // This screen could not answer it. The client is told why, and the ask's own terms apply.
            if let Card::Unshowable(why) = &card {
                error(why, out);
            }
            return;
        };
        let questions = questions.iter().map(Question::from).collect();
        let left = self.slot.seconds_left(ask.id, now);
        let timeout_seconds = left.unwrap_or(quirks::WITHOUT_DEADLINE_SECONDS);
        let sent = frame(&PrimeEvent::AskUserQuestion { id: question_id(ask.id).into(), questions, timeout_seconds });
        self.progress.sent(sent.kind);
        out.text(sent.text);
    }

    /// Tracks asks. Nothing is sent before the session's past was told.
    pub(super) fn follow(&mut self, happened: &Happened, now: Timestamp, out: &mut Outbox) {
        match &*happened.event {
            Event::Asked(_) if happened.settled_at_once => return,
            Event::Asked(ask) => self.slot.asked(ask),
            Event::Extended { ask, deadline, .. } => self.slot.extended(*ask, *deadline),
            event => {
                let Some((ask, ending)) = Ending::of(event) else { return };
                let Some(left) = self.slot.over(ask) else { return };
                if self.is_caught_up && left.was_shown && (!left.said_here || ending == Ending::Expired) {
                    let error = quirks::closing_words(&ending);
                    let id = question_id(left.ask.id).into();
                    let sent = frame(&PrimeEvent::AskUserTimeout { id, error: &error });
                    self.progress.sent(sent.kind);
                    out.text(sent.text);
                }
            }
        }
        if self.is_caught_up
            && let Some(ask) = self.slot.show_next()
        {
            self.show(&ask, now, out);
        }
    }
}
