//! Turns a client's frames into wishes.

use std::time::Duration;

use askbridge_core::ids::AskId;
use serde_json::Value;

use super::peer::{Ccc, PendingReply};
use super::wire::{CccEvent, CccFrame};
use super::{answers, quirks, tell};
use crate::peer::Cx;
use crate::uuid;
use crate::wish::{AskRef, Wish};

impl Ccc {
    pub(super) fn heard(&mut self, text: &str, cx: &mut Cx<'_>) {
        let heard = match serde_json::from_str::<Value>(text) {
            Ok(value) => serde_json::from_value::<CccFrame>(value).ok(),
            Err(error) => return self.complain(&format!("Invalid JSON: {error}"), "processing_error", cx),
        };
        let Some(heard) = heard else {
            return self.complain("Unknown message type: None", "invalid_message_type", cx);
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
            other => self.complain(&format!("Unknown message type: {other}"), "invalid_message_type", cx),
        }
    }

    fn chat(&mut self, content: Option<&str>, cx: &mut Cx<'_>) {
        let (Some(session), Some(text)) = (self.session, content.filter(|text| !text.trim().is_empty())) else {
            return self.complain("Message content is required", "processing_error", cx);
        };
        if self.story.is_running || self.has_said {
            return self.complain("Already processing a message. Please wait.", "processing_error", cx);
        }
        self.has_said = true;
        let wish = Wish::Say { session, text: text.to_owned(), about: None, client_id: None };
        self.wish(PendingReply::Say, wish, cx.out);
    }

    fn interrupt(&mut self, cx: &mut Cx<'_>) {
        if let Some(session) = self.session {
            self.wish(PendingReply::Interrupt, Wish::Interrupt { session }, cx.out);
        }
    }

    fn answered(&mut self, heard: &CccFrame, cx: &mut Cx<'_>) {
        let call = heard.tool_use_id.as_ref().and_then(Value::as_str).unwrap_or_default();
        let named = self.slot.find(|ask| tell::call_of(ask) == call).map(|ask| ask.id);
        let ask = match (named, self.slot.shown().map(|ask| ask.id)) {
            (Some(ask), _) => ask,
            (None, None) => return self.complain("No pending question to answer", "processing_error", cx),
            (None, Some(pending)) => {
                self.error("Tool use ID mismatch", "processing_error", cx);
                return self.show_again(pending, cx);
            }
        };
        let wish = match answers::read(heard.answers.as_ref()) {
            Ok(Some(reply)) => Wish::Answer { ask: AskRef::Id(ask), reply, undo: Duration::ZERO },
            Ok(None) if self.slot.is_open(ask) => Wish::Dismiss { ask: AskRef::Id(ask), words: None },
            // A late dismissal changes nothing.
            Ok(None) => return self.complain("No pending question to answer", "processing_error", cx),
            Err(why) => {
                self.error(&why, "processing_error", cx);
                return self.show_again(ask, cx);
            }
        };
        if self.slot.is_open(ask) {
            self.slot.say(ask);
        }
        self.wish(PendingReply::Answer(ask), wish, cx.out);
    }

    /// The card closed when its answer was sent, so it has to be shown again after the error.
    pub(super) fn show_again(&mut self, ask: AskId, cx: &mut Cx<'_>) {
        match self.slot.refused(ask) {
            Some(ask) => self.question(&ask, cx),
            None => self.think_on(cx),
        }
    }

    fn state(&mut self, cx: &mut Cx<'_>) {
        let said = CccEvent::State {
            session_id: &self.name,
            connection_state: "connected",
            is_processing: self.story.is_running,
            has_partial_response: self.story.is_running && self.has_text,
            last_activity: self.story.last_at.map(|at| at.0 as f64 / 1000.0),
        };
        tell::send(cx, said);
    }

    pub(super) fn resume(&mut self, cx: &mut Cx<'_>) {
        if !self.is_caught_up {
            self.wants_resume = true;
            return;
        }
        let session = self.session.filter(|_| self.story.is_running || self.slot.shown().is_some());
        self.is_drawn = session.is_some();
        // The page begins an empty message.
        self.has_open_text = false;
        let said = match session {
            Some(session) => CccEvent::ResumeStarted { sdk_session_id: uuid::of_session(session) },
            None => CccEvent::ResumeNotNeeded { message: "No interrupted processing to resume" },
        };
        tell::send(cx, said);
    }
}
