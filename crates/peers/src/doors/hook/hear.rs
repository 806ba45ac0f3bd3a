//! Parses what an agent writes to its hook into an event.

use askbridge_core::ids::Raw;

use super::wire::Input;

pub(super) use crate::tools::ToolCall;

/// An event that we understand.
#[derive(Debug, Clone, PartialEq)]
pub struct HookEvent {
    pub agent: Agent,
    /// The agent's own id of the conversation. The same after a resume.
    pub conversation: String,
    pub folder: Option<String>,
    /// The file in which the agent keeps the conversation.
    pub record: Option<String>,
    pub mode: Option<String>,
    /// It happens in a subagent, beside the turn that the person sees.
    pub in_subagent: bool,
    /// Long parts of the call's input are left out.
    pub is_cut: bool,
    pub what: HookEventKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    Claude,
    Codex,
}

#[derive(Debug, Clone, PartialEq)]
pub enum HookEventKind {
    Began {
        /// Why: `startup`, `resume`, `clear`, `compact`.
        source: String,
    },
    /// A tool is about to be called; no person has been asked yet.
    Calling(ToolCall),
    /// A person is asked for permission, or for an answer.
    Wanted {
        call: ToolCall,
        suggestions: Option<Raw>,
    },
    /// It has run, so it was allowed.
    Called {
        call: ToolCall,
        response: Option<Raw>,
        /// It failed, which is an event of another name.
        failed: bool,
    },
    Notified {
        kind: String,
        text: String,
    },
    /// The person at the terminal wrote a prompt: a turn begins.
    Prompted {
        text: String,
    },
    /// The conversation is about to be shortened.
    Compacting {
        trigger: String,
    },
    /// The agent itself denied a call.
    Denied {
        call: ToolCall,
        reason: String,
    },
    TurnEnded {
        /// The agent goes on because a hook made it.
        again: bool,
    },
    Ended {
        why: String,
    },
    /// Not for us.
    Other,
}

/// Parses an event. `None`: not one that we understand, and the answer is no opinion.
pub fn hear(text: &str) -> Option<HookEvent> {
    let input: Input<'_> = serde_json::from_str(text).ok()?;
    let raw = |value: Option<&serde_json::value::RawValue>| value.map(|value| Raw::from(value.get()));
    let call = || {
        let tool_input = raw(input.tool_input).unwrap_or_else(|| Raw::from("{}"));
        let id = input.tool_use_id.clone().filter(|id| !id.is_empty());
        Some(ToolCall { id, tool: input.tool_name.clone()?, input: tool_input })
    };
    let what = match input.hook_event_name.as_str() {
        "SessionStart" => HookEventKind::Began { source: input.source.clone().unwrap_or_default() },
        "PreToolUse" => HookEventKind::Calling(call()?),
        "PermissionRequest" => HookEventKind::Wanted { call: call()?, suggestions: raw(input.permission_suggestions) },
        event @ ("PostToolUse" | "PostToolUseFailure") => {
            let failed = event == "PostToolUseFailure";
            HookEventKind::Called { call: call()?, response: raw(input.tool_response), failed }
        }
        "Notification" => HookEventKind::Notified {
            kind: input.notification_type.unwrap_or_default(),
            text: input.message.filter(|text| !text.trim().is_empty())?,
        },
        "UserPromptSubmit" => HookEventKind::Prompted { text: input.prompt.clone().unwrap_or_default() },
        "PreCompact" => HookEventKind::Compacting { trigger: input.trigger.clone().unwrap_or_default() },
        "PermissionDenied" => HookEventKind::Denied { call: call()?, reason: input.reason.unwrap_or_default() },
        "Stop" => HookEventKind::TurnEnded { again: input.stop_hook_active },
        "SessionEnd" => HookEventKind::Ended { why: input.reason.unwrap_or_default() },
        _ => HookEventKind::Other,
    };
    Some(HookEvent {
        agent: if input.turn_id.is_some() { Agent::Codex } else { Agent::Claude },
        conversation: Some(input.session_id).filter(|id| !id.is_empty())?,
        folder: input.cwd,
        record: input.transcript_path,
        mode: input.permission_mode,
        in_subagent: input.agent_id.is_some(),
        is_cut: input.askbridge_cut,
        what,
    })
}

impl Agent {
    /// The name shown to people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// Whether the agent can be answered only by its hook. Then the hook that takes the answer is the proof.
    ///
    /// Codex shows no dialog while its hook waits, so nothing else can answer, and it does not report what it runs:
    /// that would be one more process for each call of each tool, and one more hook to trust.
    pub fn hears_only_its_hook(self) -> bool {
        self == Self::Codex
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_not_heard() {
        for text in ["", "{", "[]", "null", r#"{"hook_event_name":"Stop"}"#, r#"{"session_id":"s"}"#] {
            assert_eq!(hear(text), None, "{text}");
        }
        let nameless = r#"{"hook_event_name":"PermissionRequest","session_id":"s","tool_input":{}}"#;
        assert_eq!(hear(nameless), None, "a call without a tool");
        let newer = hear(r#"{"hook_event_name":"SomethingNew","session_id":"s","tool_name":5}"#);
        assert_eq!(newer, None, "of a shape that we do not know");
        let newer = hear(r#"{"hook_event_name":"SomethingNew","session_id":"s","more":5}"#).unwrap();
        assert_eq!(newer.what, HookEventKind::Other);
    }
}
