//! Steps of workflows, of both generations.

use super::definitions::{Gate, Generation, Handler, HandlerDeed, InlineRule, Step, Toolset, Transition};
use super::gates::Gated;
use super::reader::Reader;
use crate::value::Value;
use crate::yaml::{Content, Node};

const STEP_KEYS: &[&str] = &[
    "name",
    "description",
    "status_message",
    "on_enter",
    "on_exit",
    "allowed_tools",
    "blocked_tools",
    "allowed_mcp_tools",
    "blocked_mcp_tools",
    "rules",
    "check_rules",
    "transitions",
    "exit_when",
    "exit_conditions",
    "on_mcp_before",
    "on_mcp_success",
    "on_mcp_error",
];

impl Reader<'_> {
    pub(super) fn steps(&mut self, node: &Node, workflow: &str, generation: Generation) -> Vec<Step> {
        let nodes = self.maps(node, "steps", workflow);
        nodes.into_iter().filter_map(|node| self.step(node, workflow, generation)).collect()
    }

    fn step(&mut self, node: &Node, workflow: &str, generation: Generation) -> Option<Step> {
        let Some(name) = self.text(node, "name", workflow) else {
            self.error(node.line, Some(workflow), "a step has no name");
            return None;
        };
        self.unknown_keys(node, "a step", STEP_KEYS);
        let place = format!("{workflow}/{name}");
        let mut row = self.row(&place, node.line, Some("step"));
        row.acts.push("step".to_owned());
        let on_enter = self.maps(node, "on_enter", &place);
        let on_enter = self.actions(&on_enter, &format!("{place}/on_enter"), true);
        let on_exit = self.maps(node, "on_exit", &place);
        let on_exit = self.actions(&on_exit, &format!("{place}/on_exit"), true);
        if let Some(when) = node.get("exit_when") {
            self.without(when.line, "key `exit_when` of a step");
        }
        let handler_keys = if generation == Generation::Second {
            ["on_mcp_before", "on_mcp_success", "on_mcp_error"]
        } else {
            ["", "on_mcp_success", "on_mcp_error"]
        };
        let [before_mcp, after_mcp, after_mcp_error] = handler_keys.map(|key| self.handlers(node, key, &place));
        let step = Step {
            status_message: self.template(node, "status_message", &place),
            on_enter,
            on_exit,
            allowed_tools: self.toolset(node, "allowed_tools", &place),
            blocked_tools: self.texts(node, "blocked_tools", &place).unwrap_or_default(),
            allowed_mcp_tools: self.toolset(node, "allowed_mcp_tools", &place),
            blocked_mcp_tools: self.texts(node, "blocked_mcp_tools", &place).unwrap_or_default(),
            rules: self.inline_rules(node, &place),
            check_rules: self.texts(node, "check_rules", &place).unwrap_or_default(),
            transitions: self.transitions(node, &place),
            approvals: self.approvals(node, &place),
            before_mcp,
            after_mcp,
            after_mcp_error,
            name,
        };
        self.add(row);
        Some(step)
    }

    fn toolset(&mut self, node: &Node, key: &str, rule: &str) -> Toolset {
        match node.get(key).map(|it| &it.content) {
            None | Some(Content::Null) => Toolset::All,
            Some(Content::Str(word)) if &**word == "all" => Toolset::All,
            _ => Toolset::These(self.texts(node, key, rule).unwrap_or_default()),
        }
    }

    fn inline_rules(&mut self, node: &Node, place: &str) -> Vec<InlineRule> {
        let mut rules = Vec::new();
        for (at, node) in self.maps(node, "rules", place).into_iter().enumerate() {
            let rule = format!("{place}/rules/{}", at + 1);
            match self.text(node, "action", &rule).as_deref() {
                Some("block") => {}
                Some(other @ ("allow" | "warn" | "require_approval")) => {
                    self.without(
                        node.line,
                        format!("step rule with `action: {other}`, which gobby 0.2.18 ignores, too"),
                    );
                    continue;
                }
                other => {
                    self.error(node.line, Some(&rule), format!("there is no action `{}`", other.unwrap_or_default()));
                    continue;
                }
            }
            match self.gate(node, "when", &rule) {
                Gated::Inactive(why) => self.inactive(node.line, &rule, why),
                Gated::Gate(when) => rules.push(InlineRule { when, message: self.text(node, "message", &rule) }),
            }
        }
        rules
    }

    fn transitions(&mut self, node: &Node, place: &str) -> Vec<Transition> {
        let mut transitions = Vec::new();
        for (at, node) in self.maps(node, "transitions", place).into_iter().enumerate() {
            let rule = format!("{place}/transitions/{}", at + 1);
            let Some(to) = self.text(node, "to", &rule) else {
                self.error(node.line, Some(&rule), "a transition has no `to`");
                continue;
            };
            let actions = self.maps(node, "on_transition", &rule);
            let actions = self.actions(&actions, &rule, true);
            match self.gate(node, "when", &rule) {
                Gated::Inactive(why) => self.inactive(node.line, &rule, why),
                Gated::Gate(when) => transitions.push(Transition { to, when, actions }),
            }
        }
        transitions
    }

    /// The exit conditions that ask a person. The others only gate what gobby leaves undone.
    fn approvals(&mut self, node: &Node, place: &str) -> Vec<(String, String)> {
        let Some(conditions) = node.get("exit_conditions").and_then(Node::as_list) else { return Vec::new() };
        let mut approvals = Vec::new();
        for (at, condition) in conditions.iter().enumerate() {
            let is_approval = condition.get("type").and_then(Node::as_str) == Some("user_approval");
            if !is_approval && condition.get("approval").is_none() {
                self.without(condition.line, "exit condition of a step that asks no person");
                continue;
            }
            let id = self.text(condition, "id", place).unwrap_or_else(|| format!("{place}/{}", at + 1));
            let key = if is_approval { "prompt" } else { "approval" };
            let prompt = self.text(condition, key, place);
            approvals.push((id, prompt.unwrap_or_else(|| "Do you approve this action? (yes/no)".to_owned())));
        }
        approvals
    }

    fn handlers(&mut self, node: &Node, key: &str, place: &str) -> Vec<Handler> {
        let mut handlers = Vec::new();
        for (at, node) in self.maps(node, key, place).into_iter().enumerate() {
            let rule = format!("{place}/{key}/{}", at + 1);
            let deed = match self.text(node, "action", &rule).as_deref() {
                None | Some("set_variable") => match self.text(node, "variable", &rule) {
                    Some(variable) => {
                        HandlerDeed::Set { variable, value: self.any(node, "value").unwrap_or(Value::None) }
                    }
                    None => {
                        self.error(node.line, Some(&rule), "it names no variable");
                        continue;
                    }
                },
                Some("block") => HandlerDeed::Block { reason: self.text(node, "reason", &rule) },
                Some(other) => {
                    self.without(node.line, format!("action `{other}` at a call of an MCP tool"));
                    continue;
                }
            };
            let when = match self.gate(node, "when", &rule) {
                Gated::Inactive(why) => {
                    self.inactive(node.line, &rule, why);
                    continue;
                }
                Gated::Gate(gate) => gate,
            };
            let server = self.text(node, "server", &rule).unwrap_or_default();
            handlers.push(Handler { server, tool: self.text(node, "tool", &rule), when, deed });
        }
        handlers
    }

    pub(super) fn exit(&mut self, node: &Node, workflow: &str) -> Option<Gate> {
        self.text(node, "exit_condition", workflow)?;
        match self.gate(node, "exit_condition", workflow) {
            Gated::Gate(gate) => Some(gate),
            Gated::Inactive(why) => {
                let line = node.get("exit_condition").map_or(node.line, |it| it.line);
                self.inactive(line, workflow, format!("its exit condition never decides: {why}"));
                None
            }
        }
    }
}
