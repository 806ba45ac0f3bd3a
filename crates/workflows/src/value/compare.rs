//! Python's equality, order and membership.

use std::cmp::Ordering;
use std::fmt;

use super::{Value, View};
use crate::limits::VALUE_DEPTH_MAX;

/// Why an operation on values has no result: what Python would raise, or a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueError(pub(crate) String);

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn too_deep() -> ValueError {
    ValueError(format!("a value is nested more than {VALUE_DEPTH_MAX} levels deep"))
}

pub(crate) fn equal(left: &Value, right: &Value) -> Result<bool, ValueError> {
    equal_at(left, right, 0)
}

fn equal_at(left: &Value, right: &Value, depth: usize) -> Result<bool, ValueError> {
    if depth > VALUE_DEPTH_MAX {
        return Err(too_deep());
    }
    Ok(match (left, right) {
        (Value::None, Value::None) => true,
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::List(a), Value::List(b)) | (Value::Tuple(a), Value::Tuple(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b.iter()) {
                if !equal_at(a, b, depth + 1)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Dict(a), Value::Dict(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (key, value) in a.iter() {
                match b.find(key)? {
                    Some(other) if equal_at(value, other, depth + 1)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        // Views of keys and items are sets; two views of values are never equal, since each call makes a new one.
        (Value::View(View::Keys | View::Items, a), Value::View(View::Keys | View::Items, b)) => {
            a.len() == b.len() && all_in(a, b, depth)? && all_in(b, a, depth)?
        }
        (Value::Object(a), Value::Object(b)) => std::sync::Arc::ptr_eq(a, b),
        _ => numbers(left, right) == Some(Ordering::Equal),
    })
}

fn all_in(some: &[Value], others: &[Value], depth: usize) -> Result<bool, ValueError> {
    for item in some {
        let mut found = false;
        for other in others {
            if equal_at(item, other, depth + 1)? {
                found = true;
                break;
            }
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Compares two numbers, of which `True` is 1; `None` if one is not a number or not comparable.
fn numbers(left: &Value, right: &Value) -> Option<Ordering> {
    match (whole(left), whole(right)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (Some(a), None) => float(right).and_then(|b| int_and_float(a, b)),
        (None, Some(b)) => float(left).and_then(|a| int_and_float(b, a)).map(Ordering::reverse),
        (None, None) => float(left)?.partial_cmp(&float(right)?),
    }
}

/// Compares exactly, where a conversion to `f64` would round.
fn int_and_float(int: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float >= 1.7e38 {
        return Some(Ordering::Less);
    }
    if float <= -1.7e38 {
        return Some(Ordering::Greater);
    }
    let floor = float.floor();
    match int.cmp(&(floor as i128)) {
        Ordering::Equal if float > floor => Some(Ordering::Less),
        other => Some(other),
    }
}

pub(super) fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Bool(it) => Some(i128::from(*it)),
        Value::Int(it) => Some(*it),
        _ => None,
    }
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(it) => Some(*it),
        _ => None,
    }
}

/// Orders two values; `None` for a comparison that is always false, such as one with NaN.
pub(crate) fn order(left: &Value, right: &Value) -> Result<Option<Ordering>, ValueError> {
    order_at(left, right, 0)
}

fn order_at(left: &Value, right: &Value, depth: usize) -> Result<Option<Ordering>, ValueError> {
    if depth > VALUE_DEPTH_MAX {
        return Err(too_deep());
    }
    let is_number = |value: &Value| matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_));
    match (left, right) {
        (Value::Str(a), Value::Str(b)) => Ok(Some(a.chars().cmp(b.chars()))),
        (Value::List(a), Value::List(b)) | (Value::Tuple(a), Value::Tuple(b)) => {
            for (a, b) in a.iter().zip(b.iter()) {
                if !equal_at(a, b, depth + 1)? {
                    return order_at(a, b, depth + 1);
                }
            }
            Ok(Some(a.len().cmp(&b.len())))
        }
        (a, b) if is_number(a) && is_number(b) => Ok(numbers(a, b)),
        _ => Err(ValueError(format!("`{}` and `{}` have no order", left.kind(), right.kind()))),
    }
}

/// Python's `item in container`.
pub(crate) fn contains(container: &Value, item: &Value) -> Result<bool, ValueError> {
    match container {
        Value::Str(text) => match item {
            Value::Str(part) => Ok(text.contains(&**part)),
            other => Err(ValueError(format!("`in` looks for text in a text, not for `{}`", other.kind()))),
        },
        Value::Dict(dict) => Ok(dict.find(item)?.is_some()),
        Value::View(View::Keys, items) => {
            hashable(item)?;
            all_in(std::slice::from_ref(item), items, 0)
        }
        Value::List(items) | Value::Tuple(items) | Value::View(_, items) => {
            all_in(std::slice::from_ref(item), items, 0)
        }
        other => Err(ValueError(format!("`{}` contains nothing", other.kind()))),
    }
}

/// Can it be the key of a dictionary?
pub(super) fn hashable(value: &Value) -> Result<(), ValueError> {
    match value {
        Value::List(_) | Value::Dict(_) | Value::View(..) => {
            Err(ValueError(format!("`{}` cannot be a key", value.kind())))
        }
        Value::Tuple(items) => items.iter().try_for_each(hashable),
        _ => Ok(()),
    }
}
