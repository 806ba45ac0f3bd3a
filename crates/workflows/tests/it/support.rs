//! A session that events happen in.

use askbridge_workflows::{
    Event, Finding, Hook, Outcome, SessionFacts, SessionState, StartSource, ToolCall, Workflows,
};
use serde_json::{Value, json};

use crate::tools::files;

/// A session of one client, with the rules that hold in it.
pub(crate) struct Session {
    pub(crate) workflows: Workflows,
    pub(crate) findings: Vec<Finding>,
    pub(crate) state: SessionState,
    pub(crate) source: &'static str,
    pub(crate) facts: SessionFacts,
}

impl Session {
    pub(crate) fn with(files: &[(&str, &str)], source: &'static str) -> Self {
        Self::of(Workflows::load(files.iter().copied()), source)
    }

    /// With one rule file.
    pub(crate) fn of_rule(text: &str) -> Self {
        Self::with(&[("rules/own/rule.yaml", text)], "claude")
    }

    /// With all files of a version of gobby.
    pub(crate) fn of_gobby(version: &str, source: &'static str) -> Self {
        Self::of(Workflows::load(files(version).into_iter()), source)
    }

    /// With those files of a version whose names end like this.
    pub(crate) fn of_files(version: &str, ends: &[&str], source: &'static str) -> Self {
        let chosen = files(version).into_iter().filter(|(path, _)| ends.iter().any(|end| path.ends_with(end)));
        Self::of(Workflows::load(chosen), source)
    }

    fn of((workflows, findings): (Workflows, Vec<Finding>), source: &'static str) -> Self {
        let facts = SessionFacts { id: "s1".to_owned(), project: Some("shop".to_owned()), ..SessionFacts::default() };
        Self { workflows, findings, state: SessionState::default(), source, facts }
    }

    pub(crate) fn on(&mut self, hook: Hook) -> Outcome {
        let event = Event::new(hook, self.source, self.facts.clone());
        // State survives a restart at any time, so the tests restart all the time.
        let stored = serde_json::to_string(&self.state).expect("state is plain data");
        self.state = serde_json::from_str(&stored).expect("it was just written");
        self.workflows.on(&mut self.state, &event)
    }

    pub(crate) fn start(&mut self, source: StartSource) -> Outcome {
        self.on(Hook::SessionStart { source })
    }

    pub(crate) fn says(&mut self, prompt: &str) -> Outcome {
        self.on(Hook::UserPromptSubmit { prompt: prompt.to_owned() })
    }

    pub(crate) fn before(&mut self, tool: &str, input: Value) -> Outcome {
        self.on(Hook::PreToolUse(ToolCall::new(tool, input)))
    }

    pub(crate) fn after(&mut self, tool: &str, input: Value, output: Value) -> Outcome {
        let call = ToolCall::new(tool, input);
        self.on(Hook::PostToolUse { call, output, is_failure: false })
    }

    /// A call of a tool of gobby's own servers that succeeded.
    pub(crate) fn calls(&mut self, server: &str, tool: &str, arguments: Value) -> Outcome {
        let input = json!({"server_name": server, "tool_name": tool, "arguments": arguments});
        self.after("mcp__gobby__call_tool", input, json!({"success": true, "result": {"id": "t-1"}}))
    }

    pub(crate) fn stops(&mut self) -> Outcome {
        self.on(Hook::Stop { last_message: None })
    }

    pub(crate) fn asks(&mut self) -> Outcome {
        self.before("AskUserQuestion", json!({"questions": [{"question": "Which?", "options": [{"label": "A"}]}]}))
    }

    pub(crate) fn variable(&self, name: &str) -> Value {
        self.state.variables.get(name).cloned().unwrap_or(Value::Null)
    }
}

/// Why a call is blocked.
#[track_caller]
pub(crate) fn reason(outcome: &Outcome) -> &str {
    &outcome.block.as_ref().unwrap_or_else(|| panic!("nothing blocks: {:#?}", outcome.trace)).reason
}

#[track_caller]
pub(crate) fn is_free(outcome: &Outcome) {
    assert_eq!((&outcome.block, &outcome.block_stop), (&None, &None), "{:#?}", outcome.trace);
}
