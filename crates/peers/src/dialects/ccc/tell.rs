//! Turns events into frames.

use askbridge_core::ask::Ask;
use askbridge_core::event::{Event, Level};
use askbridge_core::fit::{Card, fit};
use askbridge_core::ids::{CallId, Raw};
use serde_json::Value;
use serde_json::value::RawValue;

use super::peer::Ccc;
use super::wire::{CccEvent, Question, Timed, Usage};
use super::{ABILITIES, quirks};
use crate::listing::hosted_door;
use crate::peer::Cx;
use crate::slot::Ending;
use crate::told::Happened;

pub(super) fn send(cx: &mut Cx<'_>, said: CccEvent<'_>) {
    let frame = serde_json::to_string(&Timed::at(cx.now, said)).expect("frames have text keys");
    cx.out.text(frame);
}

pub(super) fn error(cx: &mut Cx<'_>, text: &str, code: &'static str) {
    send(cx, CccEvent::Error { error: &quirks::harmless(text), code, details: None });
}

/// The one error that ends a session for the front end. It alone has no time.
pub(super) fn no_session(cx: &mut Cx<'_>, name: &str) {
    let text = format!("Session {name} not found");
    let said = CccEvent::Error { error: &text, code: "session_not_found", details: None };
    cx.out.text(serde_json::to_string(&Timed { said, timestamp: None }).expect("frames have text keys"));
}

/// The front end's id of a question: the agent's call, or one of ours where there is none.
pub(super) fn call_of(ask: &Ask) -> String {
    ask.call.as_ref().map_or_else(|| format!("ask_{}", ask.id.number), |call| call.as_str().to_owned())
}

pub(super) fn question(ask: &Ask, cx: &mut Cx<'_>) {
    let card = fit(ask, &ABILITIES);
    match (card.questions(), &card) {
        (Some(questions), _) => {
            let (call, questions) = (call_of(ask), questions.iter().map(Question::from).collect());
            send(cx, CccEvent::UserQuestion { tool_use_id: &call, questions });
        }
        // This screen could not answer it. The client is told why, and the ask's own terms apply.
        (None, Card::Unshowable(why)) => error(cx, why, "processing_error"),
        (None, _) => {}
    }
}

fn usage(usage: Option<&Raw>) -> Usage {
    let value: Value = usage.and_then(|usage| serde_json::from_str(usage.as_str()).ok()).unwrap_or_default();
    let tokens = |name: &str| value["usage"][name].as_u64().unwrap_or_default();
    Usage {
        input_tokens: tokens("input_tokens"),
        output_tokens: tokens("output_tokens"),
        cache_creation_input_tokens: tokens("cache_creation_input_tokens"),
        cache_read_input_tokens: tokens("cache_read_input_tokens"),
        total_cost_usd: value["total_cost_usd"].as_f64().unwrap_or_default(),
        duration_ms: value["duration_ms"].as_u64().unwrap_or_default(),
    }
}

impl Ccc {
    /// Writes an event as frames, except what concerns the one question on the screen.
    pub(super) fn content(&mut self, happened: &Happened, cx: &mut Cx<'_>) {
        match &*happened.event {
            Event::Said(_) => send(cx, CccEvent::Thinking),
            Event::Text { text, .. } => send(cx, CccEvent::Text { content: text }),
            Event::ToolCalled { name, .. } if name == quirks::QUESTION_TOOL => {}
            Event::ToolCalled { call, name, input, .. } => {
                let input = serde_json::from_str::<&RawValue>(input.as_str()).unwrap_or(RawValue::NULL);
                send(cx, CccEvent::ToolUseStart { tool: name, tool_use_id: call.as_str(), input });
            }
            Event::ToolReturned { call, ok, output } => {
                send(cx, CccEvent::ToolResult { tool_use_id: call.as_str(), success: *ok, output });
            }
            Event::TurnEnded { usage: spent, .. } => {
                send(cx, CccEvent::Result { usage: usage(spent.as_ref()), interrupted: self.is_interrupted });
            }
            Event::Notice { level: Level::Error, text } => error(cx, text, "chat_error"),
            Event::Closed { why, .. } => error(cx, why, "chat_error"),
            _ => {}
        }
    }

    /// Tracks asks. Nothing is sent before the session's past was told.
    pub(super) fn follow(&mut self, happened: &Happened, cx: &mut Cx<'_>) {
        match &*happened.event {
            Event::Asked(_) if happened.settled_at_once => return,
            Event::Asked(ask) => self.slot.asked(ask),
            Event::Extended { ask, deadline, .. } => self.slot.extended(*ask, *deadline),
            event => {
                let Some((ask, ending)) = Ending::of(event) else { return };
                let Some(left) = self.slot.over(ask) else { return };
                // The call of a hosted agent's question gets a result, which marks the card. Others have none.
                let is_hosted = hosted_door(&left.ask.asker.door).is_some();
                let has_result = is_hosted && left.ask.call.as_ref().is_some_and(is_a_call);
                if self.is_caught_up && left.was_shown && !left.said_here && !has_result {
                    let (call, output) = (call_of(&left.ask), ending.in_words());
                    let success = matches!(ending, Ending::Answered { .. } | Ending::Overtaken { .. });
                    send(cx, CccEvent::ToolResult { tool_use_id: &call, success, output: &output });
                }
            }
        }
        if self.is_caught_up
            && let Some(ask) = self.slot.show_next()
        {
            question(&ask, cx);
        }
    }
}

/// Forms belong to a call with an id of their own, which never gets a result.
fn is_a_call(call: &CallId) -> bool {
    !call.as_str().contains('/')
}
