//! A person closes an ask without answering it.

use askbridge_core::intent::Due;

use crate::asks::{On, q};
use crate::facts::{asked, delivered, dismissed, expired, ruled, withdrawn};
use crate::given::given;
use crate::people::{ann, bob, won, won_by_nobody, won_by_rule, yes};
use crate::wishes::{answer, correct, dismiss, extend, rule, tick, undo, withdraw};

#[test]
fn a_dismissal_settles_with_and_without_words() {
    for (words, kept) in [(None, None), (Some(" \n"), None), (Some("ask Bob"), Some("ask Bob"))] {
        let story = given([asked(&q(1))]).at(5).when(dismiss(1, words, ann()));
        let story = story.then([dismissed(&q(1), kept, ann(), 5)]).at(6).when(dismiss(1, words, ann())).no_news();
        let story = story.when(dismiss(1, Some("other words"), ann())).refused_as(won(1, ann(), 5));
        let story = story.when(dismiss(1, words, bob())).refused_as(won(1, ann(), 5));
        let story = story.when(answer(1, yes(), ann())).refused_as(won(1, ann(), 5));
        let story = story.and(delivered(1, 7)).when(dismiss(1, words, ann())).no_news();
        let story = story.when(dismiss(1, Some("other words"), ann())).refused_as(won(1, ann(), 5));
        let story = story.when(dismiss(1, words, bob())).refused_as(won(1, ann(), 5));
        story.when(answer(1, yes(), ann())).refused_as(won(1, ann(), 5));
    }
}

#[test]
fn what_has_expired_cannot_be_dismissed() {
    let ask = q(1).until(10);
    let story = given([asked(&ask), expired(&ask, 10)]).at(11);
    story.when(dismiss(1, None, ann())).refused_as(won_by_nobody(1, 10));
}

/// The timer has not fired, or the journal could not store the expiry. A dismissal is refused, never acknowledged, and
/// the refusal names no outcome, because none is stored.
#[test]
fn a_dismissal_after_the_deadline_is_refused_although_the_expiry_is_not_stored_yet() {
    let ask = q(1).until(10);
    let story = given([asked(&ask)]).at(12).when(dismiss(1, None, ann())).refused("not_open");
    let story = story.when(tick(1, Due::Expire)).then([expired(&ask, 12)]);
    story.when(dismiss(1, None, ann())).refused_as(won_by_nobody(1, 12));
}

/// A person who is told that their intent counts finds it in the journal: it is in the events, or it is refused.
#[test]
fn after_the_deadline_no_wish_is_acknowledged_that_is_not_stored() {
    let open = || given([asked(&q(1).until(10))]).at(12);
    open().when(dismiss(1, None, ann())).refused("not_open");
    open().when(extend(1, 60, ann())).refused("not_open");
    open().when(undo(1, ann())).refused("nothing_to_undo");
    open().when(correct(1, yes(), ann())).refused("not_settled");
    open().when(rule(1, "r", yes())).then([ruled(&q(1).until(10), "r", yes(), 12)]);
    open().when(withdraw(1, "x")).then([withdrawn(1, "x", 12)]);
}

#[test]
fn what_a_rule_decided_cannot_be_dismissed() {
    let story = given([asked(&q(1)), ruled(&q(1), "no deploys", yes(), 1)]).at(2);
    story.when(dismiss(1, None, ann())).refused_as(won_by_rule(1, "no deploys", 1));
}
