//! Values from JSON and to JSON.

use serde_json::{Map, Number};

use super::{Dict, Value, text};
use crate::limits::VALUE_DEPTH_MAX;

impl From<&serde_json::Value> for Value {
    fn from(json: &serde_json::Value) -> Self {
        match json {
            serde_json::Value::Null => Self::None,
            serde_json::Value::Bool(it) => Self::Bool(*it),
            serde_json::Value::Number(it) => number(it),
            serde_json::Value::String(it) => Self::text(it),
            serde_json::Value::Array(it) => Self::list(it.iter().map(Self::from).collect()),
            serde_json::Value::Object(it) => Self::dict(dict(it)),
        }
    }
}

fn number(number: &Number) -> Value {
    if let Some(it) = number.as_i64() {
        return Value::Int(it.into());
    }
    if let Some(it) = number.as_u64() {
        return Value::Int(it.into());
    }
    Value::Float(number.as_f64().unwrap_or(f64::NAN))
}

/// The members of an object.
pub(super) fn dict(members: &Map<String, serde_json::Value>) -> Dict {
    members.iter().map(|(name, member)| (name.clone(), Value::from(member))).collect()
}

impl From<&Map<String, serde_json::Value>> for Dict {
    fn from(members: &Map<String, serde_json::Value>) -> Self {
        dict(members)
    }
}

impl Value {
    /// As JSON: tuples become lists, other keys become text, what JSON has no number for becomes null.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        self.json_at(0)
    }

    fn json_at(&self, depth: usize) -> serde_json::Value {
        if depth > VALUE_DEPTH_MAX {
            return serde_json::Value::Null;
        }
        match self {
            Self::None | Self::Object(_) => serde_json::Value::Null,
            Self::Bool(it) => (*it).into(),
            Self::Int(it) => match (i64::try_from(*it), u64::try_from(*it)) {
                (Ok(it), _) => it.into(),
                (_, Ok(it)) => it.into(),
                _ => Number::from_f64(*it as f64).map_or(serde_json::Value::Null, serde_json::Value::Number),
            },
            Self::Float(it) => Number::from_f64(*it).map_or(serde_json::Value::Null, serde_json::Value::Number),
            Self::Str(it) => (**it).into(),
            Self::List(it) | Self::Tuple(it) | Self::View(_, it) => {
                it.iter().map(|item| item.json_at(depth + 1)).collect()
            }
            Self::Dict(it) => {
                let members = it.iter().map(|(key, value)| {
                    let name = key.as_str().map_or_else(|| text::str(key).unwrap_or_default(), str::to_owned);
                    (name, value.json_at(depth + 1))
                });
                serde_json::Value::Object(members.collect())
            }
        }
    }
}
