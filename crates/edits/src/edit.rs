//! The plan: which thing goes where, for JSON and TOML alike. Whatever came of it is checked before it is handed out.

use crate::error::{Trouble, line_of};
use crate::node::Node;
use crate::part::{HANDLERS, Part, without};
use crate::{json, toml};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// With comments and trailing commas, where people use them.
    Json,
    Toml,
}

/// A mark that some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads a text as its program does. An empty one is an empty table.
pub fn read(format: Format, text: &str) -> Result<Node, Trouble> {
    let (_, text) = split_mark(text);
    if format == Format::Json && text.trim().is_empty() {
        return Ok(Node::Object(Vec::new()));
    }
    Ok(Doc::read(format, text)?.node)
}

/// Returns the text with every part as it is wanted. The same text, to the byte, if it is so already.
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

/// Returns the text without anything of ours. Tables that only held ours go as well, unless they were there before.
pub fn strip(format: Format, text: &str, parts: &[Part], before: Option<&str>) -> Result<String, Trouble> {
    let (mark, body) = split_mark(text);
    if body.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let there = before.and_then(|before| read(format, before).ok());
    let doc = Doc::read(format, body)?;
    let mut now = body.to_owned();
    for part in parts {
        now = match part {
            Part::Entry { table, name, is_ours, .. } => {
                take_entry(format, &now, table, name, *is_ours, there.as_ref())?
            }
            Part::Handlers { table, is_ours, .. } => {
                take_handlers(format, &now, &Handlers { table, wanted: &[], is_ours: *is_ours }, there.as_ref())?
            }
        };
    }
    let after = Doc::read(format, &now).map_err(|_| Trouble::Unsure)?;
    let left: Vec<_> = parts.iter().filter(|part| is_there(&after.node, part)).collect();
    if !left.is_empty() || without(&after.node, parts).value() != without(&doc.node, parts).value() {
        return Err(Trouble::Unsure);
    }
    Ok(format!("{mark}{now}"))
}

fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 })
}

/// A text and what is where in it.
struct Doc<'a> {
    text: &'a str,
    node: Node,
    places: Places,
}

enum Places {
    Json(json::Tree),
    Toml(toml::Layout),
}

impl<'a> Doc<'a> {
    fn read(format: Format, text: &'a str) -> Result<Self, Trouble> {
        Ok(match format {
            Format::Json => {
                let tree = json::read(text)?;
                Self { text, node: tree.node(), places: Places::Json(tree) }
            }
            Format::Toml => {
                let (node, layout) = toml::read(text)?;
                Self { text, node, places: Places::Toml(layout) }
            }
        })
    }

    fn add(&self, within: &[usize], name: Option<&str>, node: &Node) -> Result<String, Trouble> {
        let changed = match &self.places {
            Places::Json(tree) => json::add(self.text, tree, within, name, node),
            Places::Toml(layout) => toml::add(self.text, layout, &self.segs(within), name, node),
        };
        changed.ok_or_else(|| self.unsupported(within))
    }

    fn replace(&self, at: &[usize], node: &Node) -> Result<String, Trouble> {
        let changed = match &self.places {
            Places::Json(tree) => json::replace(self.text, tree, at, node),
            Places::Toml(layout) => toml::replace(self.text, layout, &self.segs(at), node),
        };
        changed.ok_or_else(|| self.unsupported(at))
    }

    fn remove(&self, at: &[usize]) -> Result<String, Trouble> {
        let changed = match &self.places {
            Places::Json(tree) => json::remove(self.text, tree, at),
            Places::Toml(layout) => toml::remove(self.text, layout, &self.segs(at)),
        };
        changed.ok_or_else(|| self.unsupported(at))
    }

    fn line(&self, at: &[usize]) -> usize {
        let place = match &self.places {
            Places::Json(tree) => tree.at(at).map(|tree| tree.span.start),
            Places::Toml(layout) => {
                let (segs, sections) = (self.segs(at), &layout.sections);
                let mut entries = sections.iter().flat_map(|section| &section.entries);
                let entry = entries.find(|entry| entry.path.starts_with(&segs)).map(|entry| entry.lines.start);
                let section = sections.iter().find(|section| section.path.starts_with(&segs));
                section.map(|section| section.header.start).into_iter().chain(entry).min()
            }
        };
        line_of(self.text, place.unwrap_or_default())
    }

    /// The names and numbers of a path of positions.
    fn segs(&self, at: &[usize]) -> Vec<toml::Seg> {
        let mut segs = Vec::new();
        let mut node = &self.node;
        for step in at {
            let Some(child) = node.children().get(*step).copied() else { break };
            segs.push(match node.members().get(*step) {
                Some((name, _)) => toml::Seg::Key(name.clone()),
                None => toml::Seg::Nth(*step),
            });
            node = child;
        }
        segs
    }

    fn name(&self, at: &[usize]) -> String {
        let names = self.segs(at).into_iter().map(|seg| match seg {
            toml::Seg::Key(name) => name,
            toml::Seg::Nth(number) => number.to_string(),
        });
        let name = names.collect::<Vec<_>>().join(".");
        if name.is_empty() { "the whole".to_owned() } else { name }
    }

    fn unsupported(&self, at: &[usize]) -> Trouble {
        Trouble::Unsupported { what: self.name(at) }
    }

    fn shape(&self, at: &[usize], wanted: &'static str) -> Trouble {
        Trouble::Shape { line: self.line(at), what: self.name(at), wanted }
    }
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
        };
    }
    Ok(now)
}

fn put_entry(
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

/// Adds something that is not there, and the tables on the way to it that are not there either.
fn put_new(doc: &Doc<'_>, names: &[String], wanted: &Node) -> Result<String, Trouble> {
    let known = (0..names.len()).rev().find_map(|length| Some((length, doc.node.find(&names[..length])?)));
    let (length, at) = known.ok_or(Trouble::Unsure)?;
    if !matches!(doc.node.at(&at), Some(Node::Object(_))) {
        return Err(doc.shape(&at, "a table"));
    }
    let wrap = |node: Node, name: &String| Node::Object(vec![(name.clone(), node)]);
    let node = names[length + 1..].iter().rev().fold(wanted.clone(), wrap);
    doc.add(&at, Some(&names[length]), &node)
}

/// Changes what differs, member by member, and leaves what the person has added.
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

fn take_entry(
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
    // With it go the tables that hold nothing else.
    let mut length = names.len();
    while length > 1
        && doc.node.at(&at[..length - 1]).is_some_and(|node| node.children().len() == 1)
        && !there.is_some_and(|there| there.find(&names[..length - 1]).is_some())
    {
        length -= 1;
    }
    let text = doc.remove(&at[..length])?;
    // A name that occurs twice may be ours twice.
    take_entry(format, &text, table, name, is_ours, there)
}

/// Handlers by event, as `Part::Handlers` describes them.
struct Handlers<'a> {
    table: &'a str,
    wanted: &'a [(String, Node)],
    is_ours: fn(&Node) -> bool,
}

impl Handlers<'_> {
    /// The paths of all handlers that are ours: table, event, group, `hooks`, handler.
    fn ours(&self, node: &Node) -> Vec<[usize; 5]> {
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

    /// The one that counts for an event that we want: the first where programs look.
    fn first(&self, node: &Node, event: &str) -> Option<[usize; 5]> {
        let at = node.find(&[self.table.to_owned(), event.to_owned()])?;
        self.ours(node).into_iter().find(|path| path.starts_with(&at))
    }
}

fn put_handlers(format: Format, text: &str, handlers: &Handlers<'_>) -> Result<String, Trouble> {
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

/// Brings a handler of ours up to date, and the group around it if it holds nothing else.
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
    for (name, node) in handler.members() {
        now = renew_member(format, &now, |node| Some(handlers.first(node, event)?.to_vec()), name, node)?;
    }
    let doc = Doc::read(format, &now)?;
    let at = handlers.first(&doc.node, event).ok_or(Trouble::Unsure)?;
    let extra = doc.node.at(&at).and_then(|found| {
        let stale = |(name, _): &(String, Node)| handler.get(name).is_none() && OF_HANDLERS.contains(&name.as_str());
        found.members().iter().position(stale)
    });
    match extra {
        Some(extra) => renew(format, &doc.remove(&[&at[..], &[extra]].concat())?, handlers, event, wanted, alone),
        None => Ok(now),
    }
}

/// Fields of handlers that we write in one kind of them and not in another.
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

/// Takes out every handler of ours that is not wanted, with groups, events and tables that held nothing else.
fn take_handlers(format: Format, text: &str, handlers: &Handlers<'_>, there: Option<&Node>) -> Result<String, Trouble> {
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

fn is_there(node: &Node, part: &Part) -> bool {
    match part {
        Part::Entry { table, name, is_ours, .. } => {
            let names: Vec<String> = table.iter().cloned().chain([name.clone()]).collect();
            node.find(&names).and_then(|at| node.at(&at)).is_some_and(is_ours)
        }
        Part::Handlers { table, is_ours, .. } => {
            !Handlers { table, wanted: &[], is_ours: *is_ours }.ours(node).is_empty()
        }
    }
}
