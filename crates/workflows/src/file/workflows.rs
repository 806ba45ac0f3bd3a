//! Workflows of the first generation: triggers, observers, steps, named rules.

use super::definitions::{BlockRule, Generation, Observer, Premature, PrematureAction, Workflow};
use super::reader::Reader;
use crate::yaml::Node;

const WORKFLOW_KEYS: &[&str] = &[
    "name",
    "description",
    "version",
    "type",
    "extends",
    "enabled",
    "priority",
    "sources",
    "settings",
    "variables",
    "session_variables",
    "rule_definitions",
    "imports",
    "tool_rules",
    "observers",
    "steps",
    "triggers",
    "on_error",
    "on_premature_stop",
    "exit_condition",
    "deprecated",
    "deprecated_reason",
    "internal",
    "mode",
];
/// Behaviours that we always have, so that naming them changes nothing.
const BEHAVIORS: &[&str] = &["task_claim_tracking", "detect_plan_mode", "mcp_call_tracking"];

impl Reader<'_> {
    /// `name` is used if the file gives none.
    pub(super) fn workflow(&mut self, node: &Node, name: Option<&str>) {
        let Some(name) = self.text(node, "name", "the file").or_else(|| name.map(str::to_owned)) else {
            self.error(node.line, None, "the workflow has no name");
            return;
        };
        self.unknown_keys(node, "a workflow", WORKFLOW_KEYS);
        if node.get("extends").is_some_and(|it| !it.is_null()) {
            self.error(node.line, Some(&name), "`extends` is not understood; write the workflow out");
        }
        if self.read.workflows.iter().any(|workflow| workflow.name == name) {
            self.error(node.line, Some(&name), "there is a workflow of this name already; the first is used");
            return;
        }
        let is_deprecated = self.report.file.rsplit('/').skip(1).any(|part| part == "deprecated");
        let is_enabled = self.flag(node, "enabled", &name, true) && !is_deprecated;
        let mut triggers = Vec::new();
        if let Some(found) = node.get("triggers") {
            for (key, _) in found.entries() {
                let Some(trigger) = key.as_str() else { continue };
                let actions = self.maps(found, trigger, &name);
                triggers.push((trigger.to_owned(), self.actions(&actions, &format!("{name}/{trigger}"), is_enabled)));
            }
        }
        let tool_rules = self.maps(node, "tool_rules", &name);
        let tool_rules = tool_rules.into_iter().enumerate();
        let tool_rules = tool_rules
            .filter_map(|(at, rule)| self.block_rule(rule, &format!("{name}/tool_rules/{}", at + 1), is_enabled))
            .collect();
        let steps = self.steps(node, &name, Generation::First);
        let workflow = Workflow {
            generation: Generation::First,
            is_enabled,
            priority: self.number(node, "priority", &name, 100),
            sources: self.texts(node, "sources", &name),
            variables: self.values(node, "variables", &name),
            session_variables: self.values(node, "session_variables", &name),
            observers: self.observers(node, &name),
            initializes: initializes(node),
            triggers,
            tool_rules,
            exit: self.exit(node, &name),
            premature: self.premature(node, &name),
            named_rules: self.named_rules(node, &name),
            imports: self.texts(node, "imports", &name).unwrap_or_default(),
            steps,
            name,
        };
        self.read.workflows.push(workflow);
    }

    /// `rule_definitions`. Only those that block act.
    pub(super) fn named_rules(&mut self, node: &Node, place: &str) -> Vec<(String, BlockRule)> {
        let Some(found) = node.get("rule_definitions") else { return Vec::new() };
        let mut rules = Vec::new();
        for (key, rule) in found.entries() {
            let Some(name) = key.as_str() else { continue };
            match self.text(rule, "action", name).as_deref() {
                None | Some("block") => {}
                Some(other) => {
                    self.without(rule.line, format!("named rule with `action: {other}`"));
                    continue;
                }
            }
            let full = format!("{place}/{name}");
            if let Some(read) = self.block_rule(rule, &full, true) {
                rules.push((name.to_owned(), read));
            }
        }
        rules
    }

    fn observers(&mut self, node: &Node, workflow: &str) -> Vec<Observer> {
        let mut observers = Vec::new();
        for node in self.maps(node, "observers", workflow) {
            if let Some(behavior) = self.text(node, "behavior", workflow) {
                if !BEHAVIORS.contains(&&*behavior) {
                    self.without(node.line, format!("observer with the behaviour `{behavior}`"));
                }
                continue;
            }
            // Without quotes, `on` is a boolean in YAML 1.1, and gobby refuses the observer. We take it.
            let unquoted = node.entries().find(|(key, _)| matches!(key.content, crate::yaml::Content::Bool(true)));
            let event = self.text(node, "on", workflow).or_else(|| unquoted?.1.as_str().map(str::to_owned));
            let Some(event) = event else {
                self.error(node.line, Some(workflow), "an observer has neither `on` nor `behavior`");
                continue;
            };
            let matches = node.get("match");
            let wanted = |key: &str| matches.and_then(|it| it.get(key)).and_then(Node::as_str).map(str::to_owned);
            let (tool, mcp_server, mcp_tool) = (wanted("tool"), wanted("mcp_server"), wanted("mcp_tool"));
            let mut set = Vec::new();
            for (key, value) in node.get("set").into_iter().flat_map(Node::entries) {
                match (key.as_str(), value.as_str()) {
                    (Some(key), Some(value)) => set.push((key.to_owned(), value.to_owned())),
                    _ => self.error(value.line, Some(workflow), "an observer sets variables to texts"),
                }
            }
            observers.push(Observer { event, tool, mcp_server, mcp_tool, set });
        }
        observers
    }

    fn premature(&mut self, node: &Node, workflow: &str) -> Option<Premature> {
        let node = node.get("on_premature_stop").filter(|it| it.is_map())?;
        let action = match self.text(node, "action", workflow).as_deref() {
            None | Some("guide_continuation") => PrematureAction::Guide,
            Some("block") => PrematureAction::Block,
            Some("warn") => PrematureAction::Warn,
            Some(other) => {
                self.error(node.line, Some(workflow), format!("there is no action `{other}` for a stop"));
                return None;
            }
        };
        let message = self.template(node, "message", workflow);
        Some(Premature { action, message: message.unwrap_or_else(|| "The task is not complete. Continue.".to_owned()) })
    }
}

/// Is an action at the first message guarded by the variable that says that the session is initialized?
fn initializes(node: &Node) -> bool {
    let Some(triggers) = node.get("triggers") else { return false };
    let actions =
        ["on_before_agent", "on_prompt_submit"].iter().filter_map(|key| triggers.get(key)?.as_list()).flatten();
    let mut guards = actions.filter_map(|action| action.get("when")?.as_str());
    guards.any(|when| when.contains("session_initialized"))
}
