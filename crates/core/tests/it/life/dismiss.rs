//! A person closes an ask without answering it.

use crate::asks::{On, q};
use crate::facts::{asked, delivered, dismissed, expired, ruled};
use crate::given::given;
use crate::people::{ann, bob, won, won_by_rule, yes};
use crate::wishes::{answer, dismiss};

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
    let story = given([asked(&ask)]).at(10).when(dismiss(1, None, ann())).then([expired(&ask, 10)]);
    story.when(dismiss(1, None, ann())).refused("already_decided");
}

#[test]
fn what_a_rule_decided_cannot_be_dismissed() {
    let story = given([asked(&q(1)), ruled(&q(1), "no deploys", yes(), 1)]).at(2);
    story.when(dismiss(1, None, ann())).refused_as(won_by_rule(1, "no deploys", 1));
}
