//! Puts a named entry into a table, and takes it out.

use crate::doc::{Doc, Format};
use crate::error::Trouble;
use crate::node::Node;

pub(crate) fn put_entry(
    format: Format,
    text: &str,
    table: &[String],
    name: &str,
    wanted: &Node,
    former: &[&str],
    is_ours: fn(&Node) -> bool,
) -> Result<String, Trouble> {
    let names: Vec<String> = table.iter().cloned().chain([name.to_owned()]).collect();
    let doc = Doc::read(format, text)?;
    let Some(at) = doc.node.find(&names) else { return put_new(&doc, &names, wanted) };
    if !doc.node.at(&at).is_some_and(is_ours) {
        return Err(Trouble::Taken { line: doc.line(&at), name: name.to_owned() });
    }
    let now = update(format, text, &names, wanted)?;
    let mut now = now;
    for field in former.iter().filter(|field| wanted.get(field).is_none()) {
        let doc = Doc::read(format, &now)?;
        let field: Vec<String> = names.iter().cloned().chain([(*field).to_owned()]).collect();
        if let Some(at) = doc.node.find(&field) {
            now = doc.remove(&at)?;
        }
    }
    Ok(now)
}

/// Adds a missing entry, and the missing tables on the way to it.
pub(crate) fn put_new(doc: &Doc<'_>, names: &[String], wanted: &Node) -> Result<String, Trouble> {
    let known = (0..names.len()).rev().find_map(|length| Some((length, doc.node.find(&names[..length])?)));
    let (length, at) = known.ok_or(Trouble::Unsure)?;
    if !matches!(doc.node.at(&at), Some(Node::Object(_))) {
        return Err(doc.shape(&at, "a table"));
    }
    let wrap = |node: Node, name: &String| Node::Object(vec![(name.clone(), node)]);
    let node = names[length + 1..].iter().rev().fold(wanted.clone(), wrap);
    doc.add(&at, Some(&names[length]), &node)
}

/// Changes what differs, member by member, and keeps what the person has added.
fn update(format: Format, text: &str, names: &[String], wanted: &Node) -> Result<String, Trouble> {
    let doc = Doc::read(format, text)?;
    let at = doc.node.find(names).ok_or(Trouble::Unsure)?;
    let (now, wanted_members) = (doc.node.at(&at).ok_or(Trouble::Unsure)?, wanted.members());
    if now.value() == wanted.value() {
        return Ok(text.to_owned());
    }
    if !matches!((now, wanted), (Node::Object(_), Node::Object(_))) {
        return doc.replace(&at, wanted);
    }
    let mut text = text.to_owned();
    for (name, node) in wanted_members {
        let inner: Vec<String> = names.iter().cloned().chain([name.clone()]).collect();
        let doc = Doc::read(format, &text)?;
        text = match doc.node.find(&inner) {
            Some(_) => update(format, &text, &inner, node)?,
            None => doc.add(&doc.node.find(names).ok_or(Trouble::Unsure)?, Some(name), node)?,
        };
    }
    Ok(text)
}

pub(crate) fn take_entry(
    format: Format,
    text: &str,
    table: &[String],
    name: &str,
    is_ours: fn(&Node) -> bool,
    there: Option<&Node>,
) -> Result<String, Trouble> {
    let doc = Doc::read(format, text)?;
    let names: Vec<String> = table.iter().cloned().chain([name.to_owned()]).collect();
    let Some(at) = doc.node.find(&names) else { return Ok(text.to_owned()) };
    if !doc.node.at(&at).is_some_and(is_ours) {
        return Ok(text.to_owned());
    }
    // Tables that hold nothing else are removed with it.
    let mut length = names.len();
    while length > 1
        && doc.node.at(&at[..length - 1]).is_some_and(|node| node.children().len() == 1)
        && there.is_none_or(|there| there.find(&names[..length - 1]).is_none())
    {
        length -= 1;
    }
    let text = doc.remove(&at[..length])?;
    // If a name occurs twice, both may be ours.
    take_entry(format, &text, table, name, is_ours, there)
}
