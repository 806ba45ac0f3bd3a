//! Reports how large the journal is, and how fast it grows.

use askbridge_bridge::clock::Clock;
use askbridge_bridge::keeping::Retention;
use askbridge_core::verdict::spoken;
use askbridge_journal::{Growth, growth};

use super::super::finding::Finding;
use super::super::patient::Patient;
use crate::output::amount;

/// From this size on, a hint says that everything is kept for ever.
const MUCH_BYTES: u64 = 1024 * 1024 * 1024;

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    let folder = patient.settings.data.clone();
    if !folder.join("askbridge.db").exists() || !folder.join("index.db").exists() {
        return vec![Finding::skipped("nothing is kept yet")];
    }
    let measured = tokio::task::spawn_blocking(move || growth(&folder, Clock::System.now())).await;
    match measured {
        Ok(Ok(growth)) => vec![judge(growth, patient.settings.retention())],
        _ => vec![Finding::skipped("could not see how much is kept; see `store` above")],
    }
}

fn judge(growth: Growth, retention: Retention) -> Finding {
    let used = growth.space.used();
    let mut what = format!("{} are kept, {} more each day of the last week", amount(used), amount(growth.per_day));
    let kept: Vec<_> = [
        retention.age.map(|age| format!("what was quiet for {} is forgotten", spoken(age))),
        retention.bytes.map(|bytes| format!("the oldest is forgotten beyond {}", amount(bytes))),
    ]
    .into_iter()
    .flatten()
    .collect();
    what.push_str(&if kept.is_empty() {
        "; nothing is ever forgotten".to_owned()
    } else {
        format!("; {}", kept.join(", "))
    });
    if !growth.space.shrinks && growth.space.free > used / 4 {
        let free = amount(growth.space.free);
        what.push_str(&format!("; {free} are free and will be filled again"));
        let hint = "this file was made by an earlier release and cannot shrink: with the server stopped, `askbridge journal backup copy.db` and `askbridge journal restore --replace copy.db` make one that can";
        return Finding::warning(what, hint);
    }
    if kept.is_empty() && used > MUCH_BYTES {
        return Finding::warning(
            what,
            "`askbridge journal prune --older-than 90d --dry-run` says how much could go; `retention = \"90d\"` in the settings forgets it by itself",
        );
    }
    Finding::good(what)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use askbridge_journal::sqlite::Space;

    use super::super::super::finding::Health;
    use super::*;

    fn growth(journal: u64, free: u64, shrinks: bool) -> Growth {
        Growth { space: Space { journal, index: 0, free, shrinks }, since: None, per_day: 2048 }
    }

    #[test]
    fn it_says_how_much_is_kept_and_for_how_long() {
        let forever = judge(growth(3 * 1024 * 1024, 0, true), Retention::default());
        assert_eq!(forever.what, "3.0 MiB are kept, 2.0 KiB more each day of the last week; nothing is ever forgotten");
        assert_eq!(forever.health, Health::Good);
        let retention = Retention { age: Some(Duration::from_secs(90 * 86_400)), bytes: Some(2 * 1024 * 1024 * 1024) };
        let words = judge(growth(2 * MUCH_BYTES, 0, true), retention);
        assert!(
            words.what.ends_with("; what was quiet for 90 days is forgotten, the oldest is forgotten beyond 2.0 GiB"),
            "{}",
            words.what
        );
        assert_eq!(words.health, Health::Good);
    }

    #[test]
    fn much_that_is_kept_for_ever_and_room_that_cannot_be_given_back_are_noticed() {
        assert_eq!(judge(growth(2 * MUCH_BYTES, 0, true), Retention::default()).health, Health::Warning);
        let stuck = judge(growth(100, 60, false), Retention::default());
        assert_eq!(stuck.health, Health::Warning);
        assert!(stuck.hint.is_some_and(|hint| hint.contains("journal restore --replace")));
    }
}
