//! Parses times as the API writes them.

use std::time::Duration;

use askbridge_bridge::clock::Clock;
use askbridge_core::ids::Timestamp;
use askbridge_core::verdict::spoken;
use serde::{Deserialize, Deserializer};

/// A time in the form `2026-11-15T08:30:00.125Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment(Timestamp);

impl Moment {
    pub(crate) fn timestamp(self) -> Timestamp {
        self.0
    }

    /// Returns how long ago it was, in words.
    pub(crate) fn ago(self) -> String {
        spoken(Clock::System.now().since(self.0))
    }

    /// Returns the time until then; `None` if it has passed.
    pub(crate) fn ahead(self) -> Option<Duration> {
        Some(self.0.since(Clock::System.now())).filter(|span| !span.is_zero())
    }

    fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
        let number = |part: Option<&str>| part?.parse::<i64>().ok();
        let mut date = date.split('-');
        let (year, month, day) = (number(date.next())?, number(date.next())?, number(date.next())?);
        let (time, millis) = time.split_once('.').unwrap_or((time, "0"));
        let mut time = time.split(':');
        let (hour, minute, second) = (number(time.next())?, number(time.next())?, number(time.next())?);
        let millis = format!("{millis:0<3}").get(..3)?.parse::<i64>().ok()?;
        let secs = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
        Some(Self(Timestamp(secs * 1000 + millis)))
    }
}

/// Returns the days since 1970. Years are counted from March, so that the leap day comes last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a time")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_back_as_they_were_written() {
        let read = |text| Moment::parse(text).map(|moment| moment.0.0);
        assert_eq!(read("1970-01-01T00:00:00.000Z"), Some(0));
        assert_eq!(read("2000-02-29T00:00:00.001Z"), Some(951_782_400_001));
        assert_eq!(read("2026-11-15T08:30:00.125Z"), Some(1_794_731_400_125));
        assert_eq!(read("2026-11-15T08:30:00Z"), Some(1_794_731_400_000));
        assert_eq!(read("1969-12-31T23:59:59.999Z"), Some(-1));
        assert_eq!(read("yesterday"), None);
    }
}
