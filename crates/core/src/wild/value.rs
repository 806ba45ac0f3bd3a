//! Any JSON value, and the few accessors that the rules need.

use crate::limits;

use super::is_blank;

/// Any JSON value, without a JSON library: the rules do not use serde.
#[derive(Debug, Clone, PartialEq)]
pub enum Wild {
    Null,
    Flag(bool),
    /// The number as it was written.
    Number(String),
    Text(String),
    List(Vec<Wild>),
    /// Names and values, in their original order.
    Map(Vec<(String, Wild)>),
}

impl Wild {
    /// Returns the first of these fields that is present and not null.
    pub fn field(&self, names: &[&str]) -> Option<&Wild> {
        let Self::Map(fields) = self else { return None };
        let named = |name: &&str| fields.iter().find(|(key, value)| key == name && *value != Self::Null);
        names.iter().find_map(named).map(|(_, value)| value)
    }

    /// Returns the first of these fields that has non-blank text, with the field's name.
    pub(super) fn text_field<'n>(&self, names: &[&'n str]) -> Option<(&'n str, &str)> {
        names.iter().find_map(|name| {
            let text = self.field(&[name])?.as_text()?;
            (!is_blank(text)).then_some((*name, text))
        })
    }

    /// Whether one of these fields is true. Models write `"true"` as well.
    pub(super) fn flag_field(&self, names: &[&str]) -> bool {
        names.iter().any(|name| match self.field(&[name]) {
            Some(Self::Flag(flag)) => *flag,
            Some(Self::Text(text)) => text.trim().eq_ignore_ascii_case("true"),
            _ => false,
        })
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the JSON value in a string, which may be nested in strings again, if it is `wanted`.
    pub(super) fn unwrapped(
        &self,
        parse: &dyn Fn(&str) -> Option<Wild>,
        wanted: &dyn Fn(&Wild) -> bool,
    ) -> Option<Wild> {
        let mut text = self.as_text()?.to_owned();
        for _ in 0..limits::NESTED_JSON_MAX {
            // Numbers and words are left alone: an option called `42` or `null` is a label.
            if !text.trim_start().starts_with(['{', '[', '"']) {
                return None;
            }
            match parse(&text)? {
                Self::Text(inner) => text = inner,
                value => return wanted(&value).then_some(value),
            }
        }
        None
    }
}
