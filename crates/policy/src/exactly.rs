//! What binds a rule to one very call, and for a time: a digest of the call, and a moment.

use std::fmt::Write;

use askbridge_core::ask::Question;
use askbridge_core::ids::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::call::SHELLS;

/// What a model writes beside a command for people to read: different each time, and it changes nothing.
const DESCRIPTION: &str = "description";

/// The digest of a call: of the tool's name and its input, with the fields of objects in order.
pub(crate) fn digest(tool: &str, input: &Value) -> String {
    let mut text = String::new();
    let skipped = if SHELLS.contains(&tool) { Some(DESCRIPTION) } else { None };
    canonical(input, skipped, &mut text);
    let mut hasher = Sha256::new();
    hasher.update((tool.len() as u64).to_le_bytes());
    hasher.update(tool.as_bytes());
    hasher.update(text.as_bytes());
    hex(&hasher.finalize())
}

/// The digest of questions: of their texts, the labels that they offer, and whether several may be chosen.
pub fn digest_questions(questions: &[Question]) -> String {
    let asked: Vec<Value> = questions
        .iter()
        .map(|question| {
            let labels: Vec<_> = question.options.iter().map(|option| option.label.as_str()).collect();
            json!([question.text, labels, question.multi])
        })
        .collect();
    let mut hasher = Sha256::new();
    // No tool has this length of a name, so no call has the digest of questions.
    hasher.update(u64::MAX.to_le_bytes());
    hasher.update(Value::from(asked).to_string());
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(64), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("writing to a string does not fail");
        hex
    })
}

/// Writes JSON with the fields of objects in order. `skipped` is left out at the top.
fn canonical(value: &Value, skipped: Option<&str>, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().filter(|(name, _)| Some(name.as_str()) != skipped).collect();
            fields.sort_unstable_by_key(|(name, _)| name.as_str());
            text.push('{');
            for (name, value) in fields {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                canonical(value, None, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                canonical(item, None, text);
                text.push(',');
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

/// Reads a moment as `until` in a rule file has it, with its zone, because without one the moment is not known.
pub fn until(text: &str) -> Option<Timestamp> {
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let (time, offset) = match rest.strip_suffix(['Z', 'z']) {
        Some(time) => (time, 0),
        None => {
            let at = rest.rfind(['+', '-'])?;
            let (hours, minutes) = rest[at + 1..].split_once(':')?;
            let minutes = number(hours, 2, 23)? * 60 + number(minutes, 2, 59)?;
            (&rest[..at], if rest[at..].starts_with('-') { -minutes } else { minutes })
        }
    };
    let [year, month, day] = parts(date, '-')?;
    let (year, month, day) = (number(year, 4, 9999)?, number(month, 2, 12)?, number(day, 2, 31)?);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [hour, minute, second] = parts(time, ':')?;
    let (hour, minute, second) = (number(hour, 2, 23)?, number(minute, 2, 59)?, number(second, 2, 60)?);
    if month == 0 || day == 0 || fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let millis: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset;
    Some(Timestamp((minutes * 60 + second) * 1000 + millis))
}

fn parts(text: &str, between: char) -> Option<[&str; 3]> {
    let parts: Vec<_> = text.split(between).collect();
    parts.try_into().ok()
}

/// A number of so many digits, up to `max`.
fn number(text: &str, digits: usize, max: i64) -> Option<i64> {
    let is_one = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_one && *number <= max)
}

/// Days since 1970. Years are counted from March, so that the leap day comes last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_call_has_the_same_digest_and_any_other_has_another() {
        let a = json!({"command": "npm test", "timeout": 5, "description": "Runs it"});
        let b = json!({"timeout": 5, "description": "Checks", "command": "npm test"});
        assert_eq!(digest("Bash", &a), digest("Bash", &b));
        for (tool, other) in [
            ("Bash", json!({"command": "npm test"})),
            ("Bash", json!({"command": "npm test", "timeout": "5"})),
            ("Bash", json!({"command": "npm test", "timeout": 5, "dangerouslyDisableSandbox": true})),
            ("Run", a.clone()),
        ] {
            assert_ne!(digest("Bash", &a), digest(tool, &other), "{other}");
        }
        assert_ne!(digest("Write", &json!({"description": "a"})), digest("Write", &json!({"description": "b"})));
        assert_ne!(digest("X", &json!(["a", "b"])), digest("X", &json!(["a,b"])));
        assert_ne!(
            digest("Bash", &json!({"a": {"description": 1}})),
            digest("Bash", &json!({"a": {}})),
            "only at the top"
        );
    }

    #[test]
    fn moments_have_a_zone() {
        assert_eq!(until("1970-01-02T00:00:01Z"), Some(Timestamp(86_401_000)));
        assert_eq!(until("2026-11-15T09:30:00.125+01:00"), Some(Timestamp(1_794_731_400_125)));
        assert_eq!(until("2026-11-15T09:30:00"), None);
        assert_eq!(until("2026-11-15"), None);
        for wrong in [
            "soon",
            "",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00Z",
            "é-1-1T1:1:1Z",
            "2026-01-01T00:00:00+é",
        ] {
            assert_eq!(until(wrong), None, "{wrong}");
        }
    }
}
