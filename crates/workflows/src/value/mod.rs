//! Values of gobby's conditions and templates, which are Python's: their conversion, order, equality and text.

mod compare;
mod json;
mod text;

use std::sync::Arc;

pub(crate) use compare::{ValueError, contains, equal, order};
pub(crate) use text::{repr, str};

/// A value as Python has it. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Str(Arc<str>),
    List(Arc<Vec<Value>>),
    Tuple(Arc<Vec<Value>>),
    Dict(Arc<Dict>),
    /// What `keys`, `values` and `items` return: it can be walked and searched, but not indexed.
    View(View, Arc<Vec<Value>>),
    /// A value with attributes and nothing else, such as `event`.
    Object(Arc<Object>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Keys,
    Values,
    Items,
}

/// A dictionary in the order of insertion. Keys are few, so a lookup walks them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dict {
    entries: Vec<(Value, Value)>,
}

/// Attributes by name.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) kind: &'static str,
    pub(crate) fields: Vec<(&'static str, Value)>,
}

impl Value {
    pub(crate) fn text(text: impl AsRef<str>) -> Self {
        Self::Str(Arc::from(text.as_ref()))
    }

    pub(crate) fn list(items: Vec<Value>) -> Self {
        Self::List(Arc::new(items))
    }

    pub(crate) fn tuple(items: Vec<Value>) -> Self {
        Self::Tuple(Arc::new(items))
    }

    pub(crate) fn dict(entries: Dict) -> Self {
        Self::Dict(Arc::new(entries))
    }

    pub(crate) fn object(kind: &'static str, fields: Vec<(&'static str, Value)>) -> Self {
        Self::Object(Arc::new(Object { kind, fields }))
    }

    /// Is it true where Python asks for a truth value?
    pub(crate) fn truth(&self) -> bool {
        match self {
            Self::None => false,
            Self::Bool(it) => *it,
            Self::Int(it) => *it != 0,
            Self::Float(it) => *it != 0.0,
            Self::Str(it) => !it.is_empty(),
            Self::List(it) | Self::Tuple(it) | Self::View(_, it) => !it.is_empty(),
            Self::Dict(it) => !it.is_empty(),
            Self::Object(_) => true,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(it) => Some(it),
            _ => None,
        }
    }

    pub(crate) fn as_dict(&self) -> Option<&Dict> {
        match self {
            Self::Dict(it) => Some(it),
            _ => None,
        }
    }

    /// The items of a list or a tuple.
    pub(crate) fn as_items(&self) -> Option<&[Value]> {
        match self {
            Self::List(it) | Self::Tuple(it) => Some(it),
            _ => None,
        }
    }

    /// Python's name of its type.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::None => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Dict(_) => "dict",
            Self::View(View::Keys, _) => "dict_keys",
            Self::View(View::Values, _) => "dict_values",
            Self::View(View::Items, _) => "dict_items",
            Self::Object(it) => it.kind,
        }
    }
}

impl Object {
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value)
    }
}

impl Dict {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &Value> {
        self.entries.iter().map(|(key, _)| key)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.entries.iter().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value)
    }

    /// Looks a key up that may be of any type: `1`, `1.0` and `True` are the same key.
    pub(crate) fn find(&self, wanted: &Value) -> Result<Option<&Value>, ValueError> {
        if let Some(name) = wanted.as_str() {
            return Ok(self.get(name));
        }
        compare::hashable(wanted)?;
        for (key, value) in &self.entries {
            if equal(key, wanted)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        match self.entries.iter_mut().find(|(key, _)| key.as_str() == Some(name)) {
            Some((_, held)) => *held = value,
            None => self.entries.push((Value::text(name), value)),
        }
    }

    /// Inserts under a key of any type; an equal key stays and gets the new value.
    pub(crate) fn insert(&mut self, key: Value, value: Value) -> Result<(), ValueError> {
        compare::hashable(&key)?;
        for (held, old) in &mut self.entries {
            if equal(held, &key)? {
                *old = value;
                return Ok(());
            }
        }
        self.entries.push((key, value));
        Ok(())
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.entries.retain(|(key, _)| key.as_str() != Some(name));
    }
}

impl FromIterator<(String, Value)> for Dict {
    /// The names are taken to be distinct.
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(entries: I) -> Self {
        Self { entries: entries.into_iter().map(|(name, value)| (Value::text(name), value)).collect() }
    }
}
