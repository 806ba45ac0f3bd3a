//! Our parts of another program's settings.

use crate::node::Node;

/// One part that we put in, and take out again.
#[derive(Debug, Clone)]
pub enum Part {
    /// A named entry in a table, such as an MCP server among others.
    Entry {
        /// The names that lead to the table.
        table: Vec<String>,
        name: String,
        /// `None`: there must be none.
        wanted: Option<Node>,
        /// Fields that an earlier version of us may have written; removed if they are not wanted.
        former: &'static [&'static str],
        /// Is an entry of this name ours? Otherwise nothing is changed.
        is_ours: fn(&Node) -> bool,
    },
    /// Handlers of events, in groups: `{table: {event: [{matcher, hooks: [handler, …]}, …]}}`.
    Handlers {
        table: String,
        /// The wanted groups, by event. Ours in other events are removed.
        wanted: Vec<(String, Node)>,
        is_ours: fn(&Node) -> bool,
    },
    /// Texts in a list, such as a rule among others: `{table: {list: ["text", …]}}`.
    Values {
        /// The names that lead to the list.
        list: Vec<String>,
        /// The wanted texts. Others of ours are removed.
        wanted: Vec<String>,
        is_ours: fn(&str) -> bool,
    },
}

/// The name under which a group keeps its handlers.
pub(crate) const HANDLERS: &str = "hooks";

/// Returns a copy without our parts, and without tables that held only those. Used to check what a change did.
pub(crate) fn without(node: &Node, parts: &[Part]) -> Node {
    let mut node = node.clone();
    for part in parts {
        match part {
            Part::Entry { table, name, is_ours, .. } => take_entry(&mut node, table, name, *is_ours),
            Part::Handlers { table, is_ours, .. } => take_handlers(&mut node, table, *is_ours),
            Part::Values { list, is_ours, .. } => take_values(&mut node, list, *is_ours),
        }
    }
    node
}

fn take_entry(node: &mut Node, table: &[String], name: &str, is_ours: fn(&Node) -> bool) {
    let Node::Object(members) = node else { return };
    match table.split_first() {
        None => members.retain(|(known, entry)| known != name || !is_ours(entry)),
        Some((first, rest)) => {
            for (_, inner) in members.iter_mut().filter(|(known, _)| known == first) {
                take_entry(inner, rest, name, is_ours);
            }
            members.retain(|(known, inner)| known != first || !inner.is_empty());
        }
    }
}

fn take_values(node: &mut Node, list: &[String], is_ours: fn(&str) -> bool) {
    match (list.split_first(), node) {
        (None, Node::Array(items)) => items.retain(|item| !item.as_str().is_some_and(is_ours)),
        (Some((first, rest)), Node::Object(members)) => {
            for (_, inner) in members.iter_mut().filter(|(known, _)| known == first) {
                take_values(inner, rest, is_ours);
            }
            members.retain(|(known, inner)| known != first || !inner.is_empty());
        }
        _ => {}
    }
}

fn take_handlers(node: &mut Node, table: &str, is_ours: fn(&Node) -> bool) {
    let Node::Object(members) = node else { return };
    for (_, events) in members.iter_mut().filter(|(known, _)| known == table) {
        let Node::Object(events) = events else { continue };
        for (_, groups) in events.iter_mut() {
            let Node::Array(groups) = groups else { continue };
            groups.retain_mut(|group| {
                let Node::Object(fields) = group else { return true };
                let handlers = fields.iter_mut().filter(|(known, _)| known == HANDLERS);
                let mut emptied = false;
                for (_, handlers) in handlers {
                    let Node::Array(handlers) = handlers else { continue };
                    let before = handlers.len();
                    handlers.retain(|handler| !is_ours(handler));
                    emptied |= before > 0 && handlers.is_empty();
                }
                !emptied
            });
        }
        events.retain(|(_, groups)| !groups.is_empty());
    }
    members.retain(|(known, events)| known != table || !events.is_empty());
}
