//! Inserts or removes one value in a TOML text, and keeps every other byte.

use std::fmt::Write;
use std::ops::Range;

use super::layout::{Layout, Section, Seg};
use crate::node::Node;

/// Adds a value to a table (with a name) or an array of tables (without). `None` if that table is inline.
pub(crate) fn add(text: &str, layout: &Layout, within: &[Seg], name: Option<&str>, node: &Node) -> Option<String> {
    if is_inline(layout, within) {
        return None;
    }
    let newline = newline(text);
    match (name, node) {
        (Some(name), Node::Leaf(_)) => add_line(text, layout, within, &format!("{} = {}", key(name), value(node))),
        (Some(name), Node::Array(items)) if items.iter().all(|item| matches!(item, Node::Leaf(_))) => {
            add_line(text, layout, within, &format!("{} = {}", key(name), value(node)))
        }
        _ => {
            let mut path: Vec<&str> = within.iter().filter_map(name_of).collect();
            path.extend(name);
            let mut blocks = Vec::new();
            match node {
                Node::Array(items) => items.iter().for_each(|item| block(&path, item, true, &mut blocks)),
                node => block(&path, node, name.is_none(), &mut blocks),
            }
            Some(append(text, &blocks.join("\n").replace('\n', newline), newline))
        }
    }
}

/// Replaces a value. `None` if it is not an entry of its own.
pub(crate) fn replace(text: &str, layout: &Layout, at: &[Seg], node: &Node) -> Option<String> {
    let mut entries = layout.sections.iter().flat_map(|section| &section.entries);
    let entry = entries.find(|entry| entry.path == at)?;
    Some(format!("{}{}{}", &text[..entry.value.start], value(node), &text[entry.value.end..]))
}

/// Removes everything that belongs to a value. `None` if it is part of an inline table.
pub(crate) fn remove(text: &str, layout: &Layout, at: &[Seg]) -> Option<String> {
    let mut cuts: Vec<Range<usize>> = Vec::new();
    for section in &layout.sections {
        if !section.path.is_empty() && section.path.starts_with(at) {
            cuts.push(empty_line_before(text, section.header.start)..section.end());
            continue;
        }
        let ours = section.entries.iter().filter(|entry| entry.path.starts_with(at));
        cuts.extend(ours.map(|entry| entry.lines.clone()));
    }
    if cuts.is_empty() && is_inline(layout, at) {
        return None;
    }
    let mut left = text.to_owned();
    for cut in cuts.into_iter().rev() {
        left.replace_range(cut, "");
    }
    Some(left)
}

/// Is it, or what contains it, the value of an entry?
fn is_inline(layout: &Layout, at: &[Seg]) -> bool {
    let mut entries = layout.sections.iter().flat_map(|section| &section.entries);
    entries.any(|entry| at.starts_with(&entry.path))
}

fn add_line(text: &str, layout: &Layout, within: &[Seg], line: &str) -> Option<String> {
    let section: &Section = layout.sections.iter().find(|section| section.path == within)?;
    let newline = newline(text);
    let place = section.end();
    let before = if place == 0 || text[..place].ends_with('\n') { "" } else { newline };
    Some(format!("{}{before}{line}{newline}{}", &text[..place], &text[place..]))
}

fn append(text: &str, blocks: &str, newline: &str) -> String {
    let ends = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
    let apart = if text.trim().is_empty() { "" } else { newline };
    format!("{text}{ends}{apart}{blocks}")
}

/// Writes a header, its entries, and the tables below it.
fn block(path: &[&str], node: &Node, is_array: bool, blocks: &mut Vec<String>) {
    let name = path.iter().map(|name| key(name)).collect::<Vec<_>>().join(".");
    let (simple, deeper): (Vec<_>, Vec<_>) = node.members().iter().partition(|(_, node)| is_simple(node));
    let mut text = if is_array { format!("[[{name}]]\n") } else { format!("[{name}]\n") };
    for (name, node) in simple {
        writeln!(text, "{} = {}", key(name), value(node)).expect("writing to a string does not fail");
    }
    // A table that holds only tables needs no header.
    if is_array || deeper.is_empty() || text.lines().count() > 1 {
        blocks.push(text);
    }
    for (name, node) in deeper {
        let path: Vec<_> = path.iter().copied().chain([name.as_str()]).collect();
        match node {
            Node::Array(items) => items.iter().for_each(|item| block(&path, item, true, blocks)),
            node => block(&path, node, false, blocks),
        }
    }
}

fn is_simple(node: &Node) -> bool {
    match node {
        Node::Leaf(_) => true,
        Node::Array(items) => items.iter().all(|item| matches!(item, Node::Leaf(_))),
        Node::Object(_) => false,
    }
}

fn value(node: &Node) -> String {
    match node {
        // JSON's escapes are valid in TOML; of the characters that only TOML forbids, DEL is the one left.
        Node::Leaf(value) => value.to_string().replace('\u{7f}', "\\u007f"),
        Node::Array(items) => format!("[{}]", items.iter().map(value).collect::<Vec<_>>().join(", ")),
        Node::Object(members) => {
            let members = members.iter().map(|(name, node)| format!("{} = {}", key(name), value(node)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    match !name.is_empty() && name.bytes().all(is_bare) {
        true => name.to_owned(),
        false => value(&Node::text(name)),
    }
}

fn name_of(seg: &Seg) -> Option<&str> {
    match seg {
        Seg::Key(name) => Some(name),
        Seg::Nth(_) => None,
    }
}

fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The beginning of the empty line above, or `at` if there is none.
fn empty_line_before(text: &str, at: usize) -> usize {
    let above = &text[..at];
    let shorter = above.strip_suffix("\r\n").or_else(|| above.strip_suffix('\n'));
    match shorter {
        Some(shorter) if shorter.is_empty() || shorter.ends_with('\n') => shorter.len(),
        _ => at,
    }
}
