//! Turns events into frames.

use std::borrow::Cow;

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

/// The one error that ends a session for the front end. It alone has no time.
pub(super) fn no_session(cx: &mut Cx<'_>, name: &str) {
    let text = format!("Session {name} not found");
    let said = CccEvent::Error { error: &text, code: "session_not_found", details: None };
    cx.out.text(serde_json::to_string(&Timed { said, timestamp: None }).expect("frames have text keys"));
}

/// The front end's id of a question: the agent's call, or the ask's own id where there is none. It has to be unique across
/// sessions, because the page keeps a card that it could not close, and also shows it in the next session.
pub(super) fn call_of(ask: &Ask) -> String {
    ask.call.as_ref().map_or_else(|| ask.id.to_string(), |call| call.as_str().to_owned())
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
    /// Has the page draw a streaming message.
    pub(super) fn think(&mut self, cx: &mut Cx<'_>) {
        self.is_drawn = true;
        send(cx, CccEvent::Thinking);
    }

    pub(super) fn question(&mut self, ask: &Ask, cx: &mut Cx<'_>) {
        let card = fit(ask, &ABILITIES);
        match (card.questions(), &card) {
            (Some(questions), _) => {
                self.think(cx);
                let (call, questions) = (call_of(ask), questions.iter().map(Question::from).collect());
                send(cx, CccEvent::UserQuestion { tool_use_id: &call, questions });
            }
            // This screen could not answer it. The client is told why, and the ask's own terms apply.
            (None, Card::Unshowable(why)) => self.complain(why, "processing_error", cx),
            (None, _) => {}
        }
    }

    /// Reports an error, after which the page no longer draws the message with the card in it.
    pub(super) fn error(&mut self, text: &str, code: &'static str, cx: &mut Cx<'_>) {
        send(cx, CccEvent::Error { error: &quirks::harmless(text), code, details: None });
        self.is_drawn = false;
    }

    /// Reports an error, and has the page go on with the message that it drew.
    pub(super) fn complain(&mut self, text: &str, code: &'static str, cx: &mut Cx<'_>) {
        self.error(text, code, cx);
        self.think_on(cx);
    }

    /// Has the page draw a streaming message while the agent works or something is open.
    pub(super) fn think_on(&mut self, cx: &mut Cx<'_>) {
        if self.is_caught_up && (self.story.is_running || self.slot.shown().is_some()) {
            self.think(cx);
        }
    }

    /// Ends the message that the page draws, if nothing happens in it any more and no turn's end will say so: an ask that was
    /// made outside of a turn is over, or the agent's process has ended.
    pub(super) fn close(&mut self, cx: &mut Cx<'_>) {
        if self.is_caught_up && self.is_drawn && !self.story.is_running && self.slot.shown().is_none() {
            self.end(Usage::default(), cx);
        }
    }

    fn end(&mut self, usage: Usage, cx: &mut Cx<'_>) {
        self.is_drawn = false;
        self.has_open_text = false;
        send(cx, CccEvent::Result { usage, interrupted: self.is_interrupted });
    }

    /// Texts of one turn are separate paragraphs, also around a question, of which the page draws nothing between them.
    fn text(&mut self, text: &str, cx: &mut Cx<'_>) {
        self.is_drawn = true;
        let content = match std::mem::replace(&mut self.has_open_text, true) {
            true => Cow::Owned(format!("\n\n{text}")),
            false => Cow::Borrowed(text),
        };
        send(cx, CccEvent::Text { content: &content });
    }

    /// Writes an event as frames, except what concerns the one question on the screen.
    pub(super) fn content(&mut self, happened: &Happened, cx: &mut Cx<'_>) {
        match &*happened.event {
            Event::Said(_) => {
                self.has_open_text &= self.is_drawn;
                self.think(cx);
            }
            Event::Text { text, .. } => self.text(text, cx),
            Event::ToolCalled { name, .. } if name == quirks::QUESTION_TOOL => {}
            Event::ToolCalled { call, name, input, .. } => {
                (self.is_drawn, self.has_open_text) = (true, false);
                let input = serde_json::from_str::<&RawValue>(input.as_str()).unwrap_or(RawValue::NULL);
                send(cx, CccEvent::ToolUseStart { tool: name, tool_use_id: call.as_str(), input });
            }
            Event::ToolReturned { call, ok, output } => {
                send(cx, CccEvent::ToolResult { tool_use_id: call.as_str(), success: *ok, output });
            }
            Event::TurnEnded { usage: spent, .. } => {
                self.end(usage(spent.as_ref()), cx);
            }
            Event::Notice { level: Level::Error, text } => self.complain(text, "chat_error", cx),
            Event::Closed { why, .. } => self.complain(why, "chat_error", cx),
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
                    // The page draws no result without a call. Outside of a turn the message would be empty.
                    if !self.story.is_running {
                        self.text(&output, cx);
                    }
                }
            }
        }
        if self.is_caught_up
            && let Some(ask) = self.slot.show_next()
        {
            self.question(&ask, cx);
        }
    }
}

/// Forms belong to a call with an id of their own, which never gets a result.
fn is_a_call(call: &CallId) -> bool {
    !call.as_str().contains('/')
}
