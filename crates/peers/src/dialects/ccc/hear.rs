//! Turns a client's frames into wishes.

use std::time::Duration;

use askbridge_core::ids::AskId;
use serde_json::Value;

use super::peer::{Awaited, Ccc};
use super::wire::{Heard, Said};
use super::{answers, quirks, tell};
use crate::peer::Cx;
use crate::uuid;
use crate::wish::{AskRef, Wish};

impl Ccc {
    pub(super) fn heard(&mut self, text: &str, cx: &mut Cx<'_>) {
        let heard = match serde_json::from_str::<Value>(text) {
            Ok(value) => serde_json::from_value::<Heard>(value).ok(),
            Err(error) => return tell::error(cx, &format!("Invalid JSON: {error}"), "processing_error"),
        };
        let Some(heard) = heard else {
            return tell::error(cx, "Unknown message type: None", "invalid_message_type");
        };
        let kind = match &heard.kind {
            None => quirks::TYPE_LEFT_OUT.to_owned(),
            Some(Value::String(kind)) => kind.clone(),
            Some(other) => other.to_string(),
        };
        match kind.as_str() {
            "chat" => self.chat(heard.content.as_ref().and_then(Value::as_str), cx),
            "interrupt" => self.interrupt(cx),
            "question_answer" => self.answered(&heard, cx),
            "get_state" => self.state(cx),
            "resume" => self.resume(cx),
            "pong" | "ack" => {}
            other => tell::error(cx, &format!("Unknown message type: {other}"), "invalid_message_type"),
        }
    }

    fn chat(&mut self, content: Option<&str>, cx: &mut Cx<'_>) {
        let (Some(session), Some(text)) = (self.session, content.filter(|text| !text.trim().is_empty())) else {
            return tell::error(cx, "Message content is required", "processing_error");
        };
        if self.story.is_running || self.has_said {
            return tell::error(cx, "Already processing a message. Please wait.", "processing_error");
        }
        self.has_said = true;
        let wish = Wish::Say { session, text: text.to_owned(), about: None, client_id: None };
        self.wish(Awaited::Say, wish, cx.out);
    }

    fn interrupt(&mut self, cx: &mut Cx<'_>) {
        if let Some(session) = self.session {
            self.wish(Awaited::Interrupt, Wish::Interrupt { session }, cx.out);
        }
    }

    fn answered(&mut self, heard: &Heard, cx: &mut Cx<'_>) {
        let call = heard.tool_use_id.as_ref().and_then(Value::as_str).unwrap_or_default();
        let named = self.slot.find(|ask| tell::call_of(ask) == call).map(|ask| ask.id);
        let ask = match (named, self.slot.shown().map(|ask| ask.id)) {
            (Some(ask), _) => ask,
            (None, None) => return tell::error(cx, "No pending question to answer", "processing_error"),
            (None, Some(pending)) => {
                tell::error(cx, "Tool use ID mismatch", "processing_error");
                return self.show_again(pending, cx);
            }
        };
        let wish = match answers::read(heard.answers.as_ref()) {
            Ok(Some(reply)) => Wish::Answer { ask: AskRef::Id(ask), reply, undo: Duration::ZERO },
            Ok(None) if self.slot.is_open(ask) => Wish::Dismiss { ask: AskRef::Id(ask), words: None },
            // A late dismissal changes nothing.
            Ok(None) => return tell::error(cx, "No pending question to answer", "processing_error"),
            Err(why) => {
                tell::error(cx, &why, "processing_error");
                return self.show_again(ask, cx);
            }
        };
        if self.slot.is_open(ask) {
            self.slot.say(ask);
        }
        self.wish(Awaited::Answer(ask), wish, cx.out);
    }

    /// The card closed when its answer was sent, so it has to be shown again.
    pub(super) fn show_again(&mut self, ask: AskId, cx: &mut Cx<'_>) {
        if let Some(ask) = self.slot.refused(ask) {
            tell::question(&ask, cx);
        }
    }

    fn state(&mut self, cx: &mut Cx<'_>) {
        let said = Said::State {
            session_id: &self.name,
            connection_state: "connected",
            is_processing: self.story.is_running,
            has_partial_response: self.story.is_running && self.has_text,
            last_activity: self.story.last_at.map(|at| at.0 as f64 / 1000.0),
        };
        tell::send(cx, said);
    }

    fn resume(&mut self, cx: &mut Cx<'_>) {
        let said = match self.session.filter(|_| self.story.is_running) {
            Some(session) => Said::ResumeStarted { sdk_session_id: uuid::of_session(session) },
            None => Said::ResumeNotNeeded { message: "No interrupted processing to resume" },
        };
        tell::send(cx, said);
    }
}
