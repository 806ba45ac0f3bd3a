//! The times that servers write.

/// Reads a time in UTC, such as `2026-01-31T12:00:00.5Z`, as milliseconds since 1970. Anything else is `None`.
pub(super) fn milliseconds(text: &str) -> Option<i64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut time = time.split(':');
    let (hours, minutes) = (time.next()?.parse::<i64>().ok()?, time.next()?.parse::<i64>().ok()?);
    let seconds = time.next()?.parse::<f64>().ok()?;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March have the leap day at their end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + day;
    let days = days - 719_469;
    Some(((days * 24 + hours) * 60 + minutes) * 60_000 + (seconds * 1000.0).floor() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_servers_are_read() {
        assert_eq!(milliseconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(milliseconds("2000-02-29T12:30:15.25Z"), Some(951_827_415_250));
        assert_eq!(milliseconds("2026-11-19T20:16:40.123456789Z"), Some(1_795_119_400_123));
        for bad in ["", "2026-11-19", "2026-11-19T20:16:40+01:00", "2026-13-01T00:00:00Z"] {
            assert_eq!(milliseconds(bad), None, "{bad}");
        }
    }
}
