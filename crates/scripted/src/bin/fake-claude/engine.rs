//! The main loop: reads the host's lines and the model's events, and advances the turn.

use std::collections::VecDeque;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, SyncSender};

use serde_json::{Value, json};

use crate::Input;
use crate::brain::Event;
use crate::calls::{Hook, NOT_NOW, STREAM_CLOSED};
use crate::history::History;
use crate::permission::{CallStage, ModelCall};
use crate::settings::Settings;
use crate::turn::Turn;
use crate::wire::{LineWriter, TOOLS, about};

const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file \
    edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to \
    proceed.";
/// How often a failed request is repeated. The real one waits in between.
const RETRIES_MAX: usize = 10;

pub(crate) struct Engine {
    pub(crate) settings: Settings,
    pub(crate) writer: LineWriter,
    pub(crate) history: History,
    pub(crate) hooks: Vec<Hook>,
    /// Messages for the end of the turn.
    pub(crate) queue: VecDeque<(Value, Option<String>)>,
    pub(crate) turn: Option<Turn>,
    /// Number of the newest request to the model; events of older ones are ignored.
    pub(crate) asked: usize,
    /// Events of a script, which all come at once.
    pub(crate) events: VecDeque<Event>,
    pub(crate) inputs: SyncSender<Input>,
    pub(crate) closing: bool,
}

impl Engine {
    pub(crate) fn new(settings: Settings, inputs: SyncSender<Input>) -> Self {
        let writer = LineWriter::new(settings.resume.clone().or_else(|| settings.session.clone()));
        let history = History::open(&settings, &writer.session).unwrap_or_else(|_| {
            eprintln!("No conversation found with session ID: {}", writer.session);
            std::process::exit(1);
        });
        Self {
            settings,
            writer,
            history,
            hooks: Vec::new(),
            queue: VecDeque::new(),
            turn: None,
            asked: 0,
            events: VecDeque::new(),
            inputs,
            closing: false,
        }
    }

    pub(crate) fn run(mut self, inputs: &Receiver<Input>) -> ExitCode {
        if !self.settings.await_initialize {
            self.come_back();
        }
        loop {
            if self.turn.is_none() {
                if let Some((content, command)) = self.queue.pop_front() {
                    self.begin(content, command);
                } else if self.closing {
                    return ExitCode::SUCCESS;
                }
            }
            // The host may interrupt a script's events as well, so lines go first.
            let input = if self.events.is_empty() { inputs.recv().ok() } else { inputs.try_recv().ok() };
            match input {
                Some(Input::Line(line)) => {
                    if !self.hear(&line) {
                        return ExitCode::FAILURE;
                    }
                }
                Some(Input::Closed) => self.close(),
                Some(Input::Model { asked, event }) if asked == self.asked => self.think_on(event),
                Some(Input::Model { .. }) => {}
                None => {
                    if let Some(event) = self.events.pop_front() {
                        self.think_on(event);
                    }
                }
            }
        }
    }

    /// Handles a line. Returns false if it ends the process.
    fn hear(&mut self, line: &str) -> bool {
        if line.trim().is_empty() {
            return true;
        }
        let Ok(frame) = serde_json::from_str::<Value>(line) else {
            let length = line.chars().count();
            eprintln!("Error parsing streaming input line (type=unknown, {length} chars): SyntaxError");
            return false;
        };
        match frame["type"].as_str() {
            Some("user") => {
                let command = frame["uuid"].as_str().map(str::to_owned);
                if self.turn.is_some() {
                    self.writer.lifecycle(command.as_deref(), "queued");
                }
                self.queue.push_back((frame["message"]["content"].clone(), command));
            }
            Some("control_request") => self.requested(&frame),
            Some("control_response") => self.responded(&frame["response"]),
            _ => {}
        }
        true
    }

    fn requested(&mut self, frame: &Value) {
        let request = &frame["request"];
        match request["subtype"].as_str().unwrap_or_default() {
            "initialize" => {
                self.register(&request["hooks"]["PreToolUse"]);
                self.writer.respond(frame, about(&self.settings));
                if self.settings.await_initialize && self.turn.is_none() {
                    self.come_back();
                }
            }
            "interrupt" => self.interrupt(frame),
            "set_permission_mode" => {
                self.settings.mode = request["mode"].as_str().unwrap_or_default().to_owned();
                self.writer.respond(frame, json!({"mode": self.settings.mode}));
                let mode = &self.settings.mode;
                self.writer
                    .tell(json!({"type": "system", "subtype": "status", "status": null, "permissionMode": mode}));
            }
            "set_model" => {
                self.settings.model = request["model"].as_str().unwrap_or_default().to_owned();
                self.writer.respond(frame, json!({"model": self.settings.model}));
            }
            "cancel_async_message" => {
                let before = self.queue.len();
                self.queue.retain(|(_, command)| command.as_deref() != request["message_uuid"].as_str());
                self.writer.respond(frame, json!({"cancelled": self.queue.len() < before}));
            }
            "mcp_status" => self.writer.respond(frame, json!({"mcpServers": []})),
            other => {
                let error = format!("Unsupported control request subtype: {other}");
                self.writer.refuse(frame, &error, "unsupported_request");
            }
        }
    }

    fn register(&mut self, matchers: &Value) {
        self.hooks.clear();
        for matcher in matchers.as_array().into_iter().flatten() {
            let tools = matcher["matcher"].as_str().unwrap_or_default();
            for callback in matcher["hookCallbackIds"].as_array().into_iter().flatten() {
                self.hooks.push(Hook { tools: tools.to_owned(), callback: callback.clone() });
            }
        }
    }

    /// Begins a turn with a message of the person.
    fn begin(&mut self, content: Value, command: Option<String>) {
        self.history.repair(&mut self.writer);
        self.writer.lifecycle(command.as_deref(), "started");
        let content = if let Value::String(text) = content { json!([{"type": "text", "text": text}]) } else { content };
        self.history.add(json!({"role": "user", "content": content}), &mut self.writer);
        self.turn = Some(Turn::begun_by(command));
        self.writer.init(&self.settings);
        self.think();
    }

    /// Asks for a parked call again, without a new message.
    fn come_back(&mut self) {
        let Some(call) = self.history.parked.take() else { return };
        let command = self.writer.id();
        self.writer.lifecycle(Some(&command), "started");
        self.turn = Some(Turn::resumed_with(ModelCall::new(&call)));
        self.advance();
    }

    pub(crate) fn think(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        turn.streaming = true;
        if self.settings.partial_messages {
            self.writer.tell(json!({"type": "system", "subtype": "status", "status": "requesting"}));
        }
        self.asked += 1;
        let tools: Vec<Value> = TOOLS.iter().map(|name| json!({"name": name})).collect();
        let body = json!({
            "model": self.settings.model, "max_tokens": 32_000, "stream": true, "tools": tools,
            "system": [{"type": "text", "text": "fake-claude"}], "messages": self.history.messages(),
        });
        self.events = self.settings.brain.ask(body, self.history.spoken, self.asked, &self.inputs).into();
    }

    fn think_on(&mut self, event: Event) {
        let Some(turn) = &mut self.turn else { return };
        let event = match event {
            Event::Said(event) => event,
            Event::Failed(status, text) => return self.failed(status, &text),
        };
        if let Some(block) = turn.hear(&event) {
            self.writer.assistant(&turn.message_id, &self.settings.model, &block);
            if block["type"] == "tool_use" {
                turn.calls.push(ModelCall::new(&block));
            }
            self.history.add(json!({"role": "assistant", "content": [block]}), &mut self.writer);
            self.advance();
        }
        let over = event["type"] == "message_stop";
        if self.settings.partial_messages && event["type"] != "ping" {
            self.writer.tell(json!({"type": "stream_event", "event": event, "parent_tool_use_id": null}));
        }
        if over && let Some(turn) = &mut self.turn {
            turn.streaming = false;
            self.settle();
        }
    }

    fn failed(&mut self, status: u16, text: &str) {
        let Some(turn) = &mut self.turn else { return };
        self.events.clear();
        if matches!(status, 429 | 500..=599) && turn.retries < RETRIES_MAX {
            turn.retries += 1;
            self.writer.tell(json!({
                "type": "system", "subtype": "api_retry", "attempt": turn.retries, "max_retries": RETRIES_MAX,
                "retry_delay_ms": 0, "error_status": status,
            }));
            return self.think();
        }
        let text = format!("API Error: {status} {text}");
        self.writer.assistant("error", "<synthetic>", &json!({"type": "text", "text": text}));
        let result = turn.failed(&text);
        self.end(result);
    }

    fn interrupt(&mut self, frame: &Value) {
        for call in self.turn.iter().flat_map(|turn| &turn.calls) {
            if let Some(request) = call.pending() {
                self.writer.say(&json!({"type": "control_cancel_request", "request_id": request}));
            }
        }
        let queued: Vec<&String> = self.queue.iter().filter_map(|(_, command)| command.as_ref()).collect();
        self.writer.respond(frame, json!({"still_queued": queued}));
        self.abort();
    }

    /// Interrupts the turn, as the person wants.
    pub(crate) fn abort(&mut self) {
        let Some(turn) = &self.turn else { return };
        let open: Vec<usize> = (0..turn.calls.len()).filter(|at| !turn.calls[*at].is_over()).collect();
        let note = if turn.calls.is_empty() { "" } else { " for tool use" };
        for at in open {
            self.finish(at, REJECTED, true, true);
        }
        let block = json!({"type": "text", "text": format!("[Request interrupted by user{note}]")});
        self.writer.user(&block);
        let Some(turn) = &mut self.turn else { return };
        let mut content = std::mem::take(&mut turn.results);
        content.push(block);
        let result = turn.interrupted();
        self.history.add(json!({"role": "user", "content": content}), &mut self.writer);
        self.end(result);
    }

    pub(crate) fn end(&mut self, result: Value) {
        self.events.clear();
        // Ignore what the model still says.
        self.asked += 1;
        self.writer.tell(result);
        let command = self.turn.take().and_then(|turn| turn.command);
        self.writer.lifecycle(command.as_deref(), "completed");
    }

    /// The host is gone: ends the calls that wait for it, then the process.
    fn close(&mut self) {
        self.closing = true;
        let count = self.turn.as_ref().map_or(0, |turn| turn.calls.len());
        for at in 0..count {
            let Some(turn) = &self.turn else { return };
            match turn.calls[at].stage {
                CallStage::Hook { .. } => self.finish(at, NOT_NOW, true, false),
                CallStage::Permission { .. } => self.finish(at, STREAM_CLOSED, true, false),
                _ => {}
            }
        }
        self.advance();
        self.settle();
    }
}
