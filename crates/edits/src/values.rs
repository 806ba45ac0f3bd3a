//! Puts texts into a list, and takes them out.

use crate::doc::{Doc, Format};
use crate::entry::put_new;
use crate::error::Trouble;
use crate::node::Node;

/// Texts in a list, as `Part::Values` describes them.
pub(crate) struct Values<'a> {
    pub(crate) list: &'a [String],
    pub(crate) wanted: &'a [String],
    pub(crate) is_ours: fn(&str) -> bool,
}

impl Values<'_> {
    /// Finds our texts that are not wanted. A text that the person had before us is not ours, even if it looks so.
    pub(crate) fn unwanted(&self, node: &Node, there: Option<&Node>) -> Vec<Vec<usize>> {
        let Some(at) = node.find(self.list) else { return Vec::new() };
        let theirs = there.map(|there| texts(there, self.list)).unwrap_or_default();
        let is_unwanted = |text: &str| {
            (self.is_ours)(text) && !theirs.contains(&text) && !self.wanted.iter().any(|wanted| wanted == text)
        };
        let items = node.at(&at).map(Node::items).unwrap_or_default().iter().enumerate();
        let unwanted = items.filter(|(_, item)| item.as_str().is_some_and(is_unwanted));
        unwanted.map(|(nth, _)| [&at[..], &[nth]].concat()).collect()
    }
}

fn texts<'n>(node: &'n Node, list: &[String]) -> Vec<&'n str> {
    let items = node.find(list).and_then(|at| node.at(&at)).map(Node::items).unwrap_or_default();
    items.iter().filter_map(Node::as_str).collect()
}

pub(crate) fn put_values(format: Format, text: &str, values: &Values<'_>) -> Result<String, Trouble> {
    let mut now = text.to_owned();
    for wanted in values.wanted {
        let doc = Doc::read(format, &now)?;
        let node = Node::text(wanted.as_str());
        now = match doc.node.find(values.list) {
            None => put_new(&doc, values.list, &Node::Array(vec![node]))?,
            Some(at) => match doc.node.at(&at) {
                Some(Node::Array(items)) if items.contains(&node) => continue,
                Some(Node::Array(_)) => doc.add(&at, None, &node)?,
                _ => return Err(doc.shape(&at, "a list")),
            },
        };
    }
    take_values(format, &now, values, None)
}

/// Removes every text of ours that is not wanted, with the list and the tables that held nothing else.
pub(crate) fn take_values(
    format: Format,
    text: &str,
    values: &Values<'_>,
    there: Option<&Node>,
) -> Result<String, Trouble> {
    let doc = Doc::read(format, text)?;
    let Some(path) = values.unwanted(&doc.node, there).pop() else { return Ok(text.to_owned()) };
    let mut length = path.len();
    while length > 1
        && doc.node.at(&path[..length - 1]).is_some_and(|node| node.children().len() == 1)
        && there.is_none_or(|there| there.find(&values.list[..length - 1]).is_none())
    {
        length -= 1;
    }
    take_values(format, &doc.remove(&path[..length])?, values, there)
}
