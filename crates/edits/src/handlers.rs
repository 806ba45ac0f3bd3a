//! Puts handlers of events into their groups, and takes them out.

use crate::doc::{Doc, Format};
use crate::entry::put_new;
use crate::error::Trouble;
use crate::node::Node;
use crate::part::HANDLERS;

/// Handlers by event, as `Part::Handlers` describes them.
pub(crate) struct Handlers<'a> {
    pub(crate) table: &'a str,
    pub(crate) wanted: &'a [(String, Node)],
    pub(crate) is_ours: fn(&Node) -> bool,
}

impl Handlers<'_> {
    /// The paths of all handlers that are ours: table, event, group, `hooks`, handler.
    pub(crate) fn ours(&self, node: &Node) -> Vec<[usize; 5]> {
        let mut found = Vec::new();
        let tables = node.members().iter().enumerate().filter(|(_, (name, _))| name == self.table);
        for (table, (_, events)) in tables {
            for (event, (_, groups)) in events.members().iter().enumerate() {
                for (group, node) in groups.items().iter().enumerate() {
                    let Some(list) = node.position(HANDLERS) else { continue };
                    let handlers = node.children()[list].items().iter().enumerate();
                    let ours = handlers.filter(|(_, handler)| (self.is_ours)(handler));
                    found.extend(ours.map(|(handler, _)| [table, event, group, list, handler]));
                }
            }
        }
        found
    }

    /// Our handler for an event: the first one where programs look.
    fn first(&self, node: &Node, event: &str) -> Option<[usize; 5]> {
        let at = node.find(&[self.table.to_owned(), event.to_owned()])?;
        self.ours(node).into_iter().find(|path| path.starts_with(&at))
    }
}

pub(crate) fn put_handlers(format: Format, text: &str, handlers: &Handlers<'_>) -> Result<String, Trouble> {
    let mut now = text.to_owned();
    for (event, wanted) in handlers.wanted {
        let doc = Doc::read(format, &now)?;
        let names = [handlers.table.to_owned(), event.clone()];
        now = match (handlers.first(&doc.node, event), doc.node.find(&names)) {
            (Some(path), _) => {
                let group = doc.node.at(&path[..3]).ok_or(Trouble::Unsure)?;
                let alone = group.at(&path[3..4]).is_some_and(|handlers| handlers.items().len() == 1);
                renew(format, &now, handlers, event, wanted, alone)?
            }
            (None, None) => put_new(&doc, &names, &Node::Array(vec![wanted.clone()]))?,
            (None, Some(at)) => match doc.node.at(&at) {
                Some(Node::Array(_)) => doc.add(&at, None, wanted)?,
                _ => return Err(doc.shape(&at, "a list")),
            },
        };
    }
    take_handlers(format, &now, handlers, None)
}

/// Updates our handler, and the group around it if it holds nothing else.
fn renew(
    format: Format,
    text: &str,
    handlers: &Handlers<'_>,
    event: &str,
    wanted: &Node,
    alone: bool,
) -> Result<String, Trouble> {
    let mut now = text.to_owned();
    if alone {
        for (name, node) in wanted.members().iter().filter(|(name, _)| name != HANDLERS) {
            now = renew_member(format, &now, |node| Some(handlers.first(node, event)?[..3].to_vec()), name, node)?;
        }
    }
    let handler = wanted.get(HANDLERS).and_then(|list| list.items().first()).ok_or(Trouble::Unsure)?;
    // Found once: halfway from one kind to another it would not be recognised as ours, but its place stays the same.
    let at = handlers.first(&Doc::read(format, &now)?.node, event).ok_or(Trouble::Unsure)?;
    for (name, node) in handler.members() {
        now = renew_member(format, &now, |_| Some(at.to_vec()), name, node)?;
    }
    for name in OF_HANDLERS.iter().filter(|name| handler.get(name).is_none()) {
        let doc = Doc::read(format, &now)?;
        let found = doc.node.at(&at).and_then(|found| found.position(name));
        if let Some(found) = found {
            now = doc.remove(&[&at[..], &[found]].concat())?;
        }
    }
    Ok(now)
}

/// Fields that we write in some kinds of handlers and not in others.
const OF_HANDLERS: &[&str] = &["command", "args", "url", "headers", "allowedEnvVars"];

fn renew_member(
    format: Format,
    text: &str,
    find: impl Fn(&Node) -> Option<Vec<usize>>,
    name: &str,
    wanted: &Node,
) -> Result<String, Trouble> {
    let doc = Doc::read(format, text)?;
    let within = find(&doc.node).ok_or(Trouble::Unsure)?;
    let owner = doc.node.at(&within).ok_or(Trouble::Unsure)?;
    match owner.position(name) {
        None => doc.add(&within, Some(name), wanted),
        Some(at) if owner.children()[at].value() == wanted.value() => Ok(text.to_owned()),
        Some(at) => doc.replace(&[within, vec![at]].concat(), wanted),
    }
}

/// Removes every handler of ours that is not wanted, with groups, events and tables that held nothing else.
pub(crate) fn take_handlers(
    format: Format,
    text: &str,
    handlers: &Handlers<'_>,
    there: Option<&Node>,
) -> Result<String, Trouble> {
    let doc = Doc::read(format, text)?;
    let kept: Vec<_> = handlers.wanted.iter().filter_map(|(event, _)| handlers.first(&doc.node, event)).collect();
    let Some(path) = handlers.ours(&doc.node).into_iter().rev().find(|path| !kept.contains(path)) else {
        return Ok(text.to_owned());
    };
    let size = |at: &[usize]| doc.node.at(at).map_or(0, |node| node.children().len());
    let event = doc.node.at(&path[..1]).and_then(|events| events.members().get(path[1])).map(|(name, _)| name.clone());
    let names = [handlers.table.to_owned(), event.unwrap_or_default()];
    let was_there = |length: usize| there.is_some_and(|there| there.find(&names[..length]).is_some());
    let mut at = &path[..];
    if size(&path[..4]) == 1 {
        at = &path[..3];
        if size(&path[..2]) == 1 && !was_there(2) {
            at = &path[..2];
            if size(&path[..1]) == 1 && !was_there(1) {
                at = &path[..1];
            }
        }
    }
    take_handlers(format, &doc.remove(at)?, handlers, there)
}
