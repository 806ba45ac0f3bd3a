//! JSON byte for byte as a browser writes it, because its client compares each snapshot of a call's arguments so.

use askbridge_core::wild::Wild;

/// Writes a value as `JSON.stringify(JSON.parse(text))` would.
pub(super) fn stringify(value: &Wild) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Wild, out: &mut String) {
    match value {
        Wild::Null => out.push_str("null"),
        Wild::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Wild::Number(number) => out.push_str(&spelled(number)),
        Wild::Text(text) => quote(text, out),
        Wild::List(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Wild::Map(pairs) => {
            out.push('{');
            for (place, (key, value)) in in_order(pairs).into_iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                quote(key, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
    }
}

fn quote(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).expect("a text can be written"));
}

/// Integer keys come first, in ascending order; of two equal keys the last value counts, in the place of the first.
fn in_order(pairs: &[(String, Wild)]) -> Vec<(&str, &Wild)> {
    let mut seen: Vec<(&str, &Wild)> = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        match seen.iter_mut().find(|(known, _)| known == key) {
            Some(known) => known.1 = value,
            None => seen.push((key, value)),
        }
    }
    let index = |key: &str| key.parse::<u32>().ok().filter(|number| *number < u32::MAX && number.to_string() == key);
    // Stable: the other keys keep their order.
    seen.sort_by_key(|(key, _)| index(key).map_or(u64::MAX, u64::from));
    seen
}

/// A number as JavaScript spells it.
fn spelled(number: &str) -> String {
    let Ok(value) = number.parse::<f64>() else { return "null".to_owned() };
    if !value.is_finite() {
        return "null".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    // Rust writes the same shortest digits, and never an exponent by default.
    if (1e-6..1e21).contains(&value.abs()) {
        return format!("{value}");
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, power)) if !power.starts_with('-') => format!("{digits}e+{power}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn it_is_written_as_a_browser_would() {
        for (text, expected) in [
            (r#" { "b" : 1.0, "a": [ true, null ] } "#, r#"{"b":1,"a":[true,null]}"#),
            (r#"{"b":1,"10":2,"2":3,"b":4}"#, r#"{"2":3,"10":2,"b":4}"#),
            (r#"{"01":1,"a":2,"0":3}"#, r#"{"0":3,"01":1,"a":2}"#),
            ("[1e21,1e-7,-0.0,0.1,123456789012345680000]", "[1e+21,1e-7,0,0.1,123456789012345680000]"),
            (r#""\u0007\u2028\/é""#, "\"\\u0007\u{2028}/é\""),
        ] {
            assert_eq!(stringify(&json::parse(text).unwrap()), expected, "{text}");
        }
    }
}
