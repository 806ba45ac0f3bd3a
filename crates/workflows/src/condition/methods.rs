//! The methods that gobby allows on dictionaries, texts and lists.

use crate::value::{Value, ValueError, View, equal};

pub(super) fn method(object: &Value, name: &str, args: &[Value]) -> Result<Value, ValueError> {
    let unknown = || ValueError(format!("`{}` has no method `{name}` with these arguments", object.kind()));
    match object {
        Value::Dict(dict) => match (name, args) {
            ("get", [key]) => Ok(dict.find(key)?.cloned().unwrap_or(Value::None)),
            ("get", [key, otherwise]) => Ok(dict.find(key)?.unwrap_or(otherwise).clone()),
            ("keys", []) => Ok(Value::View(View::Keys, dict.keys().cloned().collect::<Vec<_>>().into())),
            ("values", []) => {
                Ok(Value::View(View::Values, dict.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>().into()))
            }
            ("items", []) => {
                let items = dict.iter().map(|(key, value)| Value::tuple(vec![key.clone(), value.clone()]));
                Ok(Value::View(View::Items, items.collect::<Vec<_>>().into()))
            }
            _ => Err(unknown()),
        },
        Value::Str(text) => of_text(text, name, args).unwrap_or_else(|| Err(unknown())),
        Value::List(items) => match (name, args) {
            ("count", [wanted]) => {
                let mut count = 0;
                for item in items.iter() {
                    count += i128::from(equal(item, wanted)?);
                }
                Ok(Value::Int(count))
            }
            ("index", [wanted]) => {
                for (at, item) in items.iter().enumerate() {
                    if equal(item, wanted)? {
                        return Ok(Value::Int(at as i128));
                    }
                }
                Err(ValueError("the list has no such element".to_owned()))
            }
            _ => Err(unknown()),
        },
        _ => Err(unknown()),
    }
}

fn of_text(text: &str, name: &str, args: &[Value]) -> Option<Result<Value, ValueError>> {
    Some(Ok(match (name, args) {
        ("strip", [] | [Value::None]) => Value::text(text.trim_matches(is_space)),
        ("lstrip", [] | [Value::None]) => Value::text(text.trim_start_matches(is_space)),
        ("rstrip", [] | [Value::None]) => Value::text(text.trim_end_matches(is_space)),
        ("strip", [Value::Str(chars)]) => Value::text(text.trim_matches(|c| chars.contains(c))),
        ("lstrip", [Value::Str(chars)]) => Value::text(text.trim_start_matches(|c| chars.contains(c))),
        ("rstrip", [Value::Str(chars)]) => Value::text(text.trim_end_matches(|c| chars.contains(c))),
        ("startswith", [Value::Str(part)]) => Value::Bool(text.starts_with(&**part)),
        ("endswith", [Value::Str(part)]) => Value::Bool(text.ends_with(&**part)),
        ("startswith", [Value::Tuple(parts)]) => return Some(any_part(parts, |part| text.starts_with(part))),
        ("endswith", [Value::Tuple(parts)]) => return Some(any_part(parts, |part| text.ends_with(part))),
        ("lower", []) => Value::text(text.to_lowercase()),
        ("upper", []) => Value::text(text.to_uppercase()),
        ("split", [] | [Value::None]) => words(text.split(is_space).filter(|word| !word.is_empty())),
        ("split", [Value::Str(by)]) if !by.is_empty() => words(text.split(&**by)),
        ("split", [Value::Str(by), Value::Int(most)]) if !by.is_empty() => match usize::try_from(*most) {
            Ok(most) => words(text.splitn(most.saturating_add(1), &**by)),
            Err(_) => words(text.split(&**by)),
        },
        ("split", [Value::None, Value::Int(most)]) => split_words(text, *most),
        ("partition", [Value::Str(by)]) if !by.is_empty() => match text.split_once(&**by) {
            Some((before, after)) => three(before, by, after),
            None => three(text, "", ""),
        },
        ("rpartition", [Value::Str(by)]) if !by.is_empty() => match text.rsplit_once(&**by) {
            Some((before, after)) => three(before, by, after),
            None => three("", "", text),
        },
        _ => return None,
    }))
}

/// What Python takes for white space: Unicode's, and four separators.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

fn any_part(parts: &[Value], fits: impl Fn(&str) -> bool) -> Result<Value, ValueError> {
    for part in parts {
        match part.as_str() {
            Some(part) if fits(part) => return Ok(Value::Bool(true)),
            Some(_) => {}
            None => return Err(ValueError(format!("a text does not begin or end with `{}`", part.kind()))),
        }
    }
    Ok(Value::Bool(false))
}

fn words<'a>(words: impl Iterator<Item = &'a str>) -> Value {
    Value::list(words.map(Value::text).collect())
}

/// Splits at white space, at most so many times; the rest keeps the white space within it.
fn split_words(text: &str, most: i128) -> Value {
    let (mut found, mut rest) = (Vec::new(), text.trim_start_matches(is_space));
    while !rest.is_empty() {
        if most >= 0 && found.len() as i128 >= most {
            found.push(Value::text(rest.trim_end_matches(is_space)));
            break;
        }
        let end = rest.find(is_space).unwrap_or(rest.len());
        found.push(Value::text(&rest[..end]));
        rest = rest[end..].trim_start_matches(is_space);
    }
    Value::list(found)
}

fn three(before: &str, by: &str, after: &str) -> Value {
    Value::tuple(vec![Value::text(before), Value::text(by), Value::text(after)])
}
