//! Spans of time as people type them: `30s`, `10m`, `2h`, `1d`, `1h30m`.

use std::time::Duration;

pub fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a span of time; write it like 30s, 10m, 2h or 1d");
    let mut rest = text.trim();
    let mut total = Duration::ZERO;
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let digits = rest.find(|char: char| !char.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, tail) = rest.split_at(digits);
        let number: u64 = number.parse().map_err(|_| wrong())?;
        let unit = tail.find(|char: char| char.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit);
        let span = match unit.trim() {
            "ms" => Some(Duration::from_millis(number)),
            "s" => Some(Duration::from_secs(number)),
            "m" | "min" => number.checked_mul(60).map(Duration::from_secs),
            "h" => number.checked_mul(3600).map(Duration::from_secs),
            "d" => number.checked_mul(86_400).map(Duration::from_secs),
            _ => None,
        };
        total = total.checked_add(span.ok_or_else(wrong)?).ok_or_else(wrong)?;
        rest = tail;
    }
    if total.is_zero() { Err(format!("`{text}` is no time at all")) } else { Ok(total) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_as_people_type_them() {
        for (text, secs) in [("30s", 30), ("10m", 600), ("2h", 7200), ("1d", 86_400), ("1h30m", 5400), ("1h 30m", 5400)]
        {
            assert_eq!(parse(text), Ok(Duration::from_secs(secs)), "{text}");
        }
    }

    #[test]
    fn what_is_no_span_is_refused_with_an_example() {
        for text in ["", "10", "m", "ten minutes", "-5s", "1.5h", "0s", "999999999999999999d", "5x"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
