//! Conditions and patterns of rules: parsed, and searched for what only gobby's daemon knows.

use super::definitions::{Assigned, Gate, Selector};
use super::reader::Reader;
use crate::condition::{Condition, Name};
use crate::functions;
use crate::pattern::Pattern;
use crate::value::Value;
use crate::yaml::{Content, Node};

/// Names that gobby's daemon fills in from its database.
const DAEMON_NAMES: &[&str] = &["workflow_state", "state", "task_list"];

/// A condition, or why its rule can never apply here.
pub(super) enum Gated {
    Gate(Gate),
    Inactive(String),
}

/// What a condition needs that we do not know.
fn needs(condition: &Condition) -> Option<String> {
    let mut found = None;
    condition.names(&mut |name| {
        let needed = match name {
            Name::Called(function) => (!functions::is_known(function)).then(|| format!("`{function}()`")),
            Name::Read(name) => DAEMON_NAMES.contains(&name).then(|| format!("`{name}`")),
        };
        found = found.take().or(needed);
    });
    found
}

fn parsed(text: &str) -> Result<Gated, String> {
    if text.trim().is_empty() {
        return Ok(Gated::Gate(Gate::Always));
    }
    let condition = Condition::parse(text).map_err(|error| error.0)?;
    Ok(match needs(&condition) {
        Some(needed) => Gated::Inactive(format!("it needs {needed}, which only gobby's daemon knows")),
        None => Gated::Gate(Gate::When(condition)),
    })
}

impl Reader<'_> {
    /// The condition under `key`. One that is not understood is an error, and fails whenever it is asked.
    pub(super) fn gate(&mut self, node: &Node, key: &str, rule: &str) -> Gated {
        let Some(found) = node.get(key) else { return Gated::Gate(Gate::Always) };
        let text = match &found.content {
            Content::Null | Content::Bool(true) => return Gated::Gate(Gate::Always),
            Content::Bool(false) => return self.condition("False", found.line, key, rule),
            Content::Str(text) => text,
            _ => {
                self.error(found.line, Some(rule), format!("`{key}` is not a text"));
                return Gated::Gate(Gate::Broken(format!("`{key}` is not a text")));
            }
        };
        self.condition(text, found.line, key, rule)
    }

    fn condition(&mut self, text: &str, line: usize, key: &str, rule: &str) -> Gated {
        parsed(text).unwrap_or_else(|what| {
            self.error(line, Some(rule), format!("`{key}` is not understood: {what}"));
            Gated::Gate(Gate::Broken(format!("`{key}` is not understood: {what}")))
        })
    }

    /// The value that a variable gets: a template, an expression or a literal, told apart as gobby does.
    pub(super) fn assigned(&mut self, node: &Node, rule: &str) -> Result<Assigned, String> {
        let Some(value) = node.get("value") else { return Ok(Assigned::Literal(Value::None)) };
        let Some(text) = value.as_str() else { return Ok(Assigned::Literal(value.to_value())) };
        if text.contains("{{") {
            if let Err(what) = self.templates.check(text) {
                self.error(value.line, Some(rule), format!("`value`: {what}; it is used as it is written"));
            }
            return Ok(Assigned::Template(text.to_owned()));
        }
        if !is_expression(text) {
            return Ok(Assigned::Literal(value.to_value()));
        }
        match self.condition(text, value.line, "value", rule) {
            Gated::Gate(gate) => Ok(Assigned::Expression(gate)),
            Gated::Inactive(why) => Err(why),
        }
    }

    /// The tools, MCP tools and commands that a rule is for. A pattern that is not understood is an error of the rule.
    pub(super) fn selector(&mut self, node: &Node, rule: &str) -> Result<Selector, String> {
        let tools = self.texts(node, "tools", rule).unwrap_or_default();
        let mcp_tools = self.texts(node, "mcp_tools", rule).unwrap_or_default();
        let command = self.pattern(node, "command_pattern", rule)?;
        let not_command = self.pattern(node, "command_not_pattern", rule)?;
        Ok(Selector { tools, mcp_tools, command, not_command })
    }

    fn pattern(&mut self, node: &Node, key: &str, rule: &str) -> Result<Option<Pattern>, String> {
        let Some(source) = self.text(node, key, rule).filter(|source| !source.is_empty()) else { return Ok(None) };
        Pattern::new(&source).map(Some).map_err(|what| {
            let what = format!("`{key}`: {what}");
            let line = node.get(key).map_or(node.line, |it| it.line);
            self.error(line, Some(rule), &*what);
            what
        })
    }
}

/// gobby takes a text for an expression if one of these is in it.
fn is_expression(text: &str) -> bool {
    const SIGNS: &[&str] = &[
        "assistant_response_matches_any(",
        "variables.",
        "event.",
        "tool_input.",
        " + ",
        " - ",
        " and ",
        " or ",
        " not ",
        ".get(",
        "len(",
    ];
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    SIGNS.iter().any(|sign| folded.contains(sign))
}

/// The same for the handlers of steps, which know other names. `None` for a literal.
pub(crate) fn expression_in_step(text: &str) -> Option<Gate> {
    const SIGNS: &[&str] = &[
        "vars.",
        "variables.",
        "tool_input.",
        "tool_output.",
        " + ",
        " - ",
        " and ",
        " or ",
        " not ",
        ".get(",
        "len(",
        "int(",
        "str(",
        "bool(",
    ];
    if !SIGNS.iter().any(|sign| text.contains(sign)) {
        return None;
    }
    Some(Condition::parse(text).map_or_else(|error| Gate::Broken(error.0), Gate::When))
}
