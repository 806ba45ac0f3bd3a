//! Python's `str` and `repr` of values.

use super::{Value, ValueError};
use crate::limits::{SIZE_MAX, VALUE_DEPTH_MAX};

/// Python's `str(value)`.
pub(crate) fn str(value: &Value) -> Result<String, ValueError> {
    match value {
        Value::Str(text) => Ok(text.to_string()),
        other => repr(other),
    }
}

/// Python's `repr(value)`.
pub(crate) fn repr(value: &Value) -> Result<String, ValueError> {
    let mut out = String::new();
    write(&mut out, value, 0)?;
    Ok(out)
}

fn write(out: &mut String, value: &Value, depth: usize) -> Result<(), ValueError> {
    if depth > VALUE_DEPTH_MAX {
        return Err(ValueError(format!("a value is nested more than {VALUE_DEPTH_MAX} levels deep")));
    }
    if out.len() > SIZE_MAX {
        return Err(ValueError(format!("a text grows beyond {SIZE_MAX} bytes")));
    }
    match value {
        Value::None => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Int(it) => out.push_str(&format!("{it}")),
        Value::Float(it) => out.push_str(&float(*it)),
        Value::Str(it) => quoted(out, it),
        Value::List(items) => between(out, items, ("[", "]"), depth)?,
        Value::Tuple(items) if items.len() == 1 => {
            out.push('(');
            write(out, &items[0], depth + 1)?;
            out.push_str(",)");
        }
        Value::Tuple(items) => between(out, items, ("(", ")"), depth)?,
        Value::View(_, items) => {
            out.push_str(value.kind());
            between(out, items, ("([", "])"), depth)?;
        }
        Value::Dict(dict) => {
            out.push('{');
            for (at, (key, value)) in dict.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write(out, key, depth + 1)?;
                out.push_str(": ");
                write(out, value, depth + 1)?;
            }
            out.push('}');
        }
        Value::Object(object) => out.push_str(&format!("<{}>", object.kind)),
    }
    Ok(())
}

fn between(out: &mut String, items: &[Value], (open, close): (&str, &str), depth: usize) -> Result<(), ValueError> {
    out.push_str(open);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write(out, item, depth + 1)?;
    }
    out.push_str(close);
    Ok(())
}

/// The shortest text that reads back as the same number, in Python's spelling.
fn float(it: f64) -> String {
    if it.is_nan() {
        return "nan".to_owned();
    }
    if it.is_infinite() {
        return if it > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if it == 0.0 {
        return if it.is_sign_negative() { "-0.0" } else { "0.0" }.to_owned();
    }
    let shortest = format!("{it:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{it}");
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// In single quotes, unless there are single and no double quotes inside.
fn quoted(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => out.push_str(&format!("\\x{:02x}", c as u32)),
            // Python escapes what is not printable; of that, these are what texts have.
            c @ '\u{80}'..='\u{a0}' | c @ '\u{ad}' => out.push_str(&format!("\\x{:02x}", c as u32)),
            c @ ('\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}'
            | '\u{3000}'
            | '\u{feff}') => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push(quote);
}
