//! A small JSON parser and writer for these tests.

use askbridge_core::ids::Raw;
use askbridge_core::wild::Wild;

/// Parses JSON without escapes other than `\"`, `\\` and `\n`.
pub(crate) fn parse(text: &str) -> Option<Wild> {
    let mut rest = text;
    let value = parse_value(&mut rest)?;
    rest.trim().is_empty().then_some(value)
}

pub(crate) fn parse_value(rest: &mut &str) -> Option<Wild> {
    *rest = rest.trim_start();
    for (word, value) in [("null", Wild::Null), ("true", Wild::Flag(true)), ("false", Wild::Flag(false))] {
        if eat(rest, word) {
            return Some(value);
        }
    }
    if eat(rest, "[") {
        let mut items = Vec::new();
        while !eat(rest, "]") {
            if !items.is_empty() && !eat(rest, ",") {
                return None;
            }
            items.push(parse_value(rest)?);
        }
        return Some(Wild::List(items));
    }
    if eat(rest, "{") {
        let mut fields = Vec::new();
        while !eat(rest, "}") {
            if !fields.is_empty() && !eat(rest, ",") {
                return None;
            }
            let Wild::Text(name) = parse_value(rest)? else {
                return None;
            };
            if !eat(rest, ":") {
                return None;
            }
            fields.push((name, parse_value(rest)?));
        }
        return Some(Wild::Map(fields));
    }
    if eat(rest, "\"") {
        let mut text = String::new();
        let mut chars = rest.char_indices();
        loop {
            match chars.next()? {
                (i, '"') => {
                    *rest = &rest[i + 1..];
                    return Some(Wild::Text(text));
                }
                (_, '\\') => text.push(match chars.next()?.1 {
                    'n' => '\n',
                    c => c,
                }),
                (_, c) => text.push(c),
            }
        }
    }
    let end = rest.find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c)).unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    *rest = after;
    (!number.is_empty()).then(|| Wild::Number(number.into()))
}

pub(crate) fn eat(rest: &mut &str, word: &str) -> bool {
    *rest = rest.trim_start();
    let after = rest.strip_prefix(word);
    *rest = after.unwrap_or(rest);
    after.is_some()
}

pub(crate) fn json(text: &str) -> Wild {
    parse(text).unwrap_or_else(|| panic!("not JSON: {text}"))
}

/// Puts JSON into a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// Writes a value well enough to recognise it.
pub(crate) fn render(value: &Wild) -> Raw {
    fn write(value: &Wild) -> String {
        match value {
            Wild::Null => "null".into(),
            Wild::Flag(flag) => flag.to_string(),
            Wild::Number(number) => number.clone(),
            Wild::Text(text) => quoted(text),
            Wild::List(items) => format!("[{}]", items.iter().map(write).collect::<Vec<_>>().join(",")),
            Wild::Map(fields) => {
                let fields = fields.iter().map(|(name, value)| format!("{}:{}", quoted(name), write(value)));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
            }
        }
    }
    write(value).into()
}
