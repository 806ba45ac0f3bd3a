//! Test setup: one question and its scripted model.

use askbridge_scripted::claude::{Host, Launch, ScratchHome, Subject};
use askbridge_scripted::model::{Model, Script, ToolResult, ask, on_result, on_user, text};
use serde_json::{Value, json};

pub(crate) const CALL: &str = "toolu_1";
pub(crate) const ANSWERED_B: &str =
    r#"Your questions have been answered: "Which?"="B". You can now continue with these answers in mind."#;
pub(crate) const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if \
    it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to \
    tell you how to proceed.";

/// A home, a model that asks "Which?" when it reads "hi", and the program to start there.
pub(crate) struct Given {
    pub(crate) subject: Subject,
    pub(crate) scratch: ScratchHome,
    pub(crate) model: Model,
}

pub(crate) fn one_question(subject: Subject) -> Given {
    let script = Script::new()
        .turn(on_result(CALL), [text("done")])
        .turn(on_user("hi"), [text("Let me ask."), ask(CALL, "Which?", ["A", "B"])])
        .turn(on_user("next"), [text("next done")]);
    given(subject, script)
}

pub(crate) fn given(subject: Subject, script: Script) -> Given {
    Given { subject, scratch: ScratchHome::new(), model: Model::start(script) }
}

impl Given {
    pub(crate) fn launch(&self) -> Launch {
        Launch::new(self.subject, &self.scratch, &self.model)
    }

    /// Starts it without hooks and says hi.
    pub(crate) fn asked(&self) -> (Host, Value) {
        let mut host = self.launch().start();
        host.initialize("");
        host.say("hi");
        let request = host.asked("can_use_tool");
        (host, request)
    }

    /// Starts it with a hook for questions and says hi.
    pub(crate) fn hooked(&self) -> (Host, Value) {
        let mut host = self.launch().start();
        host.initialize("AskUserQuestion|ExitPlanMode");
        host.say("hi");
        let request = host.asked("hook_callback");
        (host, request)
    }

    /// Asks over can_use_tool, responds with this, and returns what the model reads.
    pub(crate) fn reads(&self, response: impl Fn(&Value) -> Value) -> ToolResult {
        let (mut host, request) = self.asked();
        host.respond(&request, response(&request["request"]["input"]));
        assert_eq!(host.result()["result"], "done");
        assert!(host.close().status.success());
        assert_eq!(self.model.unscripted(), Vec::<String>::new());
        self.model.tool_result(CALL).unwrap()
    }
}

/// The response to can_use_tool.
pub(crate) fn allow(input: &Value, answers: Value) -> Value {
    json!({"behavior": "allow", "updatedInput": with(input, "answers", answers)})
}

/// The response to the hook.
pub(crate) fn hook_allow(input: &Value, answers: Value) -> Value {
    let updated = with(input, "answers", answers);
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": updated,
    }})
}

pub(crate) fn hook_says(decision: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason,
    }})
}

pub(crate) fn with(input: &Value, field: &str, value: Value) -> Value {
    let mut input = input.clone();
    input[field] = value;
    input
}

pub(crate) fn read(text: &str) -> ToolResult {
    ToolResult { id: CALL.to_owned(), text: text.to_owned(), is_error: false }
}

pub(crate) fn read_error(text: &str) -> ToolResult {
    ToolResult { is_error: true, ..read(text) }
}

/// Returns the types of the frames that the real one and the double have to agree on.
pub(crate) fn story(frames: &[Value]) -> Vec<String> {
    let name = |frame: &Value| {
        let kind = frame["type"].as_str()?;
        let part = match kind {
            "control_request" => frame["request"]["subtype"].as_str(),
            "assistant" | "user" => frame["message"]["content"][0]["type"].as_str(),
            "result" => frame["subtype"].as_str(),
            "system" if frame["subtype"] == "init" => Some("init"),
            "control_cancel_request" => None,
            "stream_event" => frame["event"]["type"].as_str(),
            _ => return None,
        };
        Some(part.map_or_else(|| kind.to_owned(), |part| format!("{kind} {part}")))
    };
    frames.iter().filter_map(name).collect()
}
