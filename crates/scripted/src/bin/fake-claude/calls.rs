//! The calls of a message on their way: to the hook, to the host, then back to the model, or parked.

use serde_json::{Value, json};

use crate::engine::Engine;
use crate::permission::{CallStage, ModelCall, Next};
use crate::wire::tool_result;

/// What the model reads when the host is gone.
pub(crate) const NOT_NOW: &str = "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to \
    tell you how to proceed.";
pub(crate) const STREAM_CLOSED: &str =
    "Tool permission request failed: AbortError: Tool permission stream closed before response received";

/// A hook that the host registered for some tools.
pub(crate) struct Hook {
    pub(crate) tools: String,
    pub(crate) callback: Value,
}

impl Hook {
    fn fits(&self, tool: &str) -> bool {
        matches!(self.tools.as_str(), "" | "*") || self.tools.split('|').any(|name| name == tool)
    }
}

impl Engine {
    /// Opens every call whose turn it is.
    pub(crate) fn advance(&mut self) {
        let count = self.turn.as_ref().map_or(0, |turn| turn.calls.len());
        for at in 0..count {
            let Some(turn) = &self.turn else { return };
            if matches!(turn.calls[at].stage, CallStage::Waiting) && turn.may_open(at) {
                self.open(at);
            }
        }
    }

    fn open(&mut self, at: usize) {
        let Some(turn) = &mut self.turn else { return };
        let call = &mut turn.calls[at];
        let Some(hook) = self.hooks.iter().find(|hook| hook.fits(&call.name)) else { return self.ask(at) };
        let input = json!({
            "session_id": self.writer.session, "transcript_path": self.history.path(), "cwd": self.settings.cwd,
            "permission_mode": self.settings.mode, "hook_event_name": "PreToolUse", "tool_name": call.name,
            "tool_input": call.input, "tool_use_id": call.id,
        });
        let id = &call.id;
        let request = json!({
            "subtype": "hook_callback", "callback_id": hook.callback, "tool_use_id": id, "input": input,
        });
        call.hooked = true;
        call.stage = CallStage::Hook { request: self.writer.ask(request) };
        if self.closing {
            self.finish(at, NOT_NOW, true, false);
        }
    }

    fn ask(&mut self, at: usize) {
        let Some(turn) = &mut self.turn else { return };
        let call = &mut turn.calls[at];
        call.stage = CallStage::Permission { request: self.writer.ask(call.request()) };
        if self.closing {
            self.finish(at, STREAM_CLOSED, true, false);
        }
    }

    pub(crate) fn responded(&mut self, response: &Value) {
        let Some(turn) = &mut self.turn else { return };
        let known = |call: &ModelCall| call.pending().is_some_and(|request| response["request_id"] == request);
        let Some(at) = turn.calls.iter().position(known) else { return };
        let call = &mut turn.calls[at];
        let next = match call.stage {
            CallStage::Hook { .. } => call.hook_says(response),
            _ => call.host_says(response),
        };
        match next {
            Next::Ask => self.ask(at),
            Next::Defer => call.stage = CallStage::Deferred,
            Next::Done { text, is_error, denied } => self.finish(at, &text, is_error, denied),
            Next::Interrupt => return self.abort(),
        }
        self.advance();
        self.settle();
    }

    /// Records the result of a call.
    pub(crate) fn finish(&mut self, at: usize, text: &str, is_error: bool, denied: bool) {
        let Some(turn) = &mut self.turn else { return };
        let call = &mut turn.calls[at];
        call.stage = CallStage::Done;
        if turn.resumed && call.hooked {
            let attachment = json!({"type": "hook_success", "hookEvent": "PreToolUse", "toolUseID": call.id});
            self.writer.tell(json!({"type": "attachment", "attachment": attachment, "parent_tool_use_id": null}));
        }
        if denied {
            turn.denials.push(json!({"tool_name": call.name, "tool_use_id": call.id, "tool_input": call.input}));
        }
        let block = tool_result(&call.id, text, is_error);
        self.writer.user(&block);
        turn.results.push(block);
    }

    /// Once the message is complete and all its calls are over: asks the model, parks a call, or ends the turn.
    pub(crate) fn settle(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        if turn.streaming || !turn.calls.iter().all(ModelCall::is_over) {
            return;
        }
        if turn.calls.is_empty() {
            let result = turn.completed();
            return self.end(result);
        }
        let mut results = std::mem::take(&mut turn.results);
        // Of several deferred calls only the last survives.
        let parked = turn.calls.iter().rfind(|call| matches!(call.stage, CallStage::Deferred)).map(ModelCall::as_json);
        if let Some(call) = parked {
            let result = turn.deferred(&call);
            if !results.is_empty() {
                self.history.add(json!({"role": "user", "content": results}), &mut self.writer);
            }
            self.history.park(&call, &self.settings.mode, &mut self.writer);
            return self.end(result);
        }
        turn.calls.clear();
        if std::mem::take(&mut turn.resumed) {
            results.push(json!({"type": "text", "text": "Continue from where you left off."}));
            self.writer.init(&self.settings);
        }
        self.history.add(json!({"role": "user", "content": results}), &mut self.writer);
        self.fold_in();
        self.think();
    }

    /// Adds the messages that the person sent meanwhile.
    fn fold_in(&mut self) {
        for (content, command) in std::mem::take(&mut self.queue) {
            let said =
                content.as_str().map_or_else(|| askbridge_scripted::model::request::plain(&content), str::to_owned);
            let text = format!(
                "The user sent a new message while you were working:\n{said}\n\nThis is how Claude Code surfaces messages \
                 the user sends mid-turn."
            );
            self.history.add(json!({"role": "system", "content": text}), &mut self.writer);
            self.writer.lifecycle(command.as_deref(), "completed");
        }
    }
}
