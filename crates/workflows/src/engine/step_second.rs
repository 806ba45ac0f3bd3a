//! Steps of the second generation: inline in an agent's definition, moved on by calls of MCP tools.

use std::sync::Arc;

use super::observers::sets_reserved;
use super::rules::mcp_fits;
use super::run::{Run, ask};
use crate::condition::Scope;
use crate::event::Hook;
use crate::file::{Gate, Generation, Handler, HandlerDeed, Step, Toolset, Workflow, expression_in_step};
use crate::functions::{DISCOVERY_TOOLS, OPERATOR_TOOLS};
use crate::outcome::Did;
use crate::value::{Dict, Value};

/// Tools by which an agent tells the workflow where it is.
const INFRASTRUCTURE: &[&str] = &["set_variable", "get_variable"];
const SET_VARIABLE: &[&str] = &["set_variable", "mcp__gobby__set_variable"];

impl<'a> Run<'a> {
    pub(super) fn step_second(&mut self) {
        self.enter();
        let Some((workflow, step)) = self.current() else { return };
        match self.event.hook {
            Hook::PreToolUse(_) => self.restrict_second(workflow, step),
            Hook::PostToolUse { .. } if !self.is_failure() => self.advance(workflow, step),
            _ => {}
        }
    }

    /// What the session's agent blocks in every step. Returns whether it did.
    pub(super) fn agent_blocks(&mut self) -> bool {
        let Some(agent) = self.agent().filter(|_| matches!(self.event.hook, Hook::PreToolUse(_))) else { return false };
        if self.is_discovery() {
            return false;
        }
        let (name, tool) = (agent.name.clone(), self.tool().to_owned());
        if agent.blocked_tools.contains(&tool) {
            self.block(&name, format!("Tool '{tool}' is blocked for the '{name}' agent."));
            return true;
        }
        let Some((server, inner)) = self.mcp().filter(|_| self.is_call_tool()) else { return false };
        let is_free = DISCOVERY_TOOLS.contains(&inner) || OPERATOR_TOOLS.contains(&inner);
        if is_free || !mcp_fits(&agent.blocked_mcp_tools, server, inner) {
            return false;
        }
        let key = format!("{server}:{inner}");
        self.block(&name, format!("MCP tool '{key}' is blocked for the '{name}' agent."));
        true
    }

    /// A tool of gobby's proxy that is never blocked.
    fn is_discovery(&self) -> bool {
        let plain = self.tool().strip_prefix("mcp__gobby__");
        plain.is_some_and(|it| DISCOVERY_TOOLS.contains(&it) || INFRASTRUCTURE.contains(&it))
    }

    fn restrict_second(&mut self, workflow: &'a Workflow, step: &'a Step) {
        let place = format!("{}/{}", workflow.name, step.name);
        let tool = self.tool().to_owned();
        if tool == "ToolSearch" {
            return;
        }
        let input = self.handler_input();
        let sets = SET_VARIABLE.contains(&tool.as_str()) || self.mcp().is_some_and(|(_, tool)| tool == "set_variable");
        if let Some(name) = sets_reserved(&input).filter(|_| sets) {
            return self.block(&place, format!("Variable '{name}' is managed by the step workflow runtime."));
        }
        if self.is_discovery() {
            return;
        }
        let step_name = &step.name;
        if let Toolset::These(tools) = &step.allowed_tools
            && !tools.contains(&tool)
        {
            let allowed = tools.join(", ");
            let reason = format!("Tool '{tool}' is not allowed in the '{step_name}' step.\nAllowed tools: {allowed}");
            return self.block(&place, reason);
        }
        if step.blocked_tools.contains(&tool) {
            return self.block(&place, format!("Tool '{tool}' is blocked in the '{step_name}' step."));
        }
        let Some((server, inner)) = self.mcp().filter(|_| self.is_call_tool()) else { return };
        let (server, inner) = (server.to_owned(), inner.to_owned());
        if DISCOVERY_TOOLS.contains(&inner.as_str()) || OPERATOR_TOOLS.contains(&inner.as_str()) {
            return;
        }
        let key = format!("{server}:{inner}");
        if let Toolset::These(tools) = &step.allowed_mcp_tools
            && !mcp_fits(tools, &server, &inner)
        {
            let allowed = tools.join(", ");
            let reason =
                format!("MCP tool '{key}' is not allowed in the '{step_name}' step.\nAllowed MCP tools: {allowed}");
            return self.block(&place, reason);
        }
        if mcp_fits(&step.blocked_mcp_tools, &server, &inner) {
            return self.block(&place, format!("MCP tool '{key}' is blocked in the '{step_name}' step."));
        }
        for handler in step.before_mcp.iter().filter(|it| is_for(it, &server, &inner)) {
            let is_block = matches!(handler.deed, HandlerDeed::Block { .. });
            if !self.handler_holds(&place, &handler.when, &input, &Value::None, is_block) {
                continue;
            }
            match &handler.deed {
                HandlerDeed::Set { variable, value } => self.handled(&place, variable, value, &input, &Value::None),
                HandlerDeed::Block { reason } => {
                    let otherwise = || format!("MCP tool '{key}' is blocked in the '{step_name}' step.");
                    return self.block(&place, reason.clone().unwrap_or_else(otherwise));
                }
            }
        }
    }

    /// The input with the arguments inside brought up to its level.
    fn handler_input(&self) -> Dict {
        let input = self.tool_input();
        let Some(outer) = input.as_dict() else { return Dict::default() };
        let inner = outer.get("arguments").or_else(|| outer.get("args")).and_then(Value::as_dict);
        let mut merged = inner.cloned().unwrap_or_default();
        for (name, value) in outer.iter() {
            if let Some(name) = name.as_str() {
                merged.set(name, value.clone());
            }
        }
        // The names of the proxy hide those of the tool only where the tool has none of its own.
        for (name, value) in inner.into_iter().flat_map(Dict::iter) {
            if let Some(name) = name.as_str().filter(|name| outer.get(name).is_none()) {
                merged.set(name, value.clone());
            }
        }
        merged
    }

    /// Did an MCP call succeed, as far as its result says?
    pub(super) fn call_succeeded(&self) -> bool {
        let says_no = |it: &Dict| {
            matches!(it.get("success"), Some(Value::Bool(false))) || it.get("error").is_some_and(Value::truth)
        };
        let output = self.data.get("tool_output").and_then(Value::as_dict);
        let is_error = output.and_then(|it| it.get("status")).and_then(Value::as_str) == Some("error");
        let inner = output.and_then(|it| it.get("result")).and_then(Value::as_dict);
        !(self.is_failure() || is_error || output.is_some_and(says_no) || inner.is_some_and(says_no))
    }

    /// Handlers and transitions after a call of an MCP tool.
    fn advance(&mut self, workflow: &'a Workflow, step: &'a Step) {
        let is_set = SET_VARIABLE.contains(&self.tool());
        let key = match self.mcp().filter(|_| self.is_call_tool()) {
            Some((server, tool)) => (server.to_owned(), tool.to_owned()),
            None if is_set => ("gobby-workflows".to_owned(), "set_variable".to_owned()),
            None => return,
        };
        let (input, is_good) = (self.handler_input(), self.call_succeeded());
        let output = self.data.get("tool_output").cloned().unwrap_or(Value::None);
        let place = format!("{}/{}", workflow.name, step.name);
        let handlers = if is_good { &step.after_mcp } else { &step.after_mcp_error };
        let mut has_changed = is_good;
        for handler in handlers.iter().filter(|it| is_for(it, &key.0, &key.1)) {
            let HandlerDeed::Set { variable, value } = &handler.deed else { continue };
            if self.handler_holds(&place, &handler.when, &input, &output, false) {
                self.handled(&place, variable, value, &input, &output);
                has_changed = true;
            }
        }
        if has_changed {
            self.follow_second(workflow);
        }
    }

    fn handler_scope<'s>(&self, input: &Dict, output: &Value, merged: &Dict) -> Scope<'s> {
        let vars = Value::dict(merged.clone());
        let names = vec![
            ("vars", vars.clone()),
            ("variables", vars),
            ("tool_input", Value::dict(input.clone())),
            ("tool_output", output.clone()),
            ("current_step", self.active.as_ref().map_or(Value::None, |active| Value::text(&active.step))),
        ];
        Scope::new(names, None)
    }

    fn handler_holds(&mut self, rule: &str, gate: &Gate, input: &Dict, output: &Value, if_failed: bool) -> bool {
        let scope = self.handler_scope(input, output, &self.merged_variables());
        self.holds(rule, gate, &scope, Generation::Second, if_failed)
    }

    fn handled(&mut self, rule: &str, variable: &str, value: &Value, input: &Dict, output: &Value) {
        let gate = value.as_str().and_then(expression_in_step);
        let value = match gate {
            None | Some(Gate::Always) => value.clone(),
            Some(Gate::Broken(why)) => return self.trace(rule, Did::FailOpen, Some(why)),
            Some(Gate::When(condition)) => {
                let scope = self.handler_scope(input, output, &self.merged_variables());
                match condition.value(&scope, &self.known(Generation::Second)) {
                    Ok(value) => value,
                    Err(error) => return self.trace(rule, Did::FailOpen, Some(error.0)),
                }
            }
        };
        self.set_in_step(rule, variable, value);
    }

    fn follow_second(&mut self, workflow: &'a Workflow) {
        let mut path = Vec::new();
        for _ in 0..=workflow.steps.len() {
            let Some((_, step)) = self.current() else { break };
            let scope = self.handler_scope(&Dict::default(), &Value::None, &self.merged_variables());
            let known = self.known(Generation::Second);
            let fits = |gate: &Gate| ask(gate, &scope, &known).unwrap_or(false);
            let next = step.transitions.iter().find(|it| workflow.step(&it.to).is_some() && fits(&it.when));
            let Some(next) = next else { break };
            if path.is_empty() {
                path.push(step.name.clone());
            }
            path.push(next.to.clone());
            self.go(workflow, &next.to);
            if let Some(active) = &mut self.active {
                // The notice below has its message.
                active.is_entered = true;
            }
            self.set(&workflow.name, "tool_block_pending", Value::Bool(false));
            self.check_exit(workflow);
        }
        if path.is_empty() {
            return;
        }
        let mut notice = format!("Step transition: {}", path.join(" -> "));
        if let Some(message) = self.current().and_then(|(_, step)| step.status_message.as_deref()) {
            notice = format!("{notice}\n{}", message.trim());
        }
        self.outcome.context.push(notice);
    }

    /// Notes that the workflow is complete once its exit condition holds.
    fn check_exit(&mut self, workflow: &'a Workflow) {
        let Some(exit) = &workflow.exit else { return };
        let merged = self.merged_variables();
        let scope = self.handler_scope(&Dict::default(), &Value::None, &merged);
        if ask(exit, &scope, &self.known(Generation::Second)).unwrap_or(false) {
            Arc::make_mut(&mut self.variables).set("step_workflow_complete", Value::Bool(true));
        }
    }
}

fn is_for(handler: &Handler, server: &str, tool: &str) -> bool {
    handler.server == server && handler.tool.as_ref().is_none_or(|wanted| wanted == tool)
}
