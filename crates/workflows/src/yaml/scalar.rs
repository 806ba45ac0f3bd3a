//! What a plain scalar means to PyYAML: YAML 1.1, where `yes` and `on` are true and `1:30` is ninety.

use std::sync::Arc;

use super::node::Content;

/// The value of a scalar without quotes and tag.
pub(super) fn plain(text: &str) -> Result<Content, String> {
    if let Some(it) = null(text).or_else(|| boolean(text)) {
        return Ok(it);
    }
    if let Some(it) = int(text) {
        return it.map(Content::Int).ok_or_else(|| format!("the number {text} is too large"));
    }
    if let Some(it) = float(text) {
        return Ok(Content::Float(it));
    }
    if is_date(text) {
        return Ok(Content::Date(Arc::from(text)));
    }
    Ok(Content::Str(Arc::from(text)))
}

/// The value of a scalar with a tag such as `!!str`.
pub(super) fn tagged(name: &str, text: &str) -> Result<Content, String> {
    let wrong = || format!("`{text}` is not a `!!{name}`");
    match name {
        "str" => Ok(Content::Str(Arc::from(text))),
        "null" => Ok(Content::Null),
        "bool" => boolean(text).ok_or_else(wrong),
        "int" => int(text).flatten().map(Content::Int).ok_or_else(wrong),
        "float" => {
            float(text).or_else(|| int(text).flatten().map(|it| it as f64)).map(Content::Float).ok_or_else(wrong)
        }
        _ => Err(wrong()),
    }
}

fn null(text: &str) -> Option<Content> {
    matches!(text, "" | "~" | "null" | "Null" | "NULL").then_some(Content::Null)
}

fn boolean(text: &str) -> Option<Content> {
    match text {
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Some(Content::Bool(true)),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Some(Content::Bool(false)),
        _ => None,
    }
}

/// Splits the sign off.
fn signed(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

fn all(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(allowed)
}

fn digits_and_lines(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || b == b'_')
}

/// `None` if it is no integer, `Some(None)` if it is one that is too large.
fn int(text: &str) -> Option<Option<i128>> {
    let (negative, rest) = signed(text);
    let radix = |digits: &str, radix: u32| {
        let digits = digits.replace('_', "");
        // Python refuses digits that are only underscores; such a file does not load there either.
        i128::from_str_radix(&digits, radix).ok().map(|it| if negative { -it } else { it })
    };
    if let Some(digits) = rest.strip_prefix("0b") {
        return all(digits, |b| matches!(b, b'0' | b'1' | b'_')).then(|| radix(digits, 2));
    }
    if let Some(digits) = rest.strip_prefix("0x") {
        return all(digits, |b| b.is_ascii_hexdigit() || b == b'_').then(|| radix(digits, 16));
    }
    if rest == "0" {
        return Some(Some(0));
    }
    if let Some(digits) = rest.strip_prefix('0') {
        return all(digits, |b| matches!(b, b'0'..=b'7' | b'_')).then(|| {
            let digits = digits.replace('_', "");
            if digits.is_empty() { Some(0) } else { radix(&digits, 8) }
        });
    }
    if !matches!(rest.bytes().next(), Some(b'1'..=b'9')) {
        return None;
    }
    let mut parts = rest.split(':');
    let first = parts.next()?;
    if !digits_and_lines(first) {
        return None;
    }
    let mut total = radix(first, 10).map(i128::abs);
    for part in parts {
        if !sixtieth(part) {
            return None;
        }
        let part: i128 = part.parse().ok()?;
        total = total.and_then(|total| total.checked_mul(60)?.checked_add(part));
    }
    Some(total.map(|it| if negative { -it } else { it }))
}

/// A part of a number to the base of sixty.
fn sixtieth(part: &str) -> bool {
    match part.as_bytes() {
        [a] => a.is_ascii_digit(),
        [a, b] => matches!(a, b'0'..=b'5') && b.is_ascii_digit(),
        _ => false,
    }
}

fn float(text: &str) -> Option<f64> {
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(f64::NAN);
    }
    let (negative, rest) = signed(text);
    let sign = if negative { -1.0 } else { 1.0 };
    if matches!(rest, ".inf" | ".Inf" | ".INF") {
        return Some(sign * f64::INFINITY);
    }
    let (whole, fraction) = rest.split_once('.')?;
    if whole.contains(':') {
        let mut parts = whole.split(':');
        let first = parts.next()?;
        if !(first.starts_with(|c: char| c.is_ascii_digit()) && digits_and_lines(first) && digits_and_lines(fraction)) {
            return None;
        }
        let mut total: f64 = first.replace('_', "").parse().ok()?;
        let parts: Vec<&str> = parts.collect();
        let (last, middle) = parts.split_last()?;
        for part in middle {
            total = total * 60.0 + sixtieth(part).then(|| part.parse::<f64>().ok())??;
        }
        let last = sixtieth(last).then(|| format!("{last}.{fraction}0").replace('_', "").parse::<f64>().ok())??;
        return Some(sign * (total * 60.0 + last));
    }
    let (fraction, exponent) = match fraction.find(['e', 'E']) {
        Some(at) => (&fraction[..at], Some(&fraction[at + 1..])),
        None => (fraction, None),
    };
    if let Some(exponent) = exponent {
        // An exponent needs its sign.
        let unsigned = exponent.strip_prefix(['+', '-'])?;
        if !all(unsigned, |b| b.is_ascii_digit()) {
            return None;
        }
    }
    if !digits_and_lines(fraction) {
        return None;
    }
    let has_whole = whole.starts_with(|c: char| c.is_ascii_digit()) && digits_and_lines(whole);
    // Without digits before the point there must be one after it, and no sign.
    let bare = whole.is_empty() && rest.len() == text.len() && fraction.starts_with(|c: char| c.is_ascii_digit());
    if !has_whole && !bare {
        return None;
    }
    let number = format!("{whole}.{fraction}0e{}", exponent.unwrap_or("0")).replace('_', "");
    let number = if whole.is_empty() { format!("0{number}") } else { number };
    number.parse::<f64>().ok().map(|it| sign * it)
}

/// `2026-11-18`, or a date with a time of day.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |from: usize, to: usize| bytes.get(from..to).is_some_and(|it| it.iter().all(u8::is_ascii_digit));
    if bytes.len() == 10 && digits(0, 4) && bytes[4] == b'-' && digits(5, 7) && bytes[7] == b'-' && digits(8, 10) {
        return true;
    }
    with_time(text).is_some()
}

fn with_time(text: &str) -> Option<()> {
    let mut rest = text;
    let digits = |rest: &mut &str, least: usize, most: usize| -> Option<()> {
        let count = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        (count >= least).then(|| *rest = &rest[count..])
    };
    let mark = |rest: &mut &str, mark: char| rest.strip_prefix(mark).map(|after| *rest = after);
    digits(&mut rest, 4, 4)?;
    mark(&mut rest, '-')?;
    digits(&mut rest, 1, 2)?;
    mark(&mut rest, '-')?;
    digits(&mut rest, 1, 2)?;
    rest = match rest.strip_prefix(['T', 't']) {
        Some(after) => after,
        None => {
            let after = rest.trim_start_matches([' ', '\t']);
            if after.len() == rest.len() {
                return None;
            }
            after
        }
    };
    digits(&mut rest, 1, 2)?;
    mark(&mut rest, ':')?;
    digits(&mut rest, 2, 2)?;
    mark(&mut rest, ':')?;
    digits(&mut rest, 2, 2)?;
    if mark(&mut rest, '.').is_some() {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    let zone = rest.trim_start_matches([' ', '\t']);
    if rest.is_empty() || zone == "Z" {
        return Some(());
    }
    let mut zone = zone.strip_prefix(['+', '-'])?;
    digits(&mut zone, 1, 2)?;
    if mark(&mut zone, ':').is_some() {
        digits(&mut zone, 2, 2)?;
    }
    zone.is_empty().then_some(())
}
