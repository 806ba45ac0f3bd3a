//! Benchmark mode `FAKE_CLAUDE_DRILL=turns`: every message gets a whole turn with a sentence, a question and a last sentence.
//!
//! A script can say the same, but takes about three times the CPU time, and then a benchmark measures the double. The last sentence
//! repeats the answer, so that a screen can tell whether it was the one given.

use serde_json::{Value, json};

use crate::drill::{Drill, INPUT, say};
use crate::permission::{ModelCall, Next};
use crate::wire::{init, tool_result};

const FIRST: [&str; 2] = ["Before I go on, ", "I have one question."];
const LAST: [&str; 2] = ["That is all I needed to know. ", "You have chosen: "];
const USAGE: &str =
    r#"{"input_tokens":100,"output_tokens":20,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}"#;

impl Drill {
    /// Plays the turn of one message. Returns `None` when the input ends before the question is answered.
    pub(crate) fn whole_turn(&mut self, uuid: Option<&str>, lines: &mut impl Iterator<Item = String>) -> Option<()> {
        self.rounds += 1;
        let call = format!("toolu_{}_{}", self.writer.session, self.rounds);
        self.lifecycle(uuid, "started");
        self.init();
        self.begins("a");
        self.text("a", 0, FIRST, "");
        self.stream(&format!(
            r#"{{"type":"content_block_start","index":1,"content_block":{{"type":"tool_use","id":"{call}","name":"AskUserQuestion","input":{{}}}}}}"#
        ));
        let escaped = INPUT.replace('"', "\\\"");
        self.stream(&format!(
            r#"{{"type":"content_block_delta","index":1,"delta":{{"type":"input_json_delta","partial_json":"{escaped}"}}}}"#
        ));
        self.assistant(
            "a",
            &format!(r#"{{"type":"tool_use","id":"{call}","name":"AskUserQuestion","input":{INPUT}}}"#),
        );
        let mut request = if self.hook.is_empty() { self.asks(&call) } else { self.hooks(&call) };
        self.stream(r#"{"type":"content_block_stop","index":1}"#);
        self.ends("tool_use");
        let mut asked = ModelCall::new(&json!({"id": call, "name": "AskUserQuestion"}));
        let mut hooked = !self.hook.is_empty();
        let (text, answer, is_error) = loop {
            let response = self.response(&request, lines)?;
            let response = &response["response"];
            let said = &response["response"];
            let updated = if hooked { &said["hookSpecificOutput"]["updatedInput"] } else { &said["updatedInput"] };
            let next = if hooked { asked.hook_says(response) } else { asked.host_says(response) };
            match next {
                Next::Done { text, is_error, .. } => {
                    let answers = updated["answers"].as_object().and_then(|answers| answers.values().next());
                    break (text, answers.and_then(Value::as_str).unwrap_or("nothing").to_owned(), is_error);
                }
                Next::Ask => request = self.asks(&call),
                // Nothing that a benchmark does.
                Next::Defer | Next::Interrupt => return None,
            }
            hooked = false;
        };
        self.writer.user(&tool_result(&call, &text, is_error));
        self.begins("b");
        self.text("b", 0, LAST, &answer);
        self.ends("end_turn");
        let [first, second] = LAST;
        let result = json!(format!("{first}{second}{answer}"));
        let command = uuid.map(|uuid| format!(r#","user_message_uuid":"{uuid}""#)).unwrap_or_default();
        self.tell(&format!(
            r#""type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"num_turns":2,"result":{result},"stop_reason":"end_turn","total_cost_usd":0.0008,"usage":{USAGE},"modelUsage":{{}},"permission_denials":[],"queued_turn_count":0,"terminal_reason":"completed"{command}"#
        ));
        self.lifecycle(uuid, "completed");
        Some(())
    }

    /// Waits for the response to a request; other lines are handled meanwhile.
    fn response(&mut self, request: &str, lines: &mut impl Iterator<Item = String>) -> Option<Value> {
        for line in lines {
            let frame: Value = serde_json::from_str(&line).ok()?;
            match frame["type"].as_str() {
                Some("control_response") if frame["response"]["request_id"] == request => return Some(frame),
                Some("control_request") => self.request(&frame),
                _ => {}
            }
        }
        None
    }

    /// Calls the hook of the question. Returns the request's id.
    fn hooks(&mut self, call: &str) -> String {
        let (id, session) = (self.writer.id(), &self.writer.session);
        let (mode, cwd) = (&self.settings.mode, json!(self.settings.cwd));
        let hook = json!(self.hook);
        say(&format!(
            r#"{{"type":"control_request","request_id":"{id}","request":{{"subtype":"hook_callback","callback_id":{hook},"tool_use_id":"{call}","input":{{"session_id":"{session}","transcript_path":"","cwd":{cwd},"permission_mode":"{mode}","hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_input":{INPUT},"tool_use_id":"{call}"}}}}}}"#
        ));
        id
    }

    /// Asks for permission. Returns the request's id.
    fn asks(&mut self, call: &str) -> String {
        let id = self.writer.id();
        say(&format!(
            r#"{{"type":"control_request","request_id":"{id}","request":{{"subtype":"can_use_tool","tool_name":"AskUserQuestion","display_name":"AskUserQuestion","input":{INPUT},"tool_use_id":"{call}","requires_user_interaction":true}}}}"#
        ));
        id
    }

    fn begins(&mut self, message: &str) {
        if self.settings.partial_messages {
            self.tell(r#""type":"system","subtype":"status","status":"requesting""#);
        }
        let (id, model) = (self.message_id(message), &self.settings.model);
        self.stream(&format!(
            r#"{{"type":"message_start","message":{{"id":"{id}","type":"message","role":"assistant","model":"{model}","content":[],"stop_reason":null,"stop_sequence":null,"usage":{USAGE}}}}}"#
        ));
    }

    fn text(&mut self, message: &str, index: u32, parts: [&str; 2], end: &str) {
        let text = json!(format!("{}{}{end}", parts[0], parts[1]));
        self.stream(&format!(
            r#"{{"type":"content_block_start","index":{index},"content_block":{{"type":"text","text":""}}}}"#
        ));
        for part in [parts[0].to_owned(), format!("{}{end}", parts[1])] {
            let part = json!(part);
            self.stream(&format!(
                r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"text_delta","text":{part}}}}}"#
            ));
        }
        self.assistant(message, &format!(r#"{{"type":"text","text":{text}}}"#));
        self.stream(&format!(r#"{{"type":"content_block_stop","index":{index}}}"#));
    }

    fn ends(&mut self, reason: &str) {
        self.stream(&format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}","stop_sequence":null}},"usage":{{"output_tokens":20}}}}"#
        ));
        self.stream(r#"{"type":"message_stop"}"#);
    }

    fn assistant(&mut self, message: &str, block: &str) {
        let (id, model) = (self.message_id(message), &self.settings.model);
        let message = format!(
            r#"{{"id":"{id}","type":"message","role":"assistant","model":"{model}","content":[{block}],"stop_reason":null,"stop_sequence":null,"usage":{USAGE}}}"#
        );
        self.tell(&format!(r#""type":"assistant","message":{message},"parent_tool_use_id":null"#));
    }

    fn stream(&mut self, event: &str) {
        if self.settings.partial_messages {
            self.tell(&format!(r#""type":"stream_event","event":{event},"parent_tool_use_id":null"#));
        }
    }

    fn init(&mut self) {
        if self.init.is_empty() {
            let fields = init(&self.settings).to_string();
            self.init = fields.trim_start_matches('{').trim_end_matches('}').to_owned();
        }
        let fields = std::mem::take(&mut self.init);
        self.tell(&fields);
        self.init = fields;
    }

    fn lifecycle(&mut self, uuid: Option<&str>, state: &str) {
        if let Some(uuid) = uuid {
            self.tell(&format!(r#""type":"command_lifecycle","command_uuid":"{uuid}","state":"{state}""#));
        }
    }

    /// Writes a frame of these fields, with the session's id and its own.
    fn tell(&mut self, fields: &str) {
        let (id, session) = (self.writer.id(), &self.writer.session);
        say(&format!(r#"{{{fields},"session_id":"{session}","uuid":"{id}"}}"#));
    }

    fn message_id(&self, message: &str) -> String {
        format!("msg_{}_{message}", self.rounds)
    }
}
