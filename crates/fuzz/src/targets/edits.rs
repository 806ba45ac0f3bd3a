//! Edits of other programs' settings: what we insert is removed again, and nothing else is.

use askbridge_edits::{Format, Node, Part, apply, read, strip};
use serde_json::Value;

pub(super) fn edits(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for (format, table) in [(Format::Json, "mcpServers"), (Format::Toml, "mcp_servers")] {
        let parts = [hooks(), server(table)];
        let Ok(put) = apply(format, &text, &parts) else { continue };
        assert_eq!(apply(format, &put, &parts).as_deref(), Ok(put.as_str()), "twice is once");
        match (strip(format, &put, &parts, Some(&text)), strip(format, &text, &parts, Some(&text))) {
            (Ok(left), Ok(clean)) => {
                let value = |text: &str| read(format, text).map(|node| without_empty(node.value(), &["hooks", table]));
                assert_eq!(value(&left), value(&clean), "{put}");
            }
            // Tables that are written on one line of TOML are not edited.
            (left, _) => assert_eq!((format, left.is_err()), (Format::Toml, true), "{put}"),
        }
    }
}

/// Removes empty lists and tables: where our entries had been, they may stay or go.
fn without_empty(mut value: Value, names: &[&str]) -> Value {
    if let Value::Object(members) = &mut value {
        members.retain(|name, member| {
            if names.contains(&name.as_str()) || names.is_empty() {
                *member = without_empty(member.take(), &[]);
                return !matches!(member, Value::Object(inner) if inner.is_empty())
                    && !matches!(member, Value::Array(inner) if inner.is_empty());
            }
            true
        });
    }
    value
}

fn is_ours(node: &Node) -> bool {
    node.get("command").and_then(Node::as_str).is_some_and(|command| command.contains("askbridge"))
}

fn hooks() -> Part {
    let handler = Node::object([("type", Node::text("command")), ("command", Node::text("askbridge hook"))]);
    let group = Node::object([("matcher", Node::text("*")), ("hooks", Node::Array(vec![handler]))]);
    Part::Handlers { table: "hooks".to_owned(), wanted: vec![("Stop".to_owned(), group)], is_ours }
}

fn server(table: &str) -> Part {
    let wanted = Node::object([("command", Node::text("askbridge")), ("args", Node::Array(vec![Node::text("mcp")]))]);
    Part::Entry {
        table: vec![table.to_owned()],
        name: "askbridge".to_owned(),
        wanted: Some(wanted),
        former: &["url"],
        is_ours,
    }
}
