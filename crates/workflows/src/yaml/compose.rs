//! Builds the tree of a file from the parser's events: aliases, merge keys, tags, limits.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use granit_parser::{Event, Parser, ScalarStyle, Tag};

use super::node::{Content, Node};
use super::scalar::{plain, tagged};
use crate::limits::{FILE_BYTES_MAX, YAML_DEPTH_MAX, YAML_NODES_MAX};
use crate::value::equal;

/// Why a file is not YAML that PyYAML would load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlError {
    pub(crate) line: Option<usize>,
    pub(crate) what: String,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

fn at(line: usize, what: impl Into<String>) -> YamlError {
    YamlError { line: Some(line), what: what.into() }
}

/// Reads one document. An empty file is null, as for PyYAML.
pub(crate) fn compose(text: &str) -> Result<Node, YamlError> {
    if text.len() > FILE_BYTES_MAX {
        let what = format!("the file has {} bytes; at most {FILE_BYTES_MAX} are read", text.len());
        return Err(YamlError { line: None, what });
    }
    let mut composer = Composer::default();
    // Windows' mark at the start of a file is no content.
    for next in Parser::new_from_str(text.strip_prefix('\u{feff}').unwrap_or(text)) {
        let (event, span) = next.map_err(|error| at(error.marker().line(), error.info()))?;
        composer.take(event, span.start.line().max(1))?;
    }
    Ok(composer.root.unwrap_or(Node { line: 1, content: Content::Null }))
}

/// A collection whose end was not seen yet.
struct Open {
    line: usize,
    anchor: usize,
    items: Items,
    /// Levels and nodes below it.
    size: Size,
}

enum Items {
    List(Vec<Node>),
    /// The entries, and a key whose value comes next.
    Map(Vec<(Node, Node)>, Option<Node>),
}

#[derive(Clone, Copy, Default)]
struct Size {
    depth: usize,
    nodes: usize,
}

#[derive(Default)]
struct Composer {
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, Size)>,
    nodes: usize,
    /// Nodes that are kept a second time, for aliases.
    anchored: usize,
    documents: usize,
    root: Option<Node>,
}

impl Composer {
    fn take(&mut self, event: Event<'_>, line: usize) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(at(line, "a second document begins here; a rule file is one"));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let content = scalar(&text, style, tag.as_deref()).map_err(|what| at(line, what))?;
                self.add(Node { line, content }, Size { depth: 0, nodes: 1 }, anchor)?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                untagged(tag.as_deref(), "seq", line)?;
                self.begin(line, anchor, Items::List(Vec::new()))?;
            }
            Event::MappingStart(_, anchor, tag) => {
                untagged(tag.as_deref(), "map", line)?;
                self.begin(line, anchor, Items::Map(Vec::new(), None))?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end()?,
            Event::Alias(id) => {
                let Some((node, size)) = self.anchors.get(&id) else {
                    return Err(at(line, "an alias refers to the node that it is part of"));
                };
                let (node, size) = (node.clone(), *size);
                self.add(Node { line, ..node }, size, 0)?;
            }
            Event::UnresolvedAlias(name) => return Err(at(line, format!("there is no anchor `{name}`"))),
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, line: usize, anchor: usize, items: Items) -> Result<(), YamlError> {
        if self.open.len() >= YAML_DEPTH_MAX {
            return Err(at(line, format!("nested more than {YAML_DEPTH_MAX} levels deep")));
        }
        self.open.push(Open { line, anchor, items, size: Size { depth: 0, nodes: 1 } });
        Ok(())
    }

    fn end(&mut self) -> Result<(), YamlError> {
        let Some(Open { line, anchor, items, size }) = self.open.pop() else { return Ok(()) };
        let content = match items {
            Items::List(items) => Content::List(items),
            Items::Map(entries, _) => Content::Map(merged(entries)?),
        };
        // The nodes below were counted when they were added; this is the collection itself.
        self.nodes -= size.nodes - 1;
        self.add(Node { line, content }, size, anchor)
    }

    fn add(&mut self, node: Node, size: Size, anchor: usize) -> Result<(), YamlError> {
        let line = node.line;
        self.nodes += size.nodes;
        if self.nodes > YAML_NODES_MAX {
            return Err(at(
                line,
                format!("more than {YAML_NODES_MAX} nodes, aliases counted with what they stand for"),
            ));
        }
        if self.open.len() + size.depth > YAML_DEPTH_MAX {
            return Err(at(line, format!("nested more than {YAML_DEPTH_MAX} levels deep")));
        }
        if anchor != 0 {
            self.anchored += size.nodes;
            if self.anchored > YAML_NODES_MAX {
                return Err(at(line, format!("anchors on more than {YAML_NODES_MAX} nodes")));
            }
            self.anchors.insert(anchor, (node.clone(), size));
        }
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        parent.size.nodes += size.nodes;
        parent.size.depth = parent.size.depth.max(size.depth + 1);
        match &mut parent.items {
            Items::List(items) => items.push(node),
            Items::Map(entries, key) => match key.take() {
                Some(key) => insert(entries, key, node),
                None if matches!(node.content, Content::List(_) | Content::Map(_)) => {
                    return Err(at(line, "a list or a mapping cannot be a key"));
                }
                None => *key = Some(node),
            },
        }
        Ok(())
    }
}

/// Of two equal keys, the first keeps its place and the last gives the value, as in a Python dictionary. Merge keys are
/// taken apart when the mapping ends.
fn insert(entries: &mut Vec<(Node, Node)>, key: Node, value: Node) {
    let same = |held: &Node| equal(&held.to_value(), &key.to_value()) == Ok(true);
    match entries.iter_mut().find(|(held, _)| key.as_str() != Some(MERGE) && same(held)) {
        Some((_, held)) => *held = value,
        None => entries.push((key, value)),
    }
}

const MERGE: &str = "<<";

/// Puts the entries of merged mappings first, so that the mapping's own win.
fn merged(entries: Vec<(Node, Node)>) -> Result<Vec<(Node, Node)>, YamlError> {
    if !entries.iter().any(|(key, _)| key.as_str() == Some(MERGE)) {
        return Ok(entries);
    }
    let (merges, own): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(key, _)| key.as_str() == Some(MERGE));
    let mut all = Vec::new();
    for (_, source) in merges {
        match source.content {
            Content::Map(entries) => entries.into_iter().for_each(|(key, value)| insert(&mut all, key, value)),
            // Of several, the first wins.
            Content::List(sources) => {
                for source in sources.into_iter().rev() {
                    let Content::Map(entries) = source.content else {
                        return Err(at(source.line, "`<<` takes mappings"));
                    };
                    entries.into_iter().for_each(|(key, value)| insert(&mut all, key, value));
                }
            }
            _ => return Err(at(source.line, "`<<` takes a mapping or a list of them")),
        }
    }
    own.into_iter().for_each(|(key, value)| insert(&mut all, key, value));
    Ok(all)
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Content, String> {
    match tag {
        Some(tag) => match tag.core_suffix() {
            Some(name) => tagged(name, text),
            None => Err(format!("the tag `{}` is unknown", tag.original())),
        },
        None if style == ScalarStyle::Plain => plain(text),
        None => Ok(Content::Str(Arc::from(text))),
    }
}

fn untagged(tag: Option<&Tag>, name: &str, line: usize) -> Result<(), YamlError> {
    match tag {
        Some(tag) if !tag.is_yaml_core_schema_tag(name) => {
            Err(at(line, format!("the tag `{}` is unknown", tag.original())))
        }
        _ => Ok(()),
    }
}
