//! A node of a YAML file.

use std::sync::Arc;

use crate::value::{Dict, Value};

#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Where it begins, from 1.
    pub(crate) line: usize,
    pub(crate) content: Content,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Str(Arc<str>),
    /// A date, for which JSON and conditions have no type: kept as it is written.
    Date(Arc<str>),
    List(Vec<Node>),
    /// In the order of the file; of two equal keys the last has won already.
    Map(Vec<(Node, Node)>),
}

impl Node {
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        self.entries().find(|(key, _)| key.as_str() == Some(name)).map(|(_, node)| node)
    }

    /// The entries of a mapping; none of anything else.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&Node, &Node)> {
        let entries = match &self.content {
            Content::Map(entries) => entries.as_slice(),
            _ => &[],
        };
        entries.iter().map(|(key, node)| (key, node))
    }

    pub(crate) fn is_map(&self) -> bool {
        matches!(self.content, Content::Map(_))
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match &self.content {
            Content::Str(it) => Some(it),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Node]> {
        match &self.content {
            Content::List(it) => Some(it),
            _ => None,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.content, Content::Null)
    }

    pub(crate) fn to_value(&self) -> Value {
        match &self.content {
            Content::Null => Value::None,
            Content::Bool(it) => Value::Bool(*it),
            Content::Int(it) => Value::Int(*it),
            Content::Float(it) => Value::Float(*it),
            Content::Str(it) | Content::Date(it) => Value::Str(Arc::clone(it)),
            Content::List(items) => Value::list(items.iter().map(Node::to_value).collect()),
            Content::Map(entries) => {
                let mut dict = Dict::default();
                for (key, node) in entries {
                    dict.insert(key.to_value(), node.to_value()).expect("keys were checked when the file was read");
                }
                Value::dict(dict)
            }
        }
    }
}
