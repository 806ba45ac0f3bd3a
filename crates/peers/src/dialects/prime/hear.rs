//! Turns a client's frames into wishes.

use std::time::Duration;

use askbridge_core::ids::AskId;
use serde_json::Value;

use super::answers::Answering;
use super::peer::{PendingReply, Prime};
use super::{quirks, tell};
use crate::peer::{Cx, Garbled};
use crate::wish::{AskRef, Wish};

impl Prime {
    pub(super) fn heard(&mut self, text: &str, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            let (code, why) = quirks::NOT_JSON;
            return Err(Garbled { code, why: why.to_owned() });
        };
        let (kind, data) = match frame(&value) {
            Ok(frame) => frame,
            Err(why) => {
                tell::error(&format!("Invalid message format: {why}"), cx.out);
                return Ok(());
            }
        };
        match kind {
            "user_message" => match data["message"].as_str().filter(|text| !text.is_empty()) {
                Some(text) => self.say(text.to_owned(), cx),
                None => tell::error("Missing 'message' field in data", cx.out),
            },
            "ask_user_response" => self.answered(data, cx),
            "interrupt" => {
                if let Some(session) = self.session {
                    self.wish(PendingReply::Interrupt, Wish::Interrupt { session }, cx.out);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn answered(&mut self, data: &Value, cx: &mut Cx<'_>) {
        let answering = match Answering::read(data) {
            Ok(answering) => answering,
            Err(why) => return self.not_an_answer(&why, cx),
        };
        let Some(ask) = self.slot.find(|ask| tell::question_id(ask.id) == answering.id) else {
            // An answer to a question that is long gone needs no reply.
            if let Some(pending) = self.slot.shown().map(|ask| ask.id) {
                tell::error("Question ID does not match pending question", cx.out);
                self.show_again(pending, cx);
            }
            return;
        };
        let (id, cancelled) = (ask.id, answering.cancelled);
        let reply = if cancelled { Ok(None) } else { answering.reply(&ask) };
        let wish = match reply {
            Ok(Some(reply)) => Wish::Answer { ask: AskRef::Id(id), reply, undo: Duration::ZERO },
            // A late dismissal changes nothing.
            Ok(None) if !self.slot.is_open(id) => return,
            Ok(None) => Wish::Dismiss { ask: AskRef::Id(id), words: None },
            Err(why) => return self.not_an_answer(&why, cx),
        };
        if self.slot.is_open(id) {
            self.slot.say(id);
        }
        self.wish(PendingReply::Answer(id), wish, cx.out);
    }

    /// The card closed when this was sent, so it has to be shown again.
    fn not_an_answer(&mut self, why: &str, cx: &mut Cx<'_>) {
        tell::error(&format!("Invalid ask_user_response: {why}"), cx.out);
        if let Some(ask) = self.slot.shown().map(|ask| ask.id) {
            self.show_again(ask, cx);
        }
    }

    pub(super) fn show_again(&mut self, ask: AskId, cx: &mut Cx<'_>) {
        if let Some(ask) = self.slot.refused(ask) {
            self.show(&ask, cx.now, cx.out);
        }
    }
}

/// Returns a frame's type and data. Errors are in words, because people read them.
fn frame(value: &Value) -> Result<(&str, &Value), String> {
    let kind = match &value["type"] {
        Value::String(kind) if quirks::TYPES.contains(&kind.as_str()) => kind,
        Value::String(kind) => return Err(format!("`{kind}` is not a type of message")),
        _ => return Err("a message is an object with a `type`".to_owned()),
    };
    match &value["data"] {
        data @ (Value::Object(_) | Value::Null) => Ok((kind, data)),
        _ => Err("`data` has to be an object".to_owned()),
    }
}
