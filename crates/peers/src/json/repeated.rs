//! Finds and removes names that occur twice in one object. JSON parsers differ in which one counts: the first, the
//! last, or neither.

use std::collections::HashSet;

use askbridge_core::wild::Wild;

/// Returns the first name that an object has twice, in this value or anywhere inside it.
pub(crate) fn repeated(value: &Wild) -> Option<&str> {
    match value {
        Wild::List(items) => items.iter().find_map(repeated),
        Wild::Map(fields) => {
            let mut names = HashSet::with_capacity(fields.len());
            let twice = fields.iter().map(|(name, _)| name.as_str()).find(|name| !names.insert(*name));
            twice.or_else(|| fields.iter().find_map(|(_, value)| repeated(value)))
        }
        Wild::Null | Wild::Flag(_) | Wild::Number(_) | Wild::Text(_) => None,
    }
}

/// Keeps the last of each name in every object, as JavaScript's `JSON.parse` reads it.
pub(crate) fn last_of_each(value: Wild) -> Wild {
    match value {
        Wild::List(items) => Wild::List(items.into_iter().map(last_of_each).collect()),
        Wild::Map(fields) => {
            let mut names = HashSet::with_capacity(fields.len());
            let mut kept: Vec<_> = fields.into_iter().rev().filter(|(name, _)| names.insert(name.clone())).collect();
            kept.reverse();
            Wild::Map(kept.into_iter().map(|(name, value)| (name, last_of_each(value))).collect())
        }
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{parse, render};

    #[test]
    fn a_name_that_occurs_twice_is_found_at_any_depth_and_its_last_value_is_kept() {
        for (text, name, kept) in [
            (r#"{"a":1,"b":2}"#, None, r#"{"a":1,"b":2}"#),
            (r#"{"a":1,"b":2,"a":3}"#, Some("a"), r#"{"b":2,"a":3}"#),
            (r#"[{"x":{"\u0061":1,"a":2}}]"#, Some("a"), r#"[{"x":{"a":2}}]"#),
            (r#"{"a":{"b":1},"c":{"b":1}}"#, None, r#"{"a":{"b":1},"c":{"b":1}}"#),
        ] {
            let value = parse(text).unwrap();
            assert_eq!(repeated(&value), name, "{text}");
            assert_eq!(render(&last_of_each(value)), kept, "{text}");
        }
    }
}
