//! Times of day and weekdays, in the operator's own time zone.

use std::fmt;

/// The local time at which an ask is made. Rules have no clock and no time zone; the caller passes this in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTime {
    /// Minutes since midnight.
    pub minute: u16,
    pub weekday: Weekday,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

/// From one time of day until just before another. May pass midnight: `22:00-07:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hours {
    /// Minutes since midnight.
    pub from: u16,
    pub until: u16,
}

/// Minutes of a day.
const DAY: u16 = 24 * 60;

impl Hours {
    /// Parses `22:00-07:00`. `24:00` is the end of the day.
    pub fn read(text: &str) -> Option<Self> {
        let (from, until) = text.split_once('-')?;
        let hours = Self { from: minute(from)?, until: minute(until)? };
        // The same time twice could mean never or always.
        (hours.from != hours.until && hours.from < DAY).then_some(hours)
    }

    pub fn contain(self, minute: u16) -> bool {
        if self.from < self.until {
            (self.from..self.until).contains(&minute)
        } else {
            minute >= self.from || minute < self.until
        }
    }
}

fn minute(text: &str) -> Option<u16> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let number = |text: &str| text.parse::<u16>().ok().filter(|_| text.len() == 2);
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let minute = hours * 60 + minutes;
    (hours <= 24 && minutes < 60 && minute <= DAY).then_some(minute)
}

impl Weekday {
    pub const ALL: [Self; 7] =
        [Self::Monday, Self::Tuesday, Self::Wednesday, Self::Thursday, Self::Friday, Self::Saturday, Self::Sunday];

    /// The short English name: `mon`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Monday => "mon",
            Self::Tuesday => "tue",
            Self::Wednesday => "wed",
            Self::Thursday => "thu",
            Self::Friday => "fri",
            Self::Saturday => "sat",
            Self::Sunday => "sun",
        }
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, until } = self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, until / 60, until % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_read_as_people_write_them_and_may_pass_midnight() {
        let night = Hours::read("22:00-07:00").unwrap();
        assert!(night.contain(22 * 60) && night.contain(0) && night.contain(7 * 60 - 1));
        assert!(!night.contain(7 * 60) && !night.contain(21 * 60 + 59));
        let day = Hours::read(" 09:30 - 24:00").unwrap();
        assert!(day.contain(9 * 60 + 30) && day.contain(23 * 60 + 59) && !day.contain(0));
        assert_eq!(night.to_string(), "22:00-07:00");
    }

    #[test]
    fn what_is_no_time_of_day_is_refused() {
        for text in
            ["", "22", "22:00", "22:00-22:00", "25:00-01:00", "9:00-10:00", "09:60-10:00", "24:30-01:00", "a:b-c:d"]
        {
            assert_eq!(Hours::read(text), None, "{text}");
        }
    }
}
