//! What happens in a session: the hooks of an agent, as gobby's rules know them.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// One event of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub hook: Hook,
    /// Where the session runs, in gobby's words: `claude`, `claude_sdk`, `claude_sdk_web_chat`, `codex`, …
    pub source: String,
    pub session: SessionFacts,
    /// Further members of the hook's input that rules may read as `event.data`. They do not replace those of the hook.
    pub extra: Map<String, Value>,
}

/// What is known of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFacts {
    pub id: String,
    pub title: Option<String>,
    pub folder: Option<String>,
    /// The project's name, for reasons such as `[{{ project.name }}-#N]`.
    pub project: Option<String>,
    /// The agent definition that the session runs, for `agent_scope` and `audience`.
    pub agent: Option<String>,
    /// Which files of the repository are changed now. `None`: nobody has looked. If a rule needs to know, the outcome says
    /// so ([`Outcome::wants_dirty_files`](crate::Outcome::wants_dirty_files)), and is not the final one.
    pub dirty_files: Option<DirtyFiles>,
}

/// The files of a repository that differ from its last commit, with paths from its root; those below `.gobby` left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirtyFiles {
    pub tracked: BTreeSet<String>,
    pub untracked: BTreeSet<String>,
}

/// A hook, with what it carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Hook {
    SessionStart { source: StartSource },
    UserPromptSubmit { prompt: String },
    PreToolUse(ToolCall),
    PostToolUse { call: ToolCall, output: Value, is_failure: bool },
    PermissionRequest(ToolCall),
    PermissionDenied(ToolCall),
    Stop { last_message: Option<String> },
    StopFailure,
    SubagentStart,
    SubagentStop,
    PreCompact { trigger: String },
    PostCompact,
    Notification { message: String },
    Elicitation,
    ElicitationResult,
    SessionEnd { reason: String },
}

/// Why a session starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartSource {
    Startup,
    Resume,
    Clear,
    Compact,
}

impl StartSource {
    pub fn word(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compact => "compact",
        }
    }
}

/// A tool with its input.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub tool: String,
    pub input: Value,
}

impl ToolCall {
    pub fn new(tool: impl Into<String>, input: Value) -> Self {
        Self { tool: tool.into(), input }
    }
}

impl Event {
    pub fn new(hook: Hook, source: impl Into<String>, session: SessionFacts) -> Self {
        Self { hook, source: source.into(), session, extra: Map::new() }
    }

    /// The call that it is about.
    pub fn call(&self) -> Option<&ToolCall> {
        match &self.hook {
            Hook::PreToolUse(call) | Hook::PermissionRequest(call) | Hook::PermissionDenied(call) => Some(call),
            Hook::PostToolUse { call, .. } => Some(call),
            _ => None,
        }
    }
}

/// The names of an event in rule files.
pub(crate) struct EventNames {
    /// Of rules, most specific last; a rule for any of them is evaluated.
    pub(crate) rule: &'static [&'static str],
    /// Of triggers of lifecycle workflows, with the older names.
    pub(crate) triggers: &'static [&'static str],
}

impl Hook {
    pub(crate) fn names(&self) -> EventNames {
        let (rule, triggers): (&[&str], &[&str]) = match self {
            Self::SessionStart { .. } => (&["session_start"], &["on_session_start"]),
            Self::UserPromptSubmit { .. } => {
                (&["turn_start", "before_agent"], &["on_before_agent", "on_prompt_submit"])
            }
            Self::PreToolUse(_) => (&["before_tool"], &["on_before_tool", "on_tool_call"]),
            Self::PostToolUse { .. } => (&["after_tool"], &["on_after_tool", "on_tool_result"]),
            Self::PermissionRequest(_) => (&["permission_request"], &["on_permission_request"]),
            Self::PermissionDenied(_) => (&["permission_denied"], &["on_permission_denied"]),
            Self::Stop { .. } => (&["turn_end", "stop"], &["on_stop"]),
            Self::StopFailure => (&["turn_end", "stop_failure"], &["on_stop_failure"]),
            Self::SubagentStart => (&["subagent_start"], &["on_subagent_start"]),
            Self::SubagentStop => (&["subagent_stop"], &["on_subagent_stop"]),
            Self::PreCompact { .. } => (&["pre_compact"], &["on_pre_compact"]),
            Self::PostCompact => (&["post_compact"], &["on_post_compact"]),
            Self::Notification { .. } => (&["notification"], &["on_notification"]),
            Self::Elicitation => (&["elicitation"], &["on_elicitation"]),
            Self::ElicitationResult => (&["elicitation_result"], &["on_elicitation_result"]),
            Self::SessionEnd { .. } => (&["session_end"], &["on_session_end"]),
        };
        EventNames { rule, triggers }
    }

    pub(crate) fn is_turn_end(&self) -> bool {
        matches!(self, Self::Stop { .. } | Self::StopFailure)
    }
}

/// All events that gobby accepts in a rule.
pub(crate) const RULE_EVENTS: &[&str] = &[
    "turn_start",
    "turn_end",
    "session_start",
    "session_end",
    "before_agent",
    "after_agent",
    "stop",
    "before_tool",
    "after_tool",
    "before_tool_selection",
    "before_model",
    "after_model",
    "pre_compact",
    "post_compact",
    "subagent_start",
    "subagent_stop",
    "permission_request",
    "permission_denied",
    "notification",
    "stop_failure",
    "task_created",
    "task_completed",
    "teammate_idle",
    "instructions_loaded",
    "config_change",
    "cwd_changed",
    "file_changed",
    "worktree_create",
    "worktree_remove",
    "elicitation",
    "elicitation_result",
];

/// Those of them that a hook of ours never is.
pub(crate) const NEVER_SEEN: &[&str] = &[
    "after_agent",
    "before_tool_selection",
    "before_model",
    "after_model",
    "task_created",
    "task_completed",
    "teammate_idle",
    "instructions_loaded",
    "config_change",
    "cwd_changed",
    "file_changed",
    "worktree_create",
    "worktree_remove",
];
