//! The style of a text, so that what we add looks like the rest.

use std::fmt::Write;

use super::tree::{Kind, Tree};
use crate::node::Node;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Style<'a> {
    pub(crate) newline: &'static str,
    /// One level of indentation.
    pub(crate) unit: &'a str,
}

impl<'a> Style<'a> {
    /// Uses the first line ending and the first indentation for the whole text.
    pub(crate) fn of(text: &'a str, tree: &Tree) -> Self {
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        Self { newline, unit: first_step(text, tree).unwrap_or("  ") }
    }

    /// Writes a node over several lines. The first line is not indented, the others are, by `indent` and their depth.
    pub(crate) fn write(self, node: &Node, indent: &str) -> String {
        let inner = format!("{indent}{}", self.unit);
        let lines: Vec<String> = match node {
            Node::Object(members) if !members.is_empty() => {
                let line = |(name, node): &(String, Node)| format!("{}: {}", quoted(name), self.write(node, &inner));
                members.iter().map(line).collect()
            }
            // A list of scalars fits on a line.
            Node::Array(items) if items.iter().any(|item| !matches!(item, Node::Leaf(_))) => {
                items.iter().map(|item| self.write(item, &inner)).collect()
            }
            node => return on_one_line(node),
        };
        let (open, close) = if matches!(node, Node::Object(_)) { ('{', '}') } else { ('[', ']') };
        let mut text = String::from(open);
        for (place, line) in lines.iter().enumerate() {
            let comma = if place + 1 < lines.len() { "," } else { "" };
            write!(text, "{}{inner}{line}{comma}", self.newline).expect("writing to a string does not fail");
        }
        write!(text, "{}{indent}{close}", self.newline).expect("writing to a string does not fail");
        text
    }
}

pub(crate) fn on_one_line(node: &Node) -> String {
    match node {
        Node::Object(members) => {
            let members = members.iter().map(|(name, node)| format!("{}: {}", quoted(name), on_one_line(node)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Node::Array(items) => format!("[{}]", items.iter().map(on_one_line).collect::<Vec<_>>().join(", ")),
        Node::Leaf(value) => value.to_string(),
    }
}

pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The indentation of a line.
pub(crate) fn indent_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Are there only blanks before this place on its line?
pub(crate) fn begins_its_line(text: &str, at: usize) -> bool {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
    line.chars().all(|char| matches!(char, ' ' | '\t'))
}

/// The indentation of the first value on a line of its own, relative to its container.
fn first_step<'a>(text: &'a str, tree: &Tree) -> Option<&'a str> {
    let outer = indent_at(text, tree.span.start);
    let first = tree.stretches().into_iter().next();
    if let Some(first) = first.filter(|first| text[tree.span.start..first.start].contains('\n')) {
        let step = indent_at(text, first.start).strip_prefix(outer).filter(|step| !step.is_empty());
        if begins_its_line(text, first.start) && step.is_some() {
            return step;
        }
    }
    match &tree.kind {
        Kind::Object(members) => members.iter().find_map(|member| first_step(text, &member.tree)),
        Kind::Array(items) => items.iter().find_map(|item| first_step(text, item)),
        Kind::Leaf(_) => None,
    }
}
