//! Rules of the second generation.

use std::sync::Arc;

use serde_json::Value as Json;

use super::data::is_shell;
use super::run::{Run, applies};
use crate::condition::Scope;
use crate::file::{Agent, Effect, EffectKind, Gate, Generation, Rule, Selector};
use crate::outcome::{Did, Observation, Permission, PermissionDecision, RewrittenInput};
use crate::pattern::Pattern;
use crate::value::{Dict, Value};

/// Notes of `observe` that the session's variable keeps.
const OBSERVATIONS_MAX: usize = 50;

impl<'a> Run<'a> {
    pub(super) fn rules(&mut self) {
        if self.agent_blocks() {
            return;
        }
        let all = self.all;
        let names = self.event.hook.names().rule;
        let place = |rule: &Rule| names.iter().position(|name| *name == rule.event);
        let mut rules: Vec<&Rule> = all.rules.iter().filter(|rule| place(rule).is_some()).collect();
        // They are sorted by priority and name; a turn's start comes before the hook behind it.
        rules.sort_by_key(|rule| (rule.priority, place(rule)));
        for rule in rules {
            if self.is_for_this_session(rule) && !self.rule(rule) {
                return;
            }
        }
    }

    fn is_for_this_session(&self, rule: &Rule) -> bool {
        let agent_type = self.agent_type();
        let scope_fits = rule.agent_scope.as_ref().is_none_or(|scope| {
            agent_type.as_deref().is_some_and(|agent| scope.iter().any(|it| it == "*" || it == agent))
        });
        let tool_fits = rule.tools.is_empty() || rule.tools.iter().any(|tool| tool == self.tool());
        let agent_fits = self.agent().is_none_or(|agent| selects(agent, rule));
        applies(rule.sources.as_deref(), &self.event.source)
            && scope_fits
            && self.audience_fits(rule, agent_type.as_deref())
            && agent_fits
            && tool_fits
    }

    fn audience_fits(&self, rule: &Rule, agent: Option<&str>) -> bool {
        let Some(audience) = rule.audience.as_deref().filter(|it| *it != "all") else { return true };
        let is_spawned = self.variable("is_spawned_agent").truth();
        if self.variable("_audience").as_str() == Some(audience) || agent == Some(audience) {
            return true;
        }
        match audience {
            "autonomous" => is_spawned,
            "interactive" => !is_spawned && matches!(agent, None | Some("default")),
            _ => false,
        }
    }

    /// The agent's name: the variable that gobby uses, or what the session says.
    fn agent_type(&self) -> Option<String> {
        let variable = self.variable("_agent_type").as_str().filter(|it| !it.is_empty()).map(str::to_owned);
        variable.or_else(|| self.event.session.agent.clone())
    }

    /// The definition of the session's agent.
    pub(super) fn agent(&self) -> Option<&'a Agent> {
        let name = self.agent_type()?;
        self.all.agents.iter().find(|agent| agent.name == name)
    }

    pub(super) fn rule_scope(&self) -> Scope<'_> {
        Scope::new(self.rule_names(), Some(&self.variables))
    }

    fn rule_names(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("variables", self.all_variables()),
            ("event", self.event_object()),
            ("tool_input", self.inner_input()),
            ("source", Value::text(&self.event.source)),
            ("project", self.project()),
        ]
    }

    /// Returns false once a rule blocked: the first block wins.
    fn rule(&mut self, rule: &Rule) -> bool {
        let blocks_first = matches!(rule.effects.first(), Some(Effect { kind: EffectKind::Block { .. }, .. }));
        if !self.condition(rule, &rule.when, blocks_first) {
            return true;
        }
        let mut block = None;
        for effect in &rule.effects {
            if !self.selected(&effect.selector) {
                continue;
            }
            let is_block = matches!(effect.kind, EffectKind::Block { .. });
            if !self.condition(rule, &effect.when, is_block) {
                continue;
            }
            match &effect.kind {
                // After the other effects of the rule.
                EffectKind::Block { reason } => block = Some(reason),
                other => self.effect(rule, other),
            }
        }
        let Some(reason) = block else { return true };
        let reason = self.all.templates.render(reason, &self.rule_scope());
        self.block(&rule.name, reason);
        false
    }

    fn condition(&mut self, rule: &Rule, gate: &Gate, if_failed: bool) -> bool {
        let variables = Arc::clone(&self.variables);
        let scope = Scope::new(self.rule_names(), Some(&variables));
        self.holds(&rule.name, gate, &scope, Generation::Second, if_failed)
    }

    fn effect(&mut self, rule: &Rule, kind: &EffectKind) {
        let variables = Arc::clone(&self.variables);
        let scope = Scope::new(self.rule_names(), Some(&variables));
        let name = rule.name.as_str();
        match kind {
            EffectKind::Set { variable, value } => self.assign(name, variable, value, &scope),
            EffectKind::Inject { template } => {
                let text = self.all.templates.render(template, &scope);
                self.outcome.context.push(text);
                self.trace(name, Did::Inject, None);
            }
            EffectKind::Observe { category, message } => {
                let message = self.all.templates.render(message, &scope);
                self.observation(name, category, message);
            }
            EffectKind::Rewrite { updates, auto_approve } => match self.updated_input(updates, &scope) {
                Some(input) => {
                    let rewritten = RewrittenInput { rule: name.to_owned(), input, auto_approve: *auto_approve };
                    self.outcome.rewritten_input = Some(rewritten);
                    self.trace(name, Did::Rewrite, None);
                }
                None => self.trace(name, Did::FailOpen, Some("the new input could not be rendered".to_owned())),
            },
            EffectKind::Permission { allow, updates, permissions } => {
                let decision = allow.map(|it| if it { PermissionDecision::Allow } else { PermissionDecision::Deny });
                let updated_input = updates.as_ref().and_then(|updates| self.updated_input(updates, &scope));
                let rendered = permissions.as_ref().and_then(|it| self.rendered(it, &scope));
                let updated_permissions = rendered.map(|it| it.to_json());
                if updates.is_some() && updated_input.is_none() {
                    return self.trace(name, Did::FailOpen, Some("the new input could not be rendered".to_owned()));
                }
                let rule = name.to_owned();
                let before = self.outcome.permission.take();
                let before = before.as_ref();
                self.outcome.permission = Some(Permission {
                    rule,
                    decision: decision.or(before.and_then(|it| it.decision)),
                    updated_input: updated_input.or_else(|| before.and_then(|it| it.updated_input.clone())),
                    updated_permissions: updated_permissions
                        .or_else(|| before.and_then(|it| it.updated_permissions.clone())),
                });
                self.trace(name, Did::Permit, None);
            }
            EffectKind::CaptureBaseline => self.capture_baseline(name),
            EffectKind::Block { .. } | EffectKind::Nothing => {}
        }
    }

    fn observation(&mut self, rule: &str, category: &str, message: String) {
        let held = self.variable("_observations");
        let mut notes = held.as_items().map(<[Value]>::to_vec).unwrap_or_default();
        let mut note = Dict::default();
        for (key, text) in [("category", category), ("message", &message), ("rule", rule)] {
            note.set(key, Value::text(text));
        }
        notes.push(Value::dict(note));
        let surplus = notes.len().saturating_sub(OBSERVATIONS_MAX);
        self.set(rule, "_observations", Value::list(notes.split_off(surplus)));
        let (rule, category) = (rule.to_owned(), category.to_owned());
        self.trace(&rule, Did::Observe, None);
        self.outcome.observed.push(Observation { rule, category, message });
    }

    /// The call's input with updates; those of a call through gobby's proxy go to the arguments inside.
    fn updated_input(&self, updates: &Value, scope: &Scope<'_>) -> Option<Json> {
        let Json::Object(updates) = self.rendered(updates, scope)?.to_json() else { return None };
        let before = self.outcome.rewritten_input.as_ref().map(|it| &it.input);
        let mut input = before.or_else(|| self.event.call().map(|call| &call.input))?.clone();
        if self.is_call_tool() {
            let arguments = input.get("arguments").cloned().unwrap_or_default();
            let arguments = match arguments {
                Json::String(text) => serde_json::from_str(&text).unwrap_or_default(),
                other => other,
            };
            let Json::Object(mut arguments) =
                (if arguments.is_object() { arguments } else { Json::Object(Default::default()) })
            else {
                return None;
            };
            arguments.extend(updates);
            input.as_object_mut()?.insert("arguments".to_owned(), Json::Object(arguments));
        } else {
            input.as_object_mut()?.extend(updates);
        }
        Some(input)
    }

    /// Is an effect for this call?
    fn selected(&self, selector: &Selector) -> bool {
        let input = self.data.get("tool_input").and_then(Value::as_dict);
        let command = self.data.get("command").or_else(|| input?.get("command"));
        let command = command.and_then(Value::as_str).filter(|it| !it.is_empty());
        if selector.tools.is_empty() && selector.mcp_tools.is_empty() {
            return command_fits(selector, command);
        }
        let tool = self.tool();
        let names_shell = selector.tools.iter().any(|it| is_shell(it));
        if !tool.is_empty() && (selector.tools.iter().any(|it| it == tool) || (is_shell(tool) && names_shell)) {
            return !is_shell(tool) || command_fits(selector, command);
        }
        let Some(mcp_tool) = self.data.get("mcp_tool").and_then(Value::as_str) else { return false };
        match self.data.get("mcp_server").and_then(Value::as_str) {
            Some(server) => mcp_fits(&selector.mcp_tools, server, mcp_tool),
            None => selector.mcp_tools.iter().any(|it| it == mcp_tool),
        }
    }
}

/// A command that is not decided in time counts as one that the rule is for.
fn command_fits(selector: &Selector, command: Option<&str>) -> bool {
    let (Some(pattern), Some(command)) = (&selector.command, command) else { return true };
    let is_in = |pattern: &Pattern, undecided: bool| pattern.is_in(command).unwrap_or(undecided);
    is_in(pattern, true) && !selector.not_command.as_ref().is_some_and(|pattern| is_in(pattern, false))
}

/// Does a list name this tool of this server, or all of them?
pub(super) fn mcp_fits(list: &[String], server: &str, tool: &str) -> bool {
    let fits = |pattern: &String| match pattern.split_once(':') {
        Some((named, "*")) => named == server,
        Some((named, wanted)) => named == server && wanted == tool,
        None => false,
    };
    list.iter().any(fits)
}

/// Does an agent's definition select a rule?
fn selects(agent: &Agent, rule: &Rule) -> bool {
    let is_named = agent.rules.contains(&rule.name);
    let Some((include, exclude)) = &agent.selectors else { return is_named };
    let fits = |selector: &String| {
        let (dimension, value) = match selector.split_once(':') {
            Some((dimension @ ("tag" | "group" | "name" | "source"), value)) => (dimension, value),
            _ => ("name", selector.as_str()),
        };
        match dimension {
            "tag" => rule.tags.iter().any(|tag| globbed(value, tag)),
            "group" => globbed(value, rule.group.as_deref().unwrap_or_default()),
            "source" => globbed(value, "installed"),
            _ => globbed(value, &rule.name),
        }
    };
    !exclude.iter().any(fits) && (is_named || include.iter().any(fits))
}

/// `*` and `?`, as a shell has them.
fn globbed(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match &mut star {
                Some((at, from)) => {
                    *from += 1;
                    (p, t) = (*at + 1, *from);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}
