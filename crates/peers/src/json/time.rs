//! Times as RFC 3339, UTC, with milliseconds.

use std::borrow::Cow;
use std::fmt;

use askbridge_core::ids::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// A time that writes itself as `2026-11-15T08:30:00.125Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rfc3339(pub Timestamp);

impl Rfc3339 {
    /// Passes the formatted time to `put`. Times are in every response, and `format!` takes ten times as long.
    fn spelled<T>(self, put: impl FnOnce(&str) -> T) -> T {
        let millis = self.0.0;
        let (days, millis) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
        let (year, month, day) = civil(days);
        let (secs, ms) = (millis / 1000, millis % 1000);
        let (hour, minute, second) = (secs / 3600, secs / 60 % 60, secs % 60);
        if !(0..=9999).contains(&year) {
            return put(&format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z"));
        }
        let mut letters = *b"0000-00-00T00:00:00.000Z";
        let fields = [(0..4, year), (5..7, month), (8..10, day), (11..13, hour), (14..16, minute), (17..19, second)];
        for (places, value) in fields.into_iter().chain([(20..23, ms)]) {
            let mut rest = value.unsigned_abs() as u32;
            for letter in letters[places].iter_mut().rev() {
                *letter = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
        }
        put(std::str::from_utf8(&letters).expect("the digits are ASCII"))
    }
}

impl fmt::Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spelled(|text| f.write_str(text))
    }
}

impl Serialize for Rfc3339 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.spelled(|text| serializer.serialize_str(text))
    }
}

impl JsonSchema for Rfc3339 {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "date-time",
            "description": "A time, RFC 3339, UTC, with milliseconds: `2026-11-15T08:30:00.125Z`.",
        })
    }
}

/// Days since 1970 as year, month, day: years are counted from March, so that the leap day comes last.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_rfc_3339() {
        let written = |ms| Rfc3339(Timestamp(ms)).to_string();
        assert_eq!(written(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(written(951_782_400_001), "2000-02-29T00:00:00.001Z");
        assert_eq!(written(1_794_731_400_125), "2026-11-15T08:30:00.125Z");
        assert_eq!(written(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!(written(253_402_300_799_999), "9999-12-31T23:59:59.999Z");
        assert_eq!(written(253_402_300_800_000), "10000-01-01T00:00:00.000Z");
    }
}
