//! Checks the clock, on which deadlines depend: one that is years off would expire everything, or nothing.

use askbridge_bridge::clock::Clock;
use askbridge_core::ids::Timestamp;

use super::super::finding::Finding;
use super::super::patient::Patient;

/// The middle of November 2026, when this was written: no correct clock shows less.
const WRITTEN: Timestamp = Timestamp(1_794_700_000_000);
/// The year 2100: no correct clock shows more while this program is in use.
const FAR: Timestamp = Timestamp(4_102_444_800_000);

pub(super) async fn look(_: &Patient) -> Vec<Finding> {
    vec![judge(Clock::System.now())]
}

fn judge(now: Timestamp) -> Finding {
    let hint = "set the time, as with `sudo timedatectl set-ntp true`";
    if now < WRITTEN {
        Finding::bad("the clock shows a time before this program was written", hint)
    } else if now > FAR {
        Finding::bad("the clock shows a time after the year 2100", hint)
    } else {
        Finding::good("the clock is plausible")
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::finding::Health;
    use super::*;

    #[test]
    fn a_clock_that_stands_at_its_beginning_is_noticed() {
        assert_eq!(judge(Timestamp(0)).health, Health::Bad);
        assert_eq!(judge(Timestamp(1_800_000_000_000)).health, Health::Good);
        assert_eq!(judge(Timestamp(9_999_999_999_999)).health, Health::Bad);
    }
}
