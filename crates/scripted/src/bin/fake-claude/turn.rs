//! One turn: the message that streams in, its calls, and how it ends.

use serde_json::{Value, json};

use crate::permission::ModelCall;
use crate::wire::usage;

#[derive(Default)]
pub(crate) struct Turn {
    /// The host's own id of the message that began the turn.
    pub(crate) command: Option<String>,
    /// Does it continue with a parked call?
    pub(crate) resumed: bool,
    pub(crate) streaming: bool,
    pub(crate) message_id: String,
    pub(crate) calls: Vec<ModelCall>,
    /// Results of this message's calls, for the next request.
    pub(crate) results: Vec<Value>,
    pub(crate) denials: Vec<Value>,
    pub(crate) retries: usize,
    block: Value,
    input: String,
    /// The last text of the model: the turn's result.
    text: String,
    messages: usize,
}

impl Turn {
    pub(crate) fn begun_by(command: Option<String>) -> Self {
        Self { command, ..Self::default() }
    }

    pub(crate) fn resumed_with(call: ModelCall) -> Self {
        Self { resumed: true, calls: vec![call], ..Self::default() }
    }

    /// Takes in one event of the stream. Returns a block once it is complete.
    pub(crate) fn hear(&mut self, event: &Value) -> Option<Value> {
        let delta = &event["delta"];
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                self.message_id = event["message"]["id"].as_str().unwrap_or_default().to_owned();
                self.messages += 1;
            }
            "content_block_start" => {
                self.block = event["content_block"].clone();
                self.input.clear();
            }
            "content_block_delta" => match delta["partial_json"].as_str() {
                Some(part) => self.input.push_str(part),
                None => self.grow(delta),
            },
            "content_block_stop" => {
                if self.block["type"] == "tool_use" {
                    self.block["input"] = serde_json::from_str(&self.input).unwrap_or_else(|_| json!({}));
                }
                if let Some(text) = self.block["text"].as_str() {
                    text.clone_into(&mut self.text);
                }
                return Some(std::mem::take(&mut self.block));
            }
            _ => {}
        }
        None
    }

    fn grow(&mut self, delta: &Value) {
        for field in ["text", "thinking", "signature"] {
            if let Some(part) = delta[field].as_str() {
                let grown = self.block[field].as_str().unwrap_or_default().to_owned() + part;
                self.block[field] = json!(grown);
            }
        }
    }

    /// May this call be opened now? Questions need not wait for each other, everything else is serial.
    pub(crate) fn may_open(&self, at: usize) -> bool {
        let before = &self.calls[..at];
        before.iter().all(ModelCall::is_over)
            || self.calls[at].is_question() && before.iter().all(ModelCall::is_question)
    }

    pub(crate) fn completed(&self) -> Value {
        self.result("success", false, "end_turn", Some("completed"))
    }

    pub(crate) fn failed(&self, text: &str) -> Value {
        let mut result = self.result("success", true, "stop_sequence", Some("api_error"));
        result["result"] = json!(text);
        result
    }

    pub(crate) fn interrupted(&self) -> Value {
        let (stop, why) = match self.calls.is_empty() {
            true => (Value::Null, "aborted_streaming"),
            false => (json!("tool_use"), "aborted_tools"),
        };
        let mut result = self.result("error_during_execution", true, "", Some(why));
        result["stop_reason"] = stop;
        result["errors"] = json!([]);
        result.as_object_mut().map(|fields| fields.remove("result"));
        result
    }

    pub(crate) fn deferred(&self, call: &Value) -> Value {
        // The real one leaves the reason out when a call is deferred again after a resume.
        let why = if self.resumed { None } else { Some("tool_deferred") };
        let mut result = self.result("success", false, "tool_deferred", why);
        result["result"] = json!("");
        result["deferred_tool_use"] = call.clone();
        result
    }

    fn result(&self, subtype: &str, is_error: bool, stop: &str, why: Option<&str>) -> Value {
        let mut result = json!({
            "type": "result", "subtype": subtype, "is_error": is_error, "duration_ms": 1, "duration_api_ms": 1,
            "num_turns": self.messages, "result": self.text, "stop_reason": stop, "total_cost_usd": 0.0008,
            "usage": usage(), "modelUsage": {}, "permission_denials": self.denials, "queued_turn_count": 0,
        });
        if let Some(why) = why {
            result["terminal_reason"] = json!(why);
        }
        if let Some(command) = &self.command {
            result["user_message_uuid"] = json!(command);
        }
        result
    }
}
