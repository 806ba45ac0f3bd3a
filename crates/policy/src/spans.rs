//! Spans of time as people type them: `30s`, `10m`, `2h`, `1d`.

use std::time::Duration;

pub(crate) fn parse(text: &str) -> Option<Duration> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|char: char| !char.is_ascii_digit())?);
    let secs = match unit.trim() {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(secs).map(Duration::from_secs)
}
