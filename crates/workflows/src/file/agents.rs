//! Agents' definitions: what they block, which rules they select, their inline steps.

use super::definitions::{Agent, Generation, Workflow};
use super::reader::Reader;
use crate::value::Dict;
use crate::yaml::Node;

impl Reader<'_> {
    pub(super) fn agent(&mut self, node: &Node) {
        let Some(name) = self.text(node, "name", "the file") else {
            self.error(node.line, None, "the agent has no name");
            return;
        };
        self.without(node.line, "agent definition as such (gobby starts agents)");
        let orchestration = node.get("workflows");
        if orchestration.is_some_and(|it| it.entries().any(|(_, spec)| spec.get("steps").is_some())) {
            self.embedded(orchestration, &name);
        }
        if self.read.agents.iter().any(|agent| agent.name == name) {
            self.error(node.line, Some(&name), "there is an agent of this name already; the first is used");
            return;
        }
        let is_enabled = self.flag(node, "enabled", &name, true) && !self.flag(node, "deprecated", &name, false);
        if node.get("steps").and_then(Node::as_list).is_some_and(|steps| !steps.is_empty()) {
            let steps = self.steps(node, &name, Generation::Second);
            let workflow = Workflow {
                name: name.clone(),
                generation: Generation::Second,
                is_enabled: false,
                priority: 100,
                sources: None,
                variables: self.values(node, "step_variables", &name),
                session_variables: Dict::default(),
                observers: Vec::new(),
                triggers: Vec::new(),
                initializes: false,
                tool_rules: Vec::new(),
                steps,
                exit: self.exit(node, &name),
                premature: None,
                named_rules: Vec::new(),
                imports: Vec::new(),
            };
            self.read.workflows.push(workflow);
        }
        if !is_enabled {
            return;
        }
        let selectors = orchestration.and_then(|it| it.get("rule_selectors")).filter(|it| it.is_map());
        let selectors = selectors.map(|it| {
            let include = self.texts(it, "include", &name).unwrap_or_else(|| vec!["*".to_owned()]);
            (include, self.texts(it, "exclude", &name).unwrap_or_default())
        });
        let rules = orchestration.and_then(|it| it.get("rules").and_then(Node::as_list)).unwrap_or_default();
        let agent = Agent {
            blocked_tools: self.texts(node, "blocked_tools", &name).unwrap_or_default(),
            blocked_mcp_tools: self.texts(node, "blocked_mcp_tools", &name).unwrap_or_default(),
            rules: rules.iter().filter_map(|rule| rule.as_str().map(str::to_owned)).collect(),
            selectors,
            variables: orchestration.map(|it| self.values(it, "variables", &name)).unwrap_or_default(),
            name,
        };
        self.read.agents.push(agent);
    }

    /// Workflows of the first generation that are written inside an agent's definition.
    fn embedded(&mut self, workflows: Option<&Node>, agent: &str) {
        for (key, spec) in workflows.into_iter().flat_map(Node::entries) {
            let Some(key) = key.as_str() else { continue };
            if spec.get("steps").is_some() {
                self.workflow(spec, Some(&format!("{agent}/{key}")));
            }
        }
    }
}
