//! The parts that the tests install: two hooks, an MCP server, and two rules.

use askbridge_edits::{Format, Node, Part, apply, strip};
use serde_json::{Value, json};

fn is_our_hook(node: &Node) -> bool {
    node.get("command").and_then(Node::as_str).is_some_and(|command| command.ends_with("askbridge hook"))
}

fn is_our_server(node: &Node) -> bool {
    node.get("command").and_then(Node::as_str).is_some_and(|command| command.ends_with("askbridge"))
}

pub(crate) fn handler(command: &str, timeout: u64) -> Node {
    Node::object([
        ("type", Node::text("command")),
        ("command", Node::text(command)),
        ("timeout", Node::Leaf(Value::from(timeout))),
    ])
}

pub(crate) fn hooks_calling(command: &str) -> Part {
    let group = |matcher: &str, timeout| {
        let handlers = Node::Array(vec![handler(command, timeout)]);
        Node::object([("matcher", Node::text(matcher)), ("hooks", handlers)])
    };
    let stop = Node::object([("hooks", Node::Array(vec![handler(command, 10)]))]);
    let wanted = vec![("PermissionRequest".to_owned(), group("*", 86_400)), ("Stop".to_owned(), stop)];
    Part::Handlers { table: "hooks".to_owned(), wanted, is_ours: is_our_hook }
}

pub(crate) fn hooks() -> Part {
    hooks_calling("askbridge hook")
}

pub(crate) fn server(table: &[&str]) -> Part {
    let wanted = Node::object([("command", Node::text("askbridge")), ("args", Node::Array(vec![Node::text("mcp")]))]);
    Part::Entry {
        table: table.iter().map(|name| (*name).to_owned()).collect(),
        name: "askbridge".to_owned(),
        wanted: Some(wanted),
        former: &["url"],
        is_ours: is_our_server,
    }
}

fn is_our_rule(text: &str) -> bool {
    text.starts_with("mcp__askbridge__")
}

pub(crate) fn rules_for(tools: &[&str]) -> Part {
    let wanted = tools.iter().map(|tool| format!("mcp__askbridge__{tool}")).collect();
    Part::Values { list: vec!["permissions".to_owned(), "allow".to_owned()], wanted, is_ours: is_our_rule }
}

pub(crate) fn rules() -> Part {
    rules_for(&["ask", "wait"])
}

pub(crate) fn everything() -> Vec<Part> {
    vec![hooks(), server(&["mcpServers"]), rules()]
}

pub(crate) fn both() -> Vec<Part> {
    vec![hooks(), server(&["mcpServers"])]
}

/// Applies and strips the parts: the text must be the same afterwards, and applying twice must change nothing.
#[track_caller]
pub(crate) fn there_and_back(format: Format, text: &str, parts: &[Part]) -> String {
    let put = apply(format, text, parts).unwrap();
    assert_ne!(put, text);
    assert_eq!(apply(format, &put, parts).unwrap(), put, "twice is once");
    assert_eq!(strip(format, &put, parts, Some(text)).unwrap(), text, "and back; between them:\n{put}");
    put
}

/// The hooks as a program reads them.
pub(crate) fn seen(format: Format, text: &str) -> Value {
    askbridge_edits::read(format, text).map_or(json!(null), |node| node.value())
}
