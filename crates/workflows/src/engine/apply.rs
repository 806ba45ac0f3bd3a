//! Values that rules assign: templates, expressions, literals.

use super::run::Run;
use crate::condition::Scope;
use crate::file::{Assigned, Gate, Generation};
use crate::outcome::Did;
use crate::value::{Dict, Value};

/// What an empty rendering means. The generations differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Empty {
    Stays,
    IsNone,
}

/// A rendered text as the value that it spells.
pub(super) fn spelled(text: String, empty: Empty) -> Value {
    let trimmed = text.trim();
    match trimmed.to_lowercase().as_str() {
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        "null" | "none" | "" if empty == Empty::IsNone => return Value::None,
        _ => {}
    }
    if let Ok(whole) = trimmed.parse::<i64>() {
        return Value::Int(whole.into());
    }
    // Rust also reads "inf" and "nan", as Python does.
    match trimmed.parse::<f64>() {
        Ok(number) if !trimmed.is_empty() => Value::Float(number),
        _ => Value::text(text),
    }
}

impl Run<'_> {
    /// Sets a variable to what an effect assigns. An expression that fails sets nothing.
    pub(super) fn assign(&mut self, rule: &str, variable: &str, assigned: &Assigned, scope: &Scope<'_>) {
        let value = match assigned {
            Assigned::Literal(value) => value.clone(),
            Assigned::Template(source) => spelled(self.all.templates.render(source, scope), Empty::Stays),
            Assigned::Expression(Gate::When(condition)) => {
                match condition.value(scope, &self.known(Generation::Second)) {
                    Ok(value) => value,
                    Err(error) => return self.trace(rule, Did::FailOpen, Some(error.0)),
                }
            }
            Assigned::Expression(Gate::Broken(why)) => return self.trace(rule, Did::FailOpen, Some(why.clone())),
            Assigned::Expression(Gate::Always) => return,
        };
        self.set(rule, variable, value);
    }

    /// Renders every text inside a value. `None` if one fails or names what is not known: half an input is worse than none.
    pub(super) fn rendered(&self, value: &Value, scope: &Scope<'_>) -> Option<Value> {
        Some(match value {
            Value::Str(text) => Value::text(self.all.templates.render_fully(text, scope).ok()?),
            Value::List(items) => {
                Value::list(items.iter().map(|item| self.rendered(item, scope)).collect::<Option<_>>()?)
            }
            Value::Dict(entries) => {
                let mut dict = Dict::default();
                for (key, value) in entries.iter() {
                    dict.insert(key.clone(), self.rendered(value, scope)?).ok()?;
                }
                Value::dict(dict)
            }
            other => other.clone(),
        })
    }
}
