//! Reads the values for the fields of a form.

use crate::answer::{FieldValue, Filled};
use crate::ask::{Field, FieldKind, Form};
use crate::limits;
use crate::wild::{Wild, is_blank};

use super::whole::{spoken, too_long};
use super::{FormReply, Mismatch, Problem};

/// Checks every value against its field. Values are returned in the order of the form.
pub(super) fn filled(form: &Form, reply: FormReply) -> Result<Filled, Mismatch> {
    let given = match reply {
        FormReply::Accept(given) => given,
        FormReply::Decline { words } => {
            return Ok(Filled::Decline { words: spoken(words)? });
        }
    };
    let mut values = Vec::new();
    let mut problems = Vec::new();
    for field in &form.fields {
        let mut named = given.iter().filter(|(name, _)| *name == field.name).map(|(_, value)| value);
        let value = match (named.next(), named.next()) {
            (_, Some(_)) => Err("it is given twice; say it once".to_owned()),
            (None, _) => Ok(None),
            (Some(value), None) => field_value(&field.kind, value),
        };
        match value {
            Ok(Some(value)) => values.push((field.name.clone(), value)),
            Ok(None) if field.required => problems.push(Problem::about(&field.name, "it has to be filled in")),
            Ok(None) => {}
            Err(why) => problems.push(Problem::about(&field.name, why)),
        }
    }
    let known = |name: &String| form.fields.iter().any(|field: &Field| field.name == *name);
    for (name, _) in given.iter().filter(|(name, _)| !known(name)) {
        let problem = Problem::about(name, "there is no such field");
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    if problems.is_empty() { Ok(Filled::Accept(values)) } else { Err(Mismatch { problems }) }
}

/// Reads one value. Blank values are left out. Screens send typed text, so a number or a flag may be a string.
fn field_value(kind: &FieldKind, value: &Wild) -> Result<Option<FieldValue>, String> {
    let is_offered = match (kind, value) {
        (FieldKind::OneOf(offered) | FieldKind::ManyOf(offered), Wild::Text(text)) => offered.contains(text),
        _ => false,
    };
    let text = match value {
        Wild::Null => return Ok(None),
        Wild::Text(text) if is_blank(text) && !is_offered => return Ok(None),
        Wild::Text(text) if text.len() > limits::ANSWER_TEXT_BYTES_MAX => return Err(too_long()),
        Wild::Number(text) if text.len() > limits::ANSWER_TEXT_BYTES_MAX => return Err(too_long()),
        Wild::Text(text) | Wild::Number(text) => Some(text.as_str()),
        Wild::Flag(_) | Wild::List(_) | Wild::Map(_) => None,
    };
    let value = match kind {
        FieldKind::Text => match value {
            Wild::Text(text) => Some(FieldValue::Text(text.clone())),
            _ => None,
        },
        FieldKind::Number => text.map(str::trim).filter(|text| is_number(text)).map(number),
        FieldKind::Integer => text.map(whole).filter(|text| is_integer(text)).map(number),
        FieldKind::Flag => match (value, text.map(str::trim)) {
            (Wild::Flag(flag), _) => Some(FieldValue::Flag(*flag)),
            (_, Some("true")) => Some(FieldValue::Flag(true)),
            (_, Some("false")) => Some(FieldValue::Flag(false)),
            _ => None,
        },
        FieldKind::OneOf(_) => match value {
            Wild::Text(text) if is_offered => Some(FieldValue::Text(text.clone())),
            _ => None,
        },
        FieldKind::ManyOf(offered) => many(offered, value),
    };
    value.map(Some).ok_or_else(|| wanted(kind))
}

/// Some languages write every number with a fraction: 5.0 is a whole number (JSON Schema, 6.1.1).
fn whole(text: &str) -> &str {
    let text = text.trim();
    text.strip_suffix(".0").unwrap_or(text)
}

fn number(text: &str) -> FieldValue {
    FieldValue::Number(text.to_owned())
}

/// Reads several values, returned in the order in which they were offered, each once.
fn many(offered: &[String], value: &Wild) -> Option<FieldValue> {
    let values = match value {
        Wild::List(values) => values.as_slice(),
        Wild::Text(_) => std::slice::from_ref(value),
        _ => return None,
    };
    let is_offered = |value: &Wild| matches!(value, Wild::Text(text) if offered.contains(text));
    let chosen = |text: &&String| values.iter().any(|value| matches!(value, Wild::Text(given) if given == *text));
    values.iter().all(is_offered).then(|| FieldValue::Many(offered.iter().filter(chosen).cloned().collect()))
}

fn wanted(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Text => "it has to be text".to_owned(),
        FieldKind::Number => "it has to be a number".to_owned(),
        FieldKind::Integer => "it has to be a whole number".to_owned(),
        FieldKind::Flag => "it has to be true or false".to_owned(),
        FieldKind::OneOf(offered) => format!("it has to be one of: {}", offered.join(", ")),
        FieldKind::ManyOf(offered) => format!("each has to be one of: {}", offered.join(", ")),
    }
}

/// Whether JSON would accept this as a number, so that it can be passed on as it was written.
fn is_number(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    is_integer(whole)
        && fraction.is_none_or(is_digits)
        && exponent.is_none_or(|exponent| is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    is_digits(digits) && (digits == "0" || !digits.starts_with('0'))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
