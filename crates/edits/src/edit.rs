//! Applies and strips parts, for JSON and TOML alike, and checks the result before it is returned.

use crate::doc::{Doc, Format};
use crate::entry::{put_entry, take_entry};
use crate::error::Trouble;
use crate::handlers::{Handlers, put_handlers, take_handlers};
use crate::node::Node;
use crate::part::{Part, without};
use crate::values::{Values, put_values, take_values};

/// The byte order mark that some editors write.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Parses a text as its program does. An empty one is an empty table.
pub fn read(format: Format, text: &str) -> Result<Node, Trouble> {
    let (_, text) = split_mark(text);
    if format == Format::Json && text.trim().is_empty() {
        return Ok(Node::Object(Vec::new()));
    }
    Ok(Doc::read(format, text)?.node)
}

/// Returns the text with every part as wanted. The same text, byte for byte, if it is so already.
pub fn apply(format: Format, text: &str, parts: &[Part]) -> Result<String, Trouble> {
    let (mark, body) = split_mark(text);
    let start = if format == Format::Json && body.trim().is_empty() { "{}\n" } else { body };
    let before = Doc::read(format, start)?.node;
    let after = put_all(format, start, parts)?;
    let doc = Doc::read(format, &after).map_err(|_| Trouble::Unsure)?;
    let theirs_is_the_same = without(&doc.node, parts).value() == without(&before, parts).value();
    if !theirs_is_the_same || put_all(format, &after, parts)? != after {
        return Err(Trouble::Unsure);
    }
    Ok(if after == start { text.to_owned() } else { format!("{mark}{after}") })
}

/// Returns the text without our parts. Tables that held only ours are removed too, unless they were there before.
pub fn strip(format: Format, text: &str, parts: &[Part], before: Option<&str>) -> Result<String, Trouble> {
    let (mark, body) = split_mark(text);
    if body.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let doc = Doc::read(format, body)?;
    let there = before.and_then(|before| read(format, before).ok());
    // A value is known by its text alone, which a person may have written too. If nothing else of ours is there, they
    // did.
    let is_installed = parts.iter().any(|part| !matches!(part, Part::Values { .. }) && is_there(&doc.node, part, None));
    let there = there.or_else(|| (!is_installed).then(|| doc.node.clone()));
    let mut now = body.to_owned();
    for part in parts {
        now = match part {
            Part::Entry { table, name, is_ours, .. } => {
                take_entry(format, &now, table, name, *is_ours, there.as_ref())?
            }
            Part::Handlers { table, is_ours, .. } => {
                take_handlers(format, &now, &Handlers { table, wanted: &[], is_ours: *is_ours }, there.as_ref())?
            }
            Part::Values { list, is_ours, .. } => {
                take_values(format, &now, &Values { list, wanted: &[], is_ours: *is_ours }, there.as_ref())?
            }
        };
    }
    let after = Doc::read(format, &now).map_err(|_| Trouble::Unsure)?;
    let left: Vec<_> = parts.iter().filter(|part| is_there(&after.node, part, there.as_ref())).collect();
    if !left.is_empty() || without(&after.node, parts).value() != without(&doc.node, parts).value() {
        return Err(Trouble::Unsure);
    }
    Ok(format!("{mark}{now}"))
}

fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 })
}

fn put_all(format: Format, text: &str, parts: &[Part]) -> Result<String, Trouble> {
    let mut now = text.to_owned();
    for part in parts {
        now = match part {
            Part::Entry { table, name, wanted: Some(node), former, is_ours } => {
                put_entry(format, &now, table, name, node, former, *is_ours)?
            }
            Part::Entry { table, name, wanted: None, is_ours, .. } => {
                take_entry(format, &now, table, name, *is_ours, None)?
            }
            Part::Handlers { table, wanted, is_ours } => {
                put_handlers(format, &now, &Handlers { table, wanted, is_ours: *is_ours })?
            }
            Part::Values { list, wanted, is_ours } => {
                put_values(format, &now, &Values { list, wanted, is_ours: *is_ours })?
            }
        };
    }
    Ok(now)
}

fn is_there(node: &Node, part: &Part, before: Option<&Node>) -> bool {
    match part {
        Part::Entry { table, name, is_ours, .. } => {
            let names: Vec<String> = table.iter().cloned().chain([name.clone()]).collect();
            node.find(&names).and_then(|at| node.at(&at)).is_some_and(is_ours)
        }
        Part::Handlers { table, is_ours, .. } => {
            !Handlers { table, wanted: &[], is_ours: *is_ours }.ours(node).is_empty()
        }
        Part::Values { list, is_ours, .. } => {
            !Values { list, wanted: &[], is_ours: *is_ours }.unwanted(node, before).is_empty()
        }
    }
}
