//! Workflows of the first generation that always run: triggers, `tool_rules`, `block_tools`.

use std::sync::Arc;

use super::apply::{Empty, spelled};
use super::run::{Run, applies};
use crate::condition::Scope;
use crate::event::Hook;
use crate::file::{Action, BlockRule, Deed, Generation, Workflow};
use crate::outcome::Did;
use crate::value::Value;

impl<'a> Run<'a> {
    fn lifecycles(&self) -> impl Iterator<Item = &'a Workflow> + use<'a> {
        let source = self.event.source.clone();
        self.all.workflows.iter().filter(move |it| it.is_enabled && applies(it.sources.as_deref(), &source))
    }

    pub(super) fn lifecycle(&mut self) {
        let names = self.event.hook.names().triggers;
        // A workflow that initializes a session at its first message needs no start in its place; with two of them
        // the texts would come twice.
        if self.stands_in && self.lifecycles().any(|workflow| workflow.initializes) {
            return;
        }
        for workflow in self.lifecycles() {
            if matches!(self.event.hook, Hook::PreToolUse(_)) && self.block_tools(&workflow.tool_rules) {
                return;
            }
            for action in workflow.triggers(names) {
                self.action(action, Place::Lifecycle);
                if self.outcome.is_blocked() {
                    return;
                }
            }
        }
        self.file_observers();
    }

    /// Does a workflow of the first generation count attempts to stop by an action?
    pub(super) fn lifecycle_counts_stops(&self) -> bool {
        let counts =
            |action: &Action| matches!(&action.deed, Deed::Increment { variable, .. } if variable == "stop_attempts");
        self.lifecycles().any(|workflow| workflow.triggers(&["on_stop"]).iter().any(counts))
    }

    pub(super) fn action(&mut self, action: &Action, place: Place) {
        let variables = Arc::clone(&self.variables);
        let scope = Scope::new(self.trigger_names(), Some(&variables));
        let rule = action.rule.as_str();
        if !self.holds(rule, &action.when, &scope, Generation::First, false) {
            return;
        }
        match &action.deed {
            Deed::Set { variable, value } => {
                let value = match value {
                    Value::Str(text) if text.contains("{{") => match self.all.templates.try_render(text, &scope) {
                        Ok(text) => spelled(text, Empty::IsNone),
                        Err(what) => return self.trace(rule, Did::FailOpen, Some(what)),
                    },
                    other => other.clone(),
                };
                self.set(rule, variable, value);
            }
            Deed::Increment { variable, amount } => match incremented(&self.variable(variable), amount) {
                Some(value) => self.set(rule, variable, value),
                None => self.trace(rule, Did::FailOpen, Some(format!("`{variable}` is not a number"))),
            },
            Deed::BlockStop { reason } => {
                let reason = self.all.templates.render(reason, &scope);
                self.block(rule, reason);
            }
            Deed::BlockTools(rules) => drop(self.block_tools(rules)),
            Deed::Inject { template } => {
                let text = self.all.templates.render(template, &scope);
                self.outcome.context.push(text);
                self.trace(rule, Did::Inject, None);
            }
            Deed::TrackSchema => self.track_schema(),
            Deed::TrackDiscovery => self.track_discovery(),
            Deed::DetectPlanMode => self.detect_plan_mode(),
            Deed::CaptureBaseline => self.capture_baseline(rule),
            Deed::EndWorkflow if place == Place::Step => {
                if let Some(active) = &mut self.active {
                    active.is_ended = true;
                }
            }
            Deed::EndWorkflow | Deed::Nothing => {}
        }
    }

    /// The names that conditions of triggers and steps can read, besides variables.
    pub(super) fn trigger_names(&self) -> Vec<(&'static str, Value)> {
        let tool = self.data.get("tool_name").cloned().unwrap_or(Value::None);
        let mut names = vec![
            ("event", self.event_object()),
            ("variables", self.all_variables()),
            ("session", self.session()),
            ("session_id", Value::text(&self.event.session.id)),
            ("project", self.project()),
            ("tool_name", tool),
            ("tool_args", self.tool_input()),
            ("task_has_commits", Value::Bool(self.variable("task_has_commits").truth())),
        ];
        if let Some(active) = &self.active {
            names.push(("step", Value::text(&active.step)));
            names.push(("current_step", Value::text(&active.step)));
            names.push(("workflow_name", Value::text(&active.workflow)));
            names.push(("step_action_count", Value::Int(active.actions_in_step.into())));
            names.push(("total_action_count", Value::Int(active.actions.into())));
        }
        names
    }

    /// Blocks the call if a rule says so. The first one does; a condition that fails counts as true.
    pub(super) fn block_tools(&mut self, rules: &[BlockRule]) -> bool {
        for rule in rules {
            let Some(input) = self.blocked_input(rule) else { continue };
            let names = vec![
                ("variables", self.all_variables()),
                ("task_claimed", self.variables.get("task_claimed").cloned().unwrap_or(Value::Bool(false))),
                ("plan_mode", self.variables.get("plan_mode").cloned().unwrap_or(Value::Bool(false))),
                ("event", Value::Dict(Arc::clone(&self.data))),
                ("tool_input", input),
                ("task_has_commits", Value::Bool(self.variable("task_has_commits").truth())),
                ("source", Value::text(&self.event.source)),
            ];
            if !self.holds(&rule.rule, &rule.when, &Scope::new(names, None), Generation::First, true) {
                continue;
            }
            let reason = self.block_reason(rule);
            self.set(&rule.rule, "_tool_block_pending", Value::Bool(true));
            self.block(&rule.rule, reason);
            return true;
        }
        false
    }

    fn block_reason(&self, rule: &BlockRule) -> String {
        let Some(reason) = &rule.reason else { return format!("Tool '{}' is blocked.", self.tool()) };
        let input = self.tool_input();
        let named = |key: &str| input.as_dict()?.get(key)?.as_str().map(str::to_owned);
        let tool = named("tool_name").filter(|it| !it.is_empty());
        let unlocked = self.variable("unlocked_tools");
        let keys = unlocked.as_items().unwrap_or_default().iter().filter_map(Value::as_str);
        let server = tool.and_then(|tool| {
            keys.filter_map(|key| key.rsplit_once(':')).find(|(_, it)| *it == tool).map(|(server, _)| server.to_owned())
        });
        let server = server.or_else(|| named("server_name")).unwrap_or_default();
        let names = vec![("tool_input", input), ("suggested_server", Value::text(server)), ("project", self.project())];
        self.all.templates.render(reason, &Scope::new(names, None))
    }

    /// The input that the rule's condition sees, if the rule is for this call.
    fn blocked_input(&self, rule: &BlockRule) -> Option<Value> {
        let (tool, input) = (self.tool(), self.tool_input());
        if tool.is_empty() {
            return None;
        }
        let mut seen = input.clone();
        if rule.has_tools {
            if !rule.selector.tools.iter().any(|it| it == tool) {
                return None;
            }
        } else {
            let fields = input.as_dict().filter(|_| self.is_call_tool())?;
            let part = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
            let key = format!("{}:{}", part("server_name"), part("tool_name"));
            if !rule.selector.mcp_tools.contains(&key) {
                return None;
            }
            if let Some(arguments) = fields.get("arguments").filter(|it| it.truth() && it.as_dict().is_some()) {
                seen = arguments.clone();
            }
        }
        if tool == "Bash" {
            let command = input.as_dict().and_then(|it| it.get("command")).and_then(Value::as_str).unwrap_or_default();
            // A pattern that is not decided in time counts as one that fits.
            if !rule.selector.command.as_ref().is_none_or(|it| it.is_in(command).unwrap_or(true)) {
                return None;
            }
            if rule.selector.not_command.as_ref().is_some_and(|it| it.is_in(command).unwrap_or(false)) {
                return None;
            }
        }
        Some(seen)
    }

    /// Observers that files describe, rather than name.
    fn file_observers(&mut self) {
        let names = self.event.hook.names().rule;
        for workflow in self.lifecycles() {
            for observer in workflow.observers.iter().filter(|it| names.contains(&it.event.as_str())) {
                let input = self.tool_input();
                let field = |keys: [&str; 2]| {
                    let input = input.as_dict()?;
                    keys.iter().filter_map(|key| input.get(key)?.as_str()).find(|it| !it.is_empty()).map(str::to_owned)
                };
                let is = |wanted: &Option<String>, found: Option<String>| {
                    wanted.as_ref().is_none_or(|wanted| *wanted == found.unwrap_or_default())
                };
                let fits = is(&observer.tool, Some(self.tool().to_owned()))
                    && is(&observer.mcp_server, field(["server_name", "server"]))
                    && is(&observer.mcp_tool, field(["tool_name", "tool"]));
                if !fits {
                    continue;
                }
                for (variable, source) in &observer.set {
                    let variables = Arc::clone(&self.variables);
                    let names =
                        vec![("variables", self.all_variables()), ("event_data", Value::Dict(Arc::clone(&self.data)))];
                    let text = self.all.templates.try_render(source, &Scope::new(names, Some(&variables)));
                    let Ok(text) = text else { continue };
                    let value = if text.is_empty() { Value::text("") } else { spelled(text, Empty::IsNone) };
                    self.set(&workflow.name, variable, value);
                }
            }
        }
    }
}

/// Where an action stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Lifecycle,
    Step,
}

fn incremented(current: &Value, amount: &Value) -> Option<Value> {
    let whole = |value: &Value| match value {
        Value::None => Some(0),
        Value::Bool(it) => Some(i128::from(*it)),
        Value::Int(it) => Some(*it),
        _ => None,
    };
    match (whole(current), whole(amount)) {
        (Some(a), Some(b)) => a.checked_add(b).map(Value::Int),
        _ => {
            let float = |value: &Value| match value {
                Value::Float(it) => Some(*it),
                other => whole(other).map(|it| it as f64),
            };
            Some(Value::Float(float(current)? + float(amount)?))
        }
    }
}
