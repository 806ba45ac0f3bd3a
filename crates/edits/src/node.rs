//! A document without places: parsed, compared, or wanted.

use serde_json::{Map, Value};

/// Like a JSON value, but ordered, and with duplicate names.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    Leaf(Value),
}

impl Node {
    /// An object with these members, in this order.
    pub fn object<const N: usize>(members: [(&str, Node); N]) -> Self {
        Self::Object(members.into_iter().map(|(name, node)| (name.to_owned(), node)).collect())
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self::Leaf(Value::String(text.into()))
    }

    /// The member of that name that counts: the last one.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.position(name).map(|at| &self.members()[at].1)
    }

    pub fn items(&self) -> &[Node] {
        match self {
            Self::Array(items) => items,
            Self::Object(_) | Self::Leaf(_) => &[],
        }
    }

    pub fn members(&self) -> &[(String, Node)] {
        match self {
            Self::Object(members) => members,
            Self::Array(_) | Self::Leaf(_) => &[],
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Leaf(value) => value.as_str(),
            Self::Object(_) | Self::Array(_) => None,
        }
    }

    /// As programs see it: of a duplicate name, the last one.
    pub fn value(&self) -> Value {
        match self {
            Self::Object(members) => {
                Value::Object(members.iter().map(|(name, node)| (name.clone(), node.value())).collect::<Map<_, _>>())
            }
            Self::Array(items) => Value::Array(items.iter().map(Self::value).collect()),
            Self::Leaf(value) => value.clone(),
        }
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.members().iter().rposition(|(known, _)| known == name)
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Self::Object(members) => members.is_empty(),
            Self::Array(items) => items.is_empty(),
            Self::Leaf(_) => false,
        }
    }

    /// The values inside, in order.
    pub(crate) fn children(&self) -> Vec<&Node> {
        match self {
            Self::Object(members) => members.iter().map(|(_, node)| node).collect(),
            Self::Array(items) => items.iter().collect(),
            Self::Leaf(_) => Vec::new(),
        }
    }

    /// The node at a path of positions.
    pub(crate) fn at(&self, path: &[usize]) -> Option<&Node> {
        path.iter().try_fold(self, |node, step| node.children().get(*step).copied())
    }

    /// The path of positions at which programs find these names.
    pub(crate) fn find(&self, names: &[String]) -> Option<Vec<usize>> {
        let mut path = Vec::new();
        let mut node = self;
        for name in names {
            let at = node.position(name)?;
            path.push(at);
            node = node.children()[at];
        }
        Some(path)
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        match value {
            Value::Object(members) => Self::Object(members.into_iter().map(|(name, v)| (name, v.into())).collect()),
            Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            leaf => Self::Leaf(leaf),
        }
    }
}
