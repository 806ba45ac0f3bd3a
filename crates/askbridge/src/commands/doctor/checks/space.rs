//! Checks the disk space. A full disk loses nothing that was acknowledged, but nothing can be asked either.

use askbridge_platform::disk;

use super::super::finding::Finding;
use super::super::patient::Patient;

/// Below this, asks will soon be refused.
const BAD_BELOW_BYTES: u64 = 32 * 1024 * 1024;
/// Below this, the operator should look.
const WARN_BELOW_BYTES: u64 = 512 * 1024 * 1024;

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    // The folder itself may not exist yet; the disk does.
    let Some(place) = patient.settings.data.ancestors().find(|place| place.exists()) else { return Vec::new() };
    match disk::free_bytes(place) {
        Ok(free) => vec![judge(free, &place.display().to_string())],
        Err(error) => vec![Finding::skipped(format!("could not see how much room is left: {error}"))],
    }
}

fn judge(free: u64, place: &str) -> Finding {
    let left = format!("{} MiB are free at `{place}`", free / (1024 * 1024));
    if free < BAD_BELOW_BYTES {
        Finding::bad(left, "free some space, or choose another disk with `data`")
    } else if free < WARN_BELOW_BYTES {
        Finding::warning(left, "free some space before it runs out")
    } else {
        Finding::good(left)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::finding::Health;
    use super::*;

    #[test]
    fn a_disk_that_is_nearly_full_is_noticed() {
        assert_eq!(judge(1024, "/").health, Health::Bad);
        assert_eq!(judge(100 * 1024 * 1024, "/").health, Health::Warning);
        assert_eq!(judge(u64::MAX, "/").health, Health::Good);
    }
}
