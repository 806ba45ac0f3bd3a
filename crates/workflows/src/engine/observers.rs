//! What calls and messages say about tasks, plan mode and discovery: variables that gobby's own observers set.

use super::run::Run;
use crate::event::Hook;
use crate::functions::{named_server, tool_key};
use crate::pattern::Pattern;
use crate::value::{Dict, Value};

/// Who sets the variables below.
const OBSERVER: &str = "observer";
/// Bytes of a result that is kept whole; of a larger one, the short fields.
const RESULT_BYTES_MAX: usize = 4_096;
/// Variables that a call cannot set: the workflow's own.
const RESERVED: &[&str] = &["step_workflow_complete", "_step_workflow_name"];

impl Run<'_> {
    pub(super) fn observe(&mut self) {
        match &self.event.hook {
            Hook::UserPromptSubmit { .. } => self.detect_plan_mode(),
            Hook::PostToolUse { .. } => {
                self.observe_failure();
                self.track_mcp();
                self.track_claims();
                self.track_commits();
                self.track_schema();
                self.track_discovery();
                self.track_plan_tools();
                self.track_set_variable();
            }
            _ => {}
        }
    }

    fn observe_failure(&mut self) {
        if !self.all.rules.is_empty() {
            let is_failure = self.is_failure();
            self.set(OBSERVER, "tool_block_pending", Value::Bool(is_failure));
        }
    }

    /// Did the call succeed, as far as its result says?
    fn succeeded(&self) -> bool {
        !self.is_failure() && self.data.get("tool_output").is_none_or(|output| !says_error(output))
    }

    /// The arguments of an MCP call: inside of `arguments`, or the input itself.
    fn arguments(&self) -> Dict {
        let input = self.tool_input();
        let outer = input.as_dict().cloned().unwrap_or_default();
        match outer.get("arguments").and_then(Value::as_dict) {
            Some(inner) if self.is_call_tool() => inner.clone(),
            _ => outer,
        }
    }

    fn result(&self) -> Value {
        let output = self.data.get("tool_output").cloned().unwrap_or(Value::None);
        output.as_dict().and_then(|it| it.get("result")).cloned().unwrap_or(output)
    }

    /// `mcp_calls` and `mcp_results`, by server and tool.
    fn track_mcp(&mut self) {
        let Some((server, tool)) = self.mcp().map(|(server, tool)| (server.to_owned(), tool.to_owned())) else {
            return;
        };
        if !self.succeeded() {
            return;
        }
        let held = |it: &Value| it.as_dict().cloned().unwrap_or_default();
        let mut calls = held(&self.variable("mcp_calls"));
        let mut tools = calls.get(&server).and_then(Value::as_items).map(<[Value]>::to_vec).unwrap_or_default();
        if !tools.iter().any(|it| it.as_str() == Some(&tool)) {
            tools.push(Value::text(&tool));
        }
        calls.set(&server, Value::list(tools));
        self.set(OBSERVER, "mcp_calls", Value::dict(calls));
        let output = self.data.get("tool_output").cloned().unwrap_or(Value::None);
        let result = output.as_dict().and_then(|it| it.get("result")).cloned().unwrap_or(Value::None);
        let mut results = held(&self.variable("mcp_results"));
        let mut of_server = results.get(&server).map(held).unwrap_or_default();
        of_server.set(&tool, shortened(result));
        results.set(&server, Value::dict(of_server));
        self.set(OBSERVER, "mcp_results", Value::dict(results));
    }

    /// `task_claimed` and `claimed_tasks`, from the calls that create, claim and close tasks.
    fn track_claims(&mut self) {
        let Some(("gobby-tasks", tool)) = self.mcp() else { return };
        let tool = tool.to_owned();
        if !self.succeeded() {
            return;
        }
        let (arguments, result) = (self.arguments(), self.result());
        let text = |dict: &Dict, key: &str| match dict.get(key) {
            Some(Value::Str(it)) if !it.is_empty() => Some(it.to_string()),
            Some(Value::Int(it)) => Some(it.to_string()),
            _ => None,
        };
        let task = match tool.as_str() {
            "claim_task" => text(&arguments, "task_id"),
            "update_task" if arguments.get("status").and_then(Value::as_str) == Some("in_progress") => {
                text(&arguments, "task_id")
            }
            // In the second generation, a task is only created unless `claim` is set.
            "create_task" if self.all.rules.is_empty() || arguments.get("claim").is_some_and(Value::truth) => {
                result.as_dict().and_then(|it| text(it, "id").or_else(|| text(it, "task_id")))
            }
            "close_task" => return self.close_task(text(&arguments, "task_id")),
            _ => None,
        };
        let Some(task) = task else { return };
        let name = result.as_dict().and_then(|it| text(it, "ref")).unwrap_or_else(|| task.clone());
        let mut claimed = self.variable("claimed_tasks").as_dict().cloned().unwrap_or_default();
        claimed.set(&task, Value::text(name));
        self.claimed(claimed);
        self.set(OBSERVER, "claimed_task_id", Value::text(task));
        self.set(OBSERVER, "session_had_task", Value::Bool(true));
    }

    fn claimed(&mut self, tasks: Dict) {
        self.set(OBSERVER, "task_claimed", Value::Bool(!tasks.is_empty()));
        self.set(OBSERVER, "claimed_tasks", Value::dict(tasks));
    }

    /// A task is closed under the name by which it was claimed, or another. If only one is claimed, it is that one.
    fn close_task(&mut self, task: Option<String>) {
        let mut claimed = self.variable("claimed_tasks").as_dict().cloned().unwrap_or_default();
        let is_it =
            |(key, name): &(&Value, &Value)| task.is_some() && [key.as_str(), name.as_str()].contains(&task.as_deref());
        let key = claimed.iter().find(is_it).or_else(|| claimed.iter().next().filter(|_| claimed.len() == 1));
        match key.and_then(|(key, _)| key.as_str().map(str::to_owned)) {
            Some(key) => claimed.remove(&key),
            None if claimed.is_empty() => {}
            None => return,
        }
        if claimed.is_empty() {
            self.set(OBSERVER, "claimed_task_id", Value::None);
        }
        self.claimed(claimed);
    }

    /// `task_has_commits`, from calls that link a commit and from what git prints.
    fn track_commits(&mut self) {
        if self.variable("task_has_commits").truth() || !self.succeeded() {
            return;
        }
        let is_linked = match self.mcp() {
            Some(("gobby-tasks", "link_commit" | "auto_link_commits")) => true,
            Some(("gobby-tasks", "close_task")) => self.arguments().get("commit_sha").is_some_and(Value::truth),
            _ => self.tool() == "Bash" && self.git_committed(),
        };
        if is_linked {
            self.set(OBSERVER, "task_has_commits", Value::Bool(true));
        }
    }

    fn git_committed(&self) -> bool {
        let output = self.data.get("tool_output");
        let field = |key: &str| output.and_then(Value::as_dict).and_then(|it| it.get(key)).and_then(Value::as_str);
        let text = output.and_then(Value::as_str);
        let Some(text) = text.or_else(|| ["output", "stdout", "content"].iter().find_map(|key| field(key))) else {
            return false;
        };
        let fits = |pattern: &str, text: &str| Pattern::new(pattern).is_ok_and(|it| it.is_in(text) == Ok(true));
        if fits(r"(?m)^\[[\w/.#-]+ [a-f0-9]{7,}\]", text) {
            return true;
        }
        let input = self.tool_input();
        let command = input.as_dict().and_then(|it| it.get("command")).and_then(Value::as_str).unwrap_or_default();
        let is_nothing = text.contains("nothing to commit") || text.contains("nothing added to commit");
        fits(r"\bgit\s+commit\b", command) && !text.is_empty() && !is_nothing
    }

    /// `unlocked_tools`: tools whose schema was read.
    pub(super) fn track_schema(&mut self) {
        let is_schema = matches!(self.tool(), "get_tool_schema" | "mcp__gobby__get_tool_schema");
        if !is_schema || !self.succeeded() {
            return;
        }
        if let Some(key) = tool_key(&self.tool_input()) {
            self.append("unlocked_tools", &key);
        }
    }

    /// `servers_listed` and `listed_servers`.
    pub(super) fn track_discovery(&mut self) {
        if !matches!(self.event.hook, Hook::PostToolUse { .. }) || !self.succeeded() {
            return;
        }
        match self.tool() {
            "list_mcp_servers" | "mcp__gobby__list_mcp_servers" => {
                self.set(OBSERVER, "servers_listed", Value::Bool(true))
            }
            "list_tools" | "mcp__gobby__list_tools" => {
                let input = self.tool_input();
                if let Some(server) = named_server(&input) {
                    self.append("listed_servers", server);
                }
            }
            _ => {}
        }
    }

    fn append(&mut self, variable: &str, item: &str) {
        let mut items = self.variable(variable).as_items().map(<[Value]>::to_vec).unwrap_or_default();
        if !items.iter().any(|it| it.as_str() == Some(item)) {
            items.push(Value::text(item));
            self.set(OBSERVER, variable, Value::list(items));
        }
    }

    fn track_plan_tools(&mut self) {
        if !self.succeeded() {
            return;
        }
        match self.tool() {
            "EnterPlanMode" => self.plan_mode(true),
            "ExitPlanMode" => self.plan_mode(false),
            _ => {}
        }
    }

    fn plan_mode(&mut self, is_on: bool) {
        if self.variable("plan_mode").truth() != is_on {
            self.set(OBSERVER, "plan_mode", Value::Bool(is_on));
        }
        // The second generation has a level, too: 0 plans, 1 acts, 2 acts without questions.
        if self.variables.get("mode_level").is_some() {
            let acts = matches!(self.variable("chat_mode").as_str(), Some("accept_edits" | "normal"));
            let level = if is_on {
                0
            } else if acts {
                1
            } else {
                2
            };
            self.set(OBSERVER, "mode_level", Value::Int(level));
        }
    }

    /// `plan_mode`, from the reminders that Claude Code puts into a message. Only those count, not a person's words.
    pub(super) fn detect_plan_mode(&mut self) {
        let prompt = self.data.get("prompt").and_then(Value::as_str).unwrap_or_default();
        let reminders: String = prompt
            .split("<system-reminder>")
            .skip(1)
            .filter_map(|rest| rest.split_once("</system-reminder>").map(|(inside, _)| inside))
            .collect::<Vec<_>>()
            .join(" ");
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| reminders.contains(phrase));
        if says(&["Plan mode is active", "Plan mode still active", "You are in plan mode"]) {
            self.plan_mode(true);
        } else if says(&["Exited Plan Mode", "Plan mode exited"]) {
            self.plan_mode(false);
        }
    }

    /// The agent's own way to set a variable, which rules ask it to use.
    fn track_set_variable(&mut self) {
        let is_it = match self.mcp() {
            Some((server, tool)) => {
                matches!(server, "gobby-workflows" | "gobby")
                    && matches!(tool, "set_variable" | "set_workflow_variable")
            }
            None => self.tool() == "set_variable",
        };
        if !is_it || !self.succeeded() {
            return;
        }
        let arguments = self.arguments();
        let name = arguments.get("name").or_else(|| arguments.get("variable")).and_then(Value::as_str);
        if let Some(name) = name.filter(|name| !RESERVED.contains(name)) {
            let value = arguments.get("value").cloned().unwrap_or(Value::None);
            self.set(OBSERVER, name, value);
        }
    }
}

/// Does a call of the agent set a variable that only the workflow sets?
pub(super) fn sets_reserved(arguments: &Dict) -> Option<&str> {
    let name = arguments.get("name").or_else(|| arguments.get("variable")).and_then(Value::as_str)?;
    RESERVED.contains(&name).then_some(name)
}

fn says_error(output: &Value) -> bool {
    let Some(output) = output.as_dict() else { return false };
    let status = output.get("status").and_then(Value::as_str);
    let inner = output.get("result").and_then(Value::as_dict);
    output.get("error").is_some_and(Value::truth)
        || status == Some("error")
        || matches!(output.get("success"), Some(Value::Bool(false)))
        || inner.is_some_and(|it| it.get("error").is_some_and(Value::truth))
}

/// Keeps a result small: state is written at every event.
fn shortened(result: Value) -> Value {
    let size = |value: &Value| serde_json::to_string(&value.to_json()).map_or(usize::MAX, |text| text.len());
    if size(&result) <= RESULT_BYTES_MAX {
        return result;
    }
    match &result {
        Value::Dict(fields) => {
            let mut kept = Dict::default();
            for (name, value) in fields.iter().filter(|(_, value)| size(value) <= 256).take(32) {
                if let Some(name) = name.as_str() {
                    kept.set(name, value.clone());
                }
            }
            Value::dict(kept)
        }
        _ => Value::text("(too large to keep)"),
    }
}
