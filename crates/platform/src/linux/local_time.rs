//! The time of day in a time zone of this machine.

use tz::TimeZone;

/// A time zone.
#[derive(Debug, Clone)]
pub struct Zone(TimeZone);

const DAY_SECS: i64 = 24 * 60 * 60;

impl Zone {
    /// Finds a zone: the one that `TZ` would name, or the machine's own. `None` if it cannot be read.
    pub fn find(named: Option<&str>) -> Option<Self> {
        let zone = named.map_or_else(TimeZone::local, TimeZone::from_posix_tz);
        zone.ok().map(Self)
    }

    /// Returns the minute of the day and the weekday, from 0 for Monday, at a time in milliseconds since 1970.
    pub fn at(&self, millis: i64) -> Option<(u16, u8)> {
        let secs = millis.div_euclid(1000);
        let local = secs + i64::from(self.0.find_local_time_type(secs).ok()?.ut_offset());
        let minute = local.rem_euclid(DAY_SECS) / 60;
        // 1 January 1970 was a Thursday.
        let weekday = (local.div_euclid(DAY_SECS) + 3).rem_euclid(7);
        Some((u16::try_from(minute).ok()?, u8::try_from(weekday).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_knows_its_minutes_its_days_and_its_summer() {
        let utc = Zone::find(Some("UTC0")).unwrap();
        assert_eq!(utc.at(0), Some((0, 3)));
        assert_eq!(utc.at(-60_000), Some((23 * 60 + 59, 2)));
        let berlin = Zone::find(Some("CET-1CEST,M3.5.0,M10.5.0/3")).unwrap();
        // 18 November 2026, 09:40 UTC, a Wednesday; and 1 July 2026, 23:30 UTC.
        assert_eq!(berlin.at(1_794_994_800_000), Some((10 * 60 + 40, 2)));
        assert_eq!(berlin.at(1_782_948_600_000), Some((60 + 30, 3)));
    }

    #[test]
    fn what_names_no_zone_is_none() {
        assert!(Zone::find(Some("Nowhere/Nothing")).is_none());
    }
}
