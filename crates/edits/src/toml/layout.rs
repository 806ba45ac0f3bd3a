//! Parses a TOML text into its values and the places of its sections and entries.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;
use toml::de::{DeTable, DeValue};
use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, parse_document};

use crate::error::Trouble;
use crate::node::Node;

/// One step of a path to a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Seg {
    Key(String),
    Nth(usize),
}

#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The first one is everything before the first header.
    pub(crate) sections: Vec<Section>,
}

#[derive(Debug, Default)]
pub(crate) struct Section {
    pub(crate) path: Vec<Seg>,
    /// The lines of its header.
    pub(crate) header: Range<usize>,
    pub(crate) entries: Vec<Entry>,
}

#[derive(Debug)]
pub(crate) struct Entry {
    /// From the beginning of the document, not of the section.
    pub(crate) path: Vec<Seg>,
    /// Its lines.
    pub(crate) lines: Range<usize>,
    pub(crate) value: Range<usize>,
}

impl Section {
    /// Where its last entry ends. Comments and empty lines after that may belong to the next section.
    pub(crate) fn end(&self) -> usize {
        self.entries.last().map_or(self.header.end, |entry| entry.lines.end)
    }
}

pub(crate) fn read(text: &str) -> Result<(Node, Layout), Trouble> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Trouble::syntax(text, at, error.message().replace('\n', ", "))
    })?;
    Ok((table_node(table.get_ref()), layout(text)))
}

fn table_node(table: &DeTable<'_>) -> Node {
    Node::Object(table.iter().map(|(name, value)| (name.get_ref().to_string(), node(value.get_ref()))).collect())
}

fn node(value: &DeValue<'_>) -> Node {
    Node::Leaf(match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Boolean(flag) => Value::from(*flag),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::from(number),
            Err(_) => Value::from(number.as_str()),
        },
        // Floats and times are only compared, as text.
        DeValue::Float(number) => Value::from(format!("float {}", number.as_str())),
        DeValue::Datetime(time) => Value::from(format!("time {time}")),
        DeValue::Array(items) => return Node::Array(items.iter().map(|item| node(item.get_ref())).collect()),
        DeValue::Table(table) => return table_node(table),
    })
}

/// Finds the sections and entries of a valid text.
fn layout(text: &str) -> Layout {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let mut events: Vec<Event> = Vec::new();
    parse_document(&tokens, &mut events, &mut ());
    let mut reading = Reading { text, source, ..Reading::new(text) };
    for event in events {
        reading.hear(&event);
    }
    reading.layout
}

struct Reading<'a> {
    text: &'a str,
    source: Source<'a>,
    layout: Layout,
    /// How many elements each array of tables has so far.
    counts: HashMap<Vec<Seg>, usize>,
    /// The names of the current header or entry, and where it begins.
    keys: Vec<String>,
    start: usize,
    /// Where the current value begins.
    value: Option<usize>,
    /// Open brackets in it.
    depth: usize,
    is_value: bool,
}

impl<'a> Reading<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            source: Source::new(text),
            layout: Layout { sections: vec![Section::default()] },
            counts: HashMap::new(),
            keys: Vec::new(),
            start: 0,
            value: None,
            depth: 0,
            is_value: false,
        }
    }

    fn hear(&mut self, event: &Event) {
        let span = event.span();
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                self.keys.clear();
                self.start = span.start();
            }
            EventKind::StdTableClose => self.section(false, span.end()),
            EventKind::ArrayTableClose => self.section(true, span.end()),
            EventKind::SimpleKey if !self.is_value => {
                if self.keys.is_empty() {
                    self.start = self.start.max(span.start());
                }
                let mut key = String::new();
                if let Some(raw) = self.source.get(event) {
                    raw.decode_key(&mut key, &mut ());
                }
                self.keys.push(key);
            }
            EventKind::KeyValSep if self.depth == 0 => self.is_value = true,
            EventKind::ArrayOpen | EventKind::InlineTableOpen => {
                self.value.get_or_insert(span.start());
                self.depth += 1;
            }
            EventKind::ArrayClose | EventKind::InlineTableClose => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.entry(span.end());
                }
            }
            EventKind::Scalar if self.is_value && self.depth == 0 => {
                self.value = Some(span.start());
                self.entry(span.end());
            }
            _ => {}
        }
    }

    fn section(&mut self, is_array: bool, end: usize) {
        let mut path = Vec::new();
        let last = self.keys.len().saturating_sub(1);
        for (place, key) in self.keys.drain(..).enumerate() {
            path.push(Seg::Key(key));
            if is_array && place == last {
                let count = self.counts.entry(path.clone()).or_default();
                *count += 1;
                path.push(Seg::Nth(*count - 1));
            } else if let Some(count) = self.counts.get(&path) {
                path.push(Seg::Nth(count - 1));
            }
        }
        let header = lines(self.text, self.start..end);
        self.layout.sections.push(Section { path, header, entries: Vec::new() });
        self.start = 0;
    }

    fn entry(&mut self, end: usize) {
        let Some(section) = self.layout.sections.last_mut() else { return };
        let keys = self.keys.drain(..).map(Seg::Key);
        let path = section.path.iter().cloned().chain(keys).collect();
        let value = self.value.take().unwrap_or(end)..end;
        section.entries.push(Entry { path, lines: lines(self.text, self.start..end), value });
        self.start = 0;
        self.is_value = false;
    }
}

/// The whole lines of a range, with the last line ending.
fn lines(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[span.end..].find('\n').map_or(text.len(), |newline| span.end + newline + 1);
    start..end
}
