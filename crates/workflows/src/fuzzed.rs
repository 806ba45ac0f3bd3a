//! The parsers by themselves, as functions of texts: for fuzzing, and for comparison with CPython, PyYAML and Jinja2.

use serde_json::{Map, Value as Json};

use crate::condition::{Condition, Functions, Scope};
use crate::file::Generation;
use crate::functions::Known;
use crate::pattern::Pattern;
use crate::template::Templates;
use crate::value::{Dict, Value, ValueError, repr};
use crate::yaml::compose;

/// A YAML file as JSON, as PyYAML's `safe_load` reads it.
pub fn yaml(text: &str) -> Result<Json, String> {
    compose(text).map(|node| node.to_value().to_json()).map_err(|error| match error.line {
        Some(line) => format!("line {line}: {error}"),
        None => error.to_string(),
    })
}

/// Evaluates a condition with these names. Functions that need a daemon answer with `daemon`. The result is Python's `repr`.
pub fn condition(text: &str, names: &Map<String, Json>, daemon: bool) -> Result<String, String> {
    let condition = Condition::parse(text).map_err(|error| error.0)?;
    let names = Dict::from(names);
    let empty = Dict::default();
    let variables = names.get("variables").and_then(Value::as_dict).unwrap_or(&empty);
    let data = names.get("event").and_then(Value::as_dict).and_then(|it| it.get("data")).and_then(Value::as_dict);
    let known = Known {
        generation: Generation::Second,
        variables,
        data: data.unwrap_or(&empty),
        is_failure: false,
        folder: None,
        repository: None,
    };
    let value = condition.value(&Scope::new(Vec::new(), Some(&names)), &WithDaemon { known, daemon });
    value.and_then(|value| repr(&value)).map_err(|error| error.0)
}

/// Renders a template with these names.
pub fn template(text: &str, names: &Map<String, Json>) -> Result<String, String> {
    let names = Dict::from(names);
    Templates::new().try_render(text, &Scope::new(Vec::new(), Some(&names)))
}

/// Is a pattern in a text? `None` if that takes too long.
pub fn pattern(source: &str, text: &str) -> Result<Option<bool>, String> {
    Ok(Pattern::new(source)?.is_in(text).ok())
}

/// Functions of gobby's daemon, with one answer for all.
struct WithDaemon<'a> {
    known: Known<'a>,
    daemon: bool,
}

impl Functions for WithDaemon<'_> {
    fn call(&self, name: &str, args: &[Value], named: &[(&str, Value)]) -> Option<Result<Value, ValueError>> {
        self.known.call(name, args, named).or(Some(Ok(Value::Bool(self.daemon))))
    }
}
