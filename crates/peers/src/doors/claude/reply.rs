//! Responses to Claude Code, as its wire names them.

use serde::Serialize;
use serde_json::value::RawValue;

/// The hook's output about a call. An empty one is no opinion.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hooked {
    hook_specific_output: Decided,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Decided {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
}

impl Hooked {
    /// Run it with this input.
    pub(super) fn allow(input: Box<RawValue>) -> Self {
        Self::decided("allow", None, Some(input))
    }

    /// No opinion, but it is to run with this input, or the model is to read something beside it.
    pub(super) fn pass(input: Option<Box<RawValue>>) -> Self {
        Self::output(None, None, input)
    }

    /// The model reads this beside the call's result.
    pub(super) fn beside(mut self, words: Option<String>) -> Self {
        let context = &mut self.hook_specific_output.additional_context;
        *context = match (context.take(), words) {
            (Some(before), Some(words)) => Some(format!("{before}\n\n{words}")),
            (before, words) => before.or(words),
        };
        self
    }

    /// Whether it says nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        let said = &self.hook_specific_output;
        said.permission_decision.is_none() && said.updated_input.is_none() && said.additional_context.is_none()
    }

    pub(super) fn deny(why: &str) -> Self {
        Self::decided("deny", Some(why.to_owned()), None)
    }

    /// Ask the host, whatever the mode and the rules would allow.
    pub(super) fn ask() -> Self {
        Self::decided("ask", None, None)
    }

    /// End the turn; the call comes back with a resume.
    pub(super) fn defer() -> Self {
        Self::decided("defer", None, None)
    }

    fn decided(decision: &'static str, why: Option<String>, input: Option<Box<RawValue>>) -> Self {
        Self::output(Some(decision), why, input)
    }

    fn output(decision: Option<&'static str>, why: Option<String>, input: Option<Box<RawValue>>) -> Self {
        let hook_specific_output = Decided {
            hook_event_name: "PreToolUse",
            permission_decision: decision,
            permission_decision_reason: why,
            updated_input: input,
            additional_context: None,
        };
        Self { hook_specific_output }
    }
}

/// The response to `can_use_tool`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Permission {
    behavior: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupt: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    updated_permissions: Vec<Box<RawValue>>,
}

impl Permission {
    pub(super) fn allow(input: Box<RawValue>, rules: Vec<Box<RawValue>>) -> Self {
        let updated_input = Some(input);
        Self { behavior: "allow", interrupt: false, message: None, updated_input, updated_permissions: rules }
    }

    pub(super) fn deny(words: &str, interrupt: bool) -> Self {
        let message = Some(words.to_owned());
        Self { behavior: "deny", interrupt, message, updated_input: None, updated_permissions: Vec::new() }
    }
}
