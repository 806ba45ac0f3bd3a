//! Deliberately broken bridges. Each breaks the law that it should, on some seed.

use askbridge_simulation::broken::{Broken, BrokenDisk, BrokenJournal, BrokenRules, BrokenTongue};
use askbridge_simulation::plan::Plan;
use askbridge_simulation::run_with;

/// Runs seeds until the judge objects. Returns the laws that were broken on that seed.
fn caught(broken: Broken) -> Vec<u8> {
    caught_with(broken, |_| {})
}

/// The same, on plans that have what the fault needs to show.
fn caught_with(broken: Broken, change: fn(&mut Plan)) -> Vec<u8> {
    let plan = |seed| {
        let mut plan = Plan::narrow(seed);
        change(&mut plan);
        plan
    };
    (1..=400)
        .map(|seed| run_with(&plan(seed), Some(broken)))
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

#[test]
fn a_core_that_undoes_nothing_is_caught() {
    let laws = caught_with(Broken::Rules(BrokenRules::UndoesNothing), |plan| plan.second_thoughts = true);
    assert!(laws.contains(&1), "{laws:?}");
}

#[test]
fn a_core_that_settles_with_one_vote_of_two_is_caught() {
    let laws = caught_with(Broken::Rules(BrokenRules::OneIsEnough), |plan| plan.second_thoughts = true);
    assert!(laws.contains(&2), "{laws:?}");
}

#[test]
fn a_journal_that_loses_large_asks_is_caught() {
    let laws = caught_with(Broken::Journal(BrokenJournal::LosesTheLarge), |plan| plan.large = 3);
    assert!(laws.iter().any(|law| matches!(law, 1 | 4)), "{laws:?}");
}

#[test]
fn a_bridge_that_goes_on_with_revoked_tokens_is_caught() {
    let laws = caught_with(Broken::KeepsRevokedTokens, |plan| (plan.revocations, plan.lives) = (2, 3));
    assert!(laws.contains(&8), "{laws:?}");
}

#[test]
fn a_bridge_that_goes_on_with_old_rules_is_caught() {
    let laws = caught_with(Broken::KeepsOldRules, |plan| plan.rules = true);
    assert!(laws.contains(&3), "{laws:?}");
}

#[test]
fn a_core_in_which_a_rule_settles_what_is_open_is_caught() {
    let laws = caught_with(Broken::Rules(BrokenRules::RulesWhatIsOpen), |plan| plan.rules = true);
    assert!(laws.contains(&2), "{laws:?}");
}

#[test]
fn a_core_in_which_rules_answer_what_was_not_offered_is_caught() {
    let laws = caught_with(Broken::Rules(BrokenRules::AnswersWhatWasNotOffered), |plan| plan.rules = true);
    assert!(laws.contains(&3), "{laws:?}");
}

#[test]
fn a_file_that_loses_an_entry_is_caught() {
    let laws = caught_with(Broken::Disk(BrokenDisk::LosesAnEntry), |plan| plan.on_disk = true);
    assert!(laws.contains(&4), "{laws:?}");
}

#[test]
fn a_language_that_does_not_show_what_was_open_is_caught() {
    let tongues = [BrokenTongue::Prime, BrokenTongue::Ccc, BrokenTongue::Gobby, BrokenTongue::Seline];
    for tongue in tongues {
        let laws = caught_with(Broken::Tongue(tongue), |plan| plan.foreign = [true; 4]);
        assert!(laws.contains(&4), "{tongue:?}: {laws:?}");
    }
}
