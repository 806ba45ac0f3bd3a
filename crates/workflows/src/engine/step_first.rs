//! Steps of the first generation: what they block, approvals, transitions, stops before the end.

use std::sync::Arc;

use super::lifecycle::Place;
use super::rules::mcp_fits;
use super::run::{Run, ask};
use crate::condition::Scope;
use crate::event::Hook;
use crate::file::{Gate, Generation, Handler, HandlerDeed, PrematureAction, Step, Toolset, Workflow};
use crate::limits::TRANSITIONS_MAX;
use crate::value::Value;

/// Tools that no step can block, since the agent finds its tools by them.
const EXEMPT: &[&str] = &["list_mcp_servers", "list_tools", "get_tool_schema", "recommend_tools", "search_tools"];

impl<'a> Run<'a> {
    pub(super) fn step_first(&mut self) {
        self.enter();
        self.follow();
        let Some((workflow, step)) = self.current() else { return };
        match self.event.hook {
            Hook::UserPromptSubmit { .. } => {
                self.approval(step);
                if self.variable("_premature_stop_count").truth() {
                    self.set(&workflow.name, "_premature_stop_count", Value::Int(0));
                }
            }
            Hook::PreToolUse(_) => self.restrict_first(workflow, step),
            Hook::PostToolUse { .. } => {
                if let Some(active) = &mut self.active {
                    active.actions_in_step += 1;
                    active.actions += 1;
                }
                self.handlers_first(step);
            }
            Hook::Stop { .. } => self.premature(workflow),
            _ => {}
        }
        if !self.outcome.is_blocked() {
            self.follow();
        }
    }

    fn restrict_first(&mut self, workflow: &'a Workflow, step: &'a Step) {
        let place = format!("{}/{}", workflow.name, step.name);
        if self.active.as_ref().is_some_and(|active| active.approval.is_some()) {
            return self.block(&place, "Waiting for user approval. Please respond with 'yes' or 'no'.".to_owned());
        }
        let tool = self.tool().to_owned();
        let plain = tool.strip_prefix("mcp__gobby__").unwrap_or(&tool);
        if !EXEMPT.contains(&plain) {
            if step.blocked_tools.contains(&tool) {
                return self.block(&place, format!("Tool '{tool}' is blocked in step '{}'.", step.name));
            }
            if matches!(&step.allowed_tools, Toolset::These(tools) if !tools.contains(&tool)) {
                return self.block(&place, format!("Tool '{tool}' is not in allowed list for step '{}'.", step.name));
            }
            for rule in &step.rules {
                if self.step_holds(&rule.when) {
                    let message = rule.message.clone();
                    return self
                        .block(&place, message.unwrap_or_else(|| format!("Blocked by rule in step '{}'", step.name)));
                }
            }
        }
        let is_call = self.is_call_tool() || plain == "get_tool_schema";
        if let Some((server, inner)) = self.mcp_of_call().filter(|_| is_call) {
            let key = format!("{server}:{inner}");
            if mcp_fits(&step.blocked_mcp_tools, &server, &inner) {
                return self.block(&place, format!("MCP tool '{key}' is blocked in step '{}'.", step.name));
            }
            if matches!(&step.allowed_mcp_tools, Toolset::These(tools) if !mcp_fits(tools, &server, &inner)) {
                return self
                    .block(&place, format!("MCP tool '{key}' is not in allowed list for step '{}'.", step.name));
            }
        }
        for name in &step.check_rules {
            if let Some(rule) = self.all.named_rule(workflow, name)
                && self.block_tools(std::slice::from_ref(rule))
            {
                return;
            }
        }
    }

    /// The server and tool that a call through gobby's proxy, or a look at a schema, names.
    fn mcp_of_call(&self) -> Option<(String, String)> {
        let input = self.tool_input();
        let input = input.as_dict()?;
        let text = |key: &str| input.get(key)?.as_str().filter(|it| !it.is_empty()).map(str::to_owned);
        Some((text("server_name")?, text("tool_name")?))
    }

    /// A condition of a step; one that fails is false.
    fn step_holds(&self, gate: &Gate) -> bool {
        let variables = Arc::clone(&self.variables);
        let scope = Scope::new(self.trigger_names(), Some(&variables));
        ask(gate, &scope, &self.known(Generation::First)).unwrap_or(false)
    }

    fn handlers_first(&mut self, step: &'a Step) {
        let Some((server, tool)) = self.mcp().map(|(server, tool)| (server.to_owned(), tool.to_owned())) else {
            return;
        };
        let handlers = if self.call_succeeded() { &step.after_mcp } else { &step.after_mcp_error };
        let fits = |it: &&Handler| it.server == server && it.tool.as_ref().is_none_or(|wanted| *wanted == tool);
        for handler in handlers.iter().filter(fits) {
            let HandlerDeed::Set { variable, value } = &handler.deed else { continue };
            if !self.step_holds(&handler.when) {
                continue;
            }
            let value = match value {
                Value::Str(text) if text.contains("{{") => {
                    let results = self.variable("mcp_results");
                    let result = results.as_dict().and_then(|it| it.get(&server)?.as_dict()?.get(&tool)).cloned();
                    let names = vec![("result", result.unwrap_or(Value::None)), ("variables", self.all_variables())];
                    let rendered = self.all.templates.try_render(text, &Scope::new(names, None));
                    rendered.map_or(Value::None, Value::text)
                }
                other => other.clone(),
            };
            self.set_in_step(&step.name, variable, value);
        }
    }

    /// Follows transitions, at most so many at one event.
    fn follow(&mut self) {
        for _ in 0..TRANSITIONS_MAX {
            let Some((workflow, step)) = self.current() else { return };
            let Some(transition) = step.transitions.iter().find(|it| self.step_holds(&it.when)) else { return };
            if workflow.step(&transition.to).is_none() {
                return;
            }
            for action in step.on_exit.iter().chain(&transition.actions) {
                self.action(action, Place::Step);
            }
            self.go(workflow, &transition.to);
            // What the step before called says nothing about this one.
            let variables = Arc::make_mut(&mut self.variables);
            variables.remove("mcp_calls");
            variables.remove("mcp_results");
            self.enter();
        }
    }

    /// Keeps the agent from stopping before the workflow's exit condition holds.
    fn premature(&mut self, workflow: &'a Workflow) {
        let (Some(exit), Some(handler)) = (&workflow.exit, &workflow.premature) else { return };
        if self.step_holds(exit) {
            return;
        }
        let whole = |value: Value, otherwise| match value {
            Value::Int(it) => it,
            _ => otherwise,
        };
        let attempts = whole(self.variable("_premature_stop_count"), 0).saturating_add(1);
        let most = whole(self.variable("premature_stop_max_attempts"), 3);
        self.set(&workflow.name, "_premature_stop_count", Value::Int(attempts));
        if most > 0 && attempts >= most {
            let text = format!("The stop is allowed after {attempts} attempts. The task may be incomplete.");
            self.outcome.context.push(text);
            return;
        }
        let variables = Arc::clone(&self.variables);
        let message = self.all.templates.render(&handler.message, &Scope::new(self.trigger_names(), Some(&variables)));
        match handler.action {
            PrematureAction::Warn => self.outcome.context.push(message),
            PrematureAction::Guide | PrematureAction::Block => self.block(&workflow.name, message),
        }
    }
}
