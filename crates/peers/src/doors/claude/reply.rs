//! What Claude Code is answered, as its wire names it.

use serde::Serialize;
use serde_json::value::RawValue;

/// What the hook says about a call. Nothing at all: no opinion.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hooked {
    hook_specific_output: Decided,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Decided {
    hook_event_name: &'static str,
    permission_decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
}

impl Hooked {
    /// It runs, with this input.
    pub(super) fn allow(input: Box<RawValue>) -> Self {
        Self::decided("allow", None, Some(input))
    }

    /// The model reads this beside the call's result.
    pub(super) fn beside(mut self, words: String) -> Self {
        self.hook_specific_output.additional_context = Some(words);
        self
    }

    pub(super) fn deny(why: &str) -> Self {
        Self::decided("deny", Some(why.to_owned()), None)
    }

    /// The host is to be asked, whatever the mode and the rules would allow.
    pub(super) fn ask() -> Self {
        Self::decided("ask", None, None)
    }

    /// The turn ends, and the call comes back with a resume.
    pub(super) fn defer() -> Self {
        Self::decided("defer", None, None)
    }

    fn decided(decision: &'static str, why: Option<String>, input: Option<Box<RawValue>>) -> Self {
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

/// What `can_use_tool` is answered with.
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
