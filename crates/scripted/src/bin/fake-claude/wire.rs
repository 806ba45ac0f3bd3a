//! Frames as the real CLI writes them, and their writer.

use std::io::Write;
use std::process;

use serde_json::{Value, json};

use crate::settings::{Settings, VERSION};

/// Writes lines. Its ids are made of one random number and a counter.
pub(crate) struct LineWriter {
    pub(crate) session: String,
    seed: String,
    count: u32,
}

impl LineWriter {
    pub(crate) fn new(session: Option<String>) -> Self {
        let seed = std::fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap_or_default().trim().to_owned();
        Self { session: session.unwrap_or_else(|| seed.clone()), seed, count: 0 }
    }

    pub(crate) fn id(&mut self) -> String {
        self.count += 1;
        format!("{:08x}{}", self.count, self.seed.get(8..).unwrap_or("-0000-4000-8000-000000000000"))
    }

    /// Writes a frame as it is.
    pub(crate) fn say(&mut self, frame: &Value) {
        let mut line = frame.to_string();
        line.push('\n');
        // The reader may be gone; the input is then closed too, which ends us.
        drop(std::io::stdout().lock().write_all(line.as_bytes()));
    }

    /// Writes a frame of the session: with the session's id and its own.
    pub(crate) fn tell(&mut self, mut frame: Value) {
        frame["session_id"] = json!(self.session);
        frame["uuid"] = json!(self.id());
        self.say(&frame);
    }

    /// Asks the host. Returns the request's id.
    pub(crate) fn ask(&mut self, request: Value) -> String {
        let id = self.id();
        self.say(&json!({"type": "control_request", "request_id": id, "request": request}));
        id
    }

    pub(crate) fn respond(&mut self, request: &Value, response: Value) {
        let response = json!({"subtype": "success", "request_id": request["request_id"], "response": response});
        self.say(&json!({"type": "control_response", "response": response}));
    }

    pub(crate) fn refuse(&mut self, request: &Value, error: &str, code: &str) {
        let id = &request["request_id"];
        let response = json!({"subtype": "error", "request_id": id, "error": error, "error_code": code});
        self.say(&json!({"type": "control_response", "response": response}));
    }

    pub(crate) fn init(&mut self, settings: &Settings) {
        self.tell(init(settings));
    }

    pub(crate) fn assistant(&mut self, message_id: &str, model: &str, block: &Value) {
        let message = json!({
            "id": message_id, "type": "message", "role": "assistant", "model": model, "content": [block],
            "stop_reason": null, "stop_sequence": null, "usage": usage(),
        });
        self.tell(json!({"type": "assistant", "message": message, "parent_tool_use_id": null}));
    }

    pub(crate) fn user(&mut self, block: &Value) {
        let message = json!({"role": "user", "content": [block]});
        self.tell(json!({"type": "user", "message": message, "parent_tool_use_id": null}));
    }

    pub(crate) fn lifecycle(&mut self, command: Option<&str>, state: &str) {
        if let Some(command) = command {
            self.tell(json!({"type": "command_lifecycle", "command_uuid": command, "state": state}));
        }
    }
}

pub(crate) const TOOLS: &[&str] = &["Agent", "AskUserQuestion", "Bash", "Edit", "ExitPlanMode", "Read", "Write"];

/// The usage that every message reports.
pub(crate) fn usage() -> Value {
    json!({
        "input_tokens": 100, "output_tokens": 20,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    })
}

/// The fields of `system/init`, without the session's.
pub(crate) fn init(settings: &Settings) -> Value {
    json!({
        "type": "system", "subtype": "init", "cwd": settings.cwd, "model": settings.model, "tools": TOOLS,
        "permissionMode": settings.mode, "claude_code_version": VERSION, "mcp_servers": [], "slash_commands": [],
        "apiKeySource": "ANTHROPIC_API_KEY", "output_style": "default", "agents": ["general-purpose"],
        "capabilities": ["interrupt_receipt_v1", "ask_user_question_unanswered_v1"],
    })
}

/// The response to `initialize`.
pub(crate) fn about(settings: &Settings) -> Value {
    json!({
        "commands": [], "agents": [], "models": [], "account": {}, "output_style": "default", "pid": process::id(),
        "claude_code_version": VERSION, "current_permission_mode": settings.mode, "hook_on_failure_supported": true,
        "session_state": "idle", "capabilities": [],
    })
}

pub(crate) fn tool_result(call: &str, text: &str, is_error: bool) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": call, "content": text});
    if is_error {
        block["is_error"] = json!(true);
    }
    block
}
