//! `+`, `-`, `*`, `//`, `%` and `int()`.

use super::tree::Operator;
use crate::limits::SIZE_MAX;
use crate::value::{Value, ValueError};

pub(super) fn binary(operator: Operator, left: &Value, right: &Value) -> Result<Value, ValueError> {
    if let (Some(a), Some(b)) = (whole(left), whole(right)) {
        return whole_numbers(operator, a, b);
    }
    if let (Some(a), Some(b)) = (number(left), number(right)) {
        return floats(operator, a, b);
    }
    match (operator, left, right) {
        (Operator::Add, Value::Str(a), Value::Str(b)) => {
            fits(a.len().saturating_add(b.len()))?;
            Ok(Value::text(format!("{a}{b}")))
        }
        (Operator::Add, Value::List(a), Value::List(b)) => {
            fits(a.len().saturating_add(b.len()))?;
            Ok(Value::list(a.iter().chain(b.iter()).cloned().collect()))
        }
        (Operator::Add, Value::Tuple(a), Value::Tuple(b)) => {
            fits(a.len().saturating_add(b.len()))?;
            Ok(Value::tuple(a.iter().chain(b.iter()).cloned().collect()))
        }
        (Operator::Multiply, items, times) | (Operator::Multiply, times, items) if whole(times).is_some() => {
            repeat(items, usize::try_from(whole(times).unwrap_or(0).max(0)).unwrap_or(usize::MAX))
        }
        // Python's formatting of text is not part of gobby's language in any file that we know; it is refused.
        _ => Err(ValueError(format!("no arithmetic of `{}` and `{}`", left.kind(), right.kind()))),
    }
}

fn fits(size: usize) -> Result<(), ValueError> {
    if size > SIZE_MAX { Err(ValueError(format!("a value grows beyond {SIZE_MAX}"))) } else { Ok(()) }
}

fn repeat(items: &Value, times: usize) -> Result<Value, ValueError> {
    match items {
        Value::Str(text) => {
            fits(text.len().saturating_mul(times))?;
            Ok(Value::text(text.repeat(times)))
        }
        Value::List(items) => {
            fits(items.len().saturating_mul(times))?;
            Ok(Value::list(repeated(items, times)))
        }
        Value::Tuple(items) => {
            fits(items.len().saturating_mul(times))?;
            Ok(Value::tuple(repeated(items, times)))
        }
        other => Err(ValueError(format!("`{}` cannot be repeated", other.kind()))),
    }
}

fn repeated(items: &[Value], times: usize) -> Vec<Value> {
    std::iter::repeat_n(items, times).flatten().cloned().collect()
}

fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Bool(it) => Some(i128::from(*it)),
        Value::Int(it) => Some(*it),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Float(it) => Some(*it),
        other => whole(other).map(|it| it as f64),
    }
}

fn by_zero() -> ValueError {
    ValueError("division by zero".to_owned())
}

fn whole_numbers(operator: Operator, a: i128, b: i128) -> Result<Value, ValueError> {
    let result = match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::FloorDivide | Operator::Remainder if b == 0 => return Err(by_zero()),
        Operator::FloorDivide => a.checked_div_euclid(b).and_then(|_| {
            let quotient = a.checked_div(b)?;
            // Towards minus infinity.
            if a % b != 0 && ((a < 0) != (b < 0)) { quotient.checked_sub(1) } else { Some(quotient) }
        }),
        Operator::Remainder => {
            a.checked_rem(b).map(|rest| if rest != 0 && ((rest < 0) != (b < 0)) { rest + b } else { rest })
        }
    };
    result.map(Value::Int).ok_or_else(|| ValueError("a number is too large".to_owned()))
}

fn floats(operator: Operator, a: f64, b: f64) -> Result<Value, ValueError> {
    Ok(Value::Float(match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::FloorDivide | Operator::Remainder if b == 0.0 => return Err(by_zero()),
        Operator::FloorDivide => divided(a, b).0,
        Operator::Remainder => divided(a, b).1,
    }))
}

/// Quotient and remainder, with CPython's signs and rounding.
fn divided(a: f64, b: f64) -> (f64, f64) {
    let mut rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest != 0.0 {
        if (b < 0.0) != (rest < 0.0) {
            rest += b;
            quotient -= 1.0;
        }
    } else {
        rest = 0.0_f64.copysign(b);
    }
    if quotient != 0.0 {
        let floor = quotient.floor();
        let floor = if quotient - floor > 0.5 { floor + 1.0 } else { floor };
        (floor, rest)
    } else {
        (0.0_f64.copysign(a / b), rest)
    }
}

/// Python's `int(value)`.
pub(super) fn int(value: &Value) -> Result<Value, ValueError> {
    let wrong = || ValueError(format!("`int` does not take `{}`", value.kind()));
    match value {
        Value::Float(it) if it.is_finite() && it.abs() < 1e38 => Ok(Value::Int(it.trunc() as i128)),
        Value::Str(text) => {
            let text = text.trim();
            // Underscores stand between digits.
            let lines_fit =
                !text.contains("__") && !text.ends_with('_') && !text.trim_start_matches(['+', '-']).starts_with('_');
            let digits = text.replace('_', "");
            if lines_fit { digits.parse().map(Value::Int).map_err(|_| wrong()) } else { Err(wrong()) }
        }
        other => whole(other).map(Value::Int).ok_or_else(wrong),
    }
}
