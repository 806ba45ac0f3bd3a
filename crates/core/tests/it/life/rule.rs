//! A rule decides, in its own name.

use crate::asks::{On, q};
use crate::facts::{answered, asked, delivered, proposed, ruled, withdrawn};
use crate::given::given;
use crate::people::{allow, ann, no, won, won_by_rule, yes};
use crate::wishes::{rule, undo};

#[test]
fn a_rule_settles_what_is_open() {
    let story = given([asked(&q(1))]).at(1).when(rule(1, "always", yes())).then([ruled(&q(1), "always", yes(), 1)]);
    let story = story.when(rule(1, "never", no())).refused_as(won_by_rule(1, "always", 1));
    story.when(undo(1, ann())).refused("nothing_to_undo");
}

#[test]
fn a_rule_never_overrules_a_person() {
    let by_ann = answered(&q(1), yes(), ann(), 1);
    given([asked(&q(1)), by_ann.clone()]).when(rule(1, "never", no())).refused_as(won(1, ann(), 1));
    given([asked(&q(1)), by_ann, delivered(1, 2)]).when(rule(1, "never", no())).refused_as(won(1, ann(), 1));
    let proposed = [asked(&q(1).undo(5)), proposed(1, yes(), ann(), 5)];
    given(proposed).when(rule(1, "never", no())).refused_as(won(1, ann(), 5));
    given([asked(&q(1)), withdrawn(1, "x", 1)]).when(rule(1, "never", no())).refused("gone");
}

#[test]
fn a_rule_has_to_answer_what_was_asked() {
    given([asked(&q(1))]).when(rule(1, "allow all", allow())).refused("answer_does_not_fit");
}
