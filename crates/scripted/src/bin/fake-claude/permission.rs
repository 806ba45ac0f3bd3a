//! The stages of one call: its hooks, then the host's permission, then its result.

use serde_json::{Value, json};

use crate::answers;

/// One call of the model's current message.
pub(crate) struct ModelCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) input: Value,
    pub(crate) stage: CallStage,
    /// Was a hook called for it?
    pub(crate) hooked: bool,
}

pub(crate) enum CallStage {
    /// Not opened yet: an earlier call comes first.
    Waiting,
    Hook {
        request: String,
    },
    Permission {
        request: String,
    },
    Deferred,
    Done,
}

/// What follows from a reply of the host.
pub(crate) enum Next {
    /// On to can_use_tool.
    Ask,
    Defer,
    Done {
        text: String,
        is_error: bool,
        denied: bool,
    },
    /// The turn ends, and the host's message is dropped.
    Interrupt,
}

impl ModelCall {
    pub(crate) fn new(block: &Value) -> Self {
        Self {
            id: block["id"].as_str().unwrap_or_default().to_owned(),
            name: block["name"].as_str().unwrap_or_default().to_owned(),
            input: block["input"].clone(),
            stage: CallStage::Waiting,
            hooked: false,
        }
    }

    /// Questions are asked at once, everything else in its turn.
    pub(crate) fn is_question(&self) -> bool {
        self.name == "AskUserQuestion"
    }

    pub(crate) fn pending(&self) -> Option<&str> {
        match &self.stage {
            CallStage::Hook { request } | CallStage::Permission { request } => Some(request),
            _ => None,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(self.stage, CallStage::Done | CallStage::Deferred)
    }

    pub(crate) fn as_json(&self) -> Value {
        json!({"id": self.id, "name": self.name, "input": self.input})
    }

    /// The body of can_use_tool.
    pub(crate) fn request(&self) -> Value {
        let mut request = json!({
            "subtype": "can_use_tool", "tool_name": self.name, "display_name": self.name, "input": self.input,
            "tool_use_id": self.id,
        });
        if self.is_question() || self.name == "ExitPlanMode" {
            request["requires_user_interaction"] = json!(true);
        }
        if self.name == "Bash" {
            let command = self.input["command"].as_str().unwrap_or_default();
            let start: Vec<&str> = command.split_whitespace().take(2).collect();
            let rules = json!([{"toolName": "Bash", "ruleContent": format!("{} *", start.join(" "))}]);
            request["description"] = self.input["description"].clone();
            request["permission_suggestions"] =
                json!([{"type": "addRules", "rules": rules, "behavior": "allow", "destination": "localSettings"}]);
            request["decision_reason"] = json!("This command requires approval");
            request["decision_reason_type"] = json!("other");
        }
        request
    }

    /// Interprets the hook's reply. An error counts as no decision.
    pub(crate) fn hook_says(&mut self, response: &Value) -> Next {
        let output = &response["response"]["hookSpecificOutput"];
        let answered = output["updatedInput"].get("answers").is_some();
        match output["permissionDecision"].as_str() {
            Some("allow") if answered || !self.is_question() => self.run(output.get("updatedInput")),
            Some("deny") => {
                let reason = output["permissionDecisionReason"].as_str().unwrap_or_default();
                let text = format!("PreToolUse:{} hook error: {reason}", self.name);
                Next::Done { text, is_error: true, denied: true }
            }
            Some("defer") => Next::Defer,
            _ => Next::Ask,
        }
    }

    /// Interprets the reply to can_use_tool.
    pub(crate) fn host_says(&mut self, response: &Value) -> Next {
        if response["subtype"] == "error" {
            let error = response["error"].as_str().unwrap_or_default();
            return failed(format!("Tool permission request failed: Error: {error}"));
        }
        let said = &response["response"];
        match (said["behavior"].as_str(), said["message"].as_str()) {
            (Some("allow"), _) => self.run(said.get("updatedInput")),
            (Some("deny"), Some(_)) if said["interrupt"] == true => Next::Interrupt,
            (Some("deny"), Some(words)) => Next::Done { text: words.to_owned(), is_error: true, denied: true },
            _ => failed("The canUseTool callback returned an invalid permission result.".to_owned()),
        }
    }

    /// Returns the result of a question; other tools are not run.
    fn run(&self, updated: Option<&Value>) -> Next {
        if !self.is_question() {
            let text = format!("fake-claude runs no tools, so {} did nothing", self.name);
            return Next::Done { text, is_error: false, denied: false };
        }
        match answers::read(updated.unwrap_or(&self.input)) {
            Ok(text) => Next::Done { text, is_error: false, denied: false },
            Err(text) => failed(text),
        }
    }
}

fn failed(text: String) -> Next {
    Next::Done { text, is_error: true, denied: false }
}
