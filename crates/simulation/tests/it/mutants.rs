//! Five bridges that are broken on purpose. Each breaks the law that it should, on some seed.

use askbridge_simulation::broken::{Broken, BrokenJournal, BrokenRules};
use askbridge_simulation::plan::Plan;
use askbridge_simulation::run_with;

/// Runs seeds until the judge objects. Returns the laws that were broken on that seed.
fn caught(broken: Broken) -> Vec<u8> {
    (1..=60)
        .map(|seed| run_with(&Plan::of(seed), Some(broken)))
        .map(|story| story.violations.iter().map(|violation| violation.law).collect::<Vec<_>>())
        .find(|laws| !laws.is_empty())
        .unwrap_or_default()
}

#[test]
fn a_core_that_accepts_a_second_answer_is_caught() {
    let laws = caught(Broken::Rules(BrokenRules::SecondAnswer));
    assert!(laws.contains(&2), "{laws:?}");
}

#[test]
fn a_bridge_that_loses_an_event_on_conflict_is_caught() {
    let laws = caught(Broken::Journal(BrokenJournal::LosesOnConflict));
    assert!(laws.iter().any(|law| matches!(law, 1 | 4)), "{laws:?}");
}

#[test]
fn a_bridge_that_tells_before_it_appends_is_caught() {
    let laws = caught(Broken::Journal(BrokenJournal::TellsBeforeAppend));
    assert!(laws.contains(&1), "{laws:?}");
}

#[test]
fn a_core_that_fires_a_deadline_twice_is_caught() {
    let laws = caught(Broken::Rules(BrokenRules::DeadlineTwice));
    assert!(laws.contains(&2), "{laws:?}");
}

#[test]
fn a_core_that_allows_when_nobody_came_is_caught() {
    let laws = caught(Broken::Rules(BrokenRules::EmptyAllow));
    assert!(laws.contains(&5), "{laws:?}");
}
