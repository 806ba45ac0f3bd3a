//! The inputs that Claude Code's own tools take, as version 2.1.325 describes them to the model.
//!
//! Taken from the `tools` of its requests to the API. All of them refuse or drop fields that are not listed there. A
//! tool that is not here (another version's, an MCP server's) is checked against the call itself, and so is a call that
//! does not fit its row: it comes from a version whose tool differs.

use askbridge_core::wild::Wild;

/// What a field may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    Number,
    /// A non-negative integer.
    Count,
    Flag,
    OneOf(&'static [&'static str]),
    /// A list of strings.
    Texts,
    Object,
    Anything,
}

/// The fields of one tool's input.
#[derive(Debug)]
pub(super) struct Schema {
    tools: &'static [&'static str],
    required: &'static [(&'static str, Type)],
    optional: &'static [(&'static str, Type)],
}

use Type::{Anything, Count, Flag, Number, Object, OneOf, Text, Texts};

const SCHEMAS: &[Schema] = &[
    Schema {
        // The model knows it as `Agent`; lists call it `Task`.
        tools: &["Agent", "Task"],
        required: &[("description", Text), ("prompt", Text)],
        optional: &[
            ("subagent_type", Text),
            ("model", OneOf(&["sonnet", "opus", "haiku", "fable"])),
            ("effort", OneOf(&["low", "medium", "high", "xhigh", "max"])),
            ("run_in_background", Flag),
            ("isolation", OneOf(&["worktree", "remote"])),
        ],
    },
    Schema {
        tools: &["Bash"],
        required: &[("command", Text)],
        optional: &[
            ("timeout", Number),
            ("description", Text),
            ("run_in_background", Flag),
            ("dangerouslyDisableSandbox", Flag),
        ],
    },
    Schema {
        tools: &["CronCreate"],
        required: &[("cron", Text), ("prompt", Text)],
        optional: &[("recurring", Flag), ("durable", Flag)],
    },
    Schema { tools: &["CronDelete"], required: &[("id", Text)], optional: &[] },
    Schema { tools: &["CronList", "EnterPlanMode"], required: &[], optional: &[] },
    Schema {
        tools: &["Edit"],
        required: &[("file_path", Text), ("old_string", Text), ("new_string", Text)],
        optional: &[("replace_all", Flag)],
    },
    Schema { tools: &["EnterWorktree"], required: &[], optional: &[("name", Text), ("path", Text)] },
    Schema {
        tools: &["ExitWorktree"],
        required: &[("action", OneOf(&["keep", "remove"]))],
        optional: &[("discard_changes", Flag)],
    },
    Schema { tools: &["ListAgents"], required: &[], optional: &[("channel", Text), ("q", Text)] },
    Schema {
        tools: &["Monitor"],
        required: &[("description", Text), ("timeout_ms", Number)],
        optional: &[("command", Text), ("ws", Object)],
    },
    Schema {
        tools: &["NotebookEdit"],
        required: &[("notebook_path", Text), ("new_source", Text)],
        optional: &[
            ("cell_id", Text),
            ("cell_type", OneOf(&["code", "markdown"])),
            ("edit_mode", OneOf(&["replace", "insert", "delete"])),
        ],
    },
    Schema {
        tools: &["Read"],
        required: &[("file_path", Text)],
        optional: &[("offset", Count), ("limit", Count), ("pages", Text), ("allow_large", Flag)],
    },
    Schema {
        tools: &["ScheduleWakeup"],
        required: &[],
        optional: &[("delaySeconds", Number), ("reason", Text), ("prompt", Text), ("stop", Flag), ("noop", Flag)],
    },
    Schema {
        tools: &["SendMessage"],
        required: &[("to", Text), ("message", Text)],
        optional: &[("summary", Text), ("notify_when_idle", Flag)],
    },
    Schema { tools: &["Skill"], required: &[("skill", Text)], optional: &[("args", Text)] },
    Schema { tools: &["TaskStop"], required: &[], optional: &[("task_id", Text), ("shell_id", Text)] },
    Schema { tools: &["WebFetch"], required: &[("url", Text), ("prompt", Text)], optional: &[("offset", Count)] },
    Schema {
        tools: &["WebSearch"],
        required: &[("query", Text)],
        optional: &[("allowed_domains", Texts), ("blocked_domains", Texts)],
    },
    Schema {
        tools: &["Workflow"],
        required: &[],
        optional: &[
            ("script", Text),
            ("name", Text),
            ("description", Text),
            ("title", Text),
            ("args", Anything),
            ("scriptPath", Text),
            ("resumeFromRunId", Text),
        ],
    },
    Schema { tools: &["Write"], required: &[("file_path", Text), ("content", Text)], optional: &[] },
];

impl Schema {
    /// Finds the schema of a tool, if this call fits it.
    pub(super) fn of(tool: &str, input: &[(String, Wild)]) -> Option<&'static Self> {
        let schema = SCHEMAS.iter().find(|schema| schema.tools.contains(&tool))?;
        let is_there = |(name, kind): &(&str, Type)| input.iter().any(|(key, value)| key == name && kind.takes(value));
        let is_right = |(name, value): &(String, Wild)| schema.field(name).is_none_or(|kind| kind.takes(value));
        (schema.required.iter().all(is_there) && input.iter().all(is_right)).then_some(schema)
    }

    pub(super) fn field(&self, name: &str) -> Option<Type> {
        let mut fields = self.required.iter().chain(self.optional);
        fields.find(|(field, _)| *field == name).map(|(_, kind)| *kind)
    }

    pub(super) fn required(&self) -> impl Iterator<Item = (&'static str, Type)> {
        self.required.iter().copied()
    }
}

impl Type {
    pub(super) fn takes(self, value: &Wild) -> bool {
        match (self, value) {
            (Self::Anything, _)
            | (Self::Text, Wild::Text(_))
            | (Self::Number, Wild::Number(_))
            | (Self::Flag, Wild::Flag(_))
            | (Self::Object, Wild::Map(_)) => true,
            (Self::Count, Wild::Number(number)) => number.bytes().all(|digit| digit.is_ascii_digit()),
            (Self::OneOf(words), Wild::Text(word)) => words.contains(&word.as_str()),
            (Self::Texts, Wild::List(list)) => list.iter().all(|item| matches!(item, Wild::Text(_))),
            _ => false,
        }
    }

    /// The expected type, to follow "it has to be".
    pub(super) fn wanted(self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Count => "a whole number, not below 0".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::OneOf(words) => format!("one of: {}", words.join(", ")),
            Self::Texts => "a list of texts".to_owned(),
            Self::Object => "an object".to_owned(),
            Self::Anything => "there".to_owned(),
        }
    }
}
