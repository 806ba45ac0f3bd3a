//! The answer to one question: one type that makes the schema and is parsed.

use askbridge_core::unfit::Value;
use askbridge_core::wild::Wild;
use schemars::JsonSchema;

/// What an answer says to one question. `null` skips it.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum AnswerGiven {
    Skipped,
    /// A label, or free text.
    Text(String),
    /// Several labels.
    Labels(Vec<String>),
    /// Exactly what was clicked and written.
    Exact {
        /// Options by their index.
        options: Option<Vec<u16>>,
        text: Option<String>,
    },
}

impl AnswerGiven {
    /// Reads it; numbers count as labels. `None`: it has another shape.
    pub(super) fn read(value: &Wild) -> Option<Self> {
        let label = |value: &Wild| match value {
            Wild::Text(text) | Wild::Number(text) => Some(text.clone()),
            _ => None,
        };
        match value {
            Wild::Null => Some(Self::Skipped),
            Wild::List(list) => list.iter().map(label).collect::<Option<_>>().map(Self::Labels),
            Wild::Map(_) => exact(value),
            single => label(single).map(Self::Text),
        }
    }

    pub(super) fn value(self) -> Option<Value> {
        match self {
            Self::Skipped => None,
            Self::Text(text) => Some(Value::Label(text)),
            Self::Labels(labels) => Some(Value::List(labels.into_iter().map(Value::Label).collect())),
            Self::Exact { options, text } => {
                let options = options.into_iter().flatten().map(|index| Value::Index(index.into()));
                Some(Value::List(options.chain(text.map(Value::Text)).collect()))
            }
        }
    }
}

/// The exact form, for clients that know what was clicked.
fn exact(value: &Wild) -> Option<AnswerGiven> {
    let index = |option: &Wild| match option {
        Wild::Number(index) => index.parse().ok(),
        _ => None,
    };
    let options = match value.field(&["options"]) {
        None => None,
        Some(Wild::List(options)) => Some(options.iter().map(index).collect::<Option<_>>()?),
        Some(_) => return None,
    };
    let text = match value.field(&["text"]) {
        None => None,
        Some(Wild::Text(text)) => Some(text.clone()),
        Some(_) => return None,
    };
    Some(AnswerGiven::Exact { options, text })
}
