//! A rule decides, in its own name.

use crate::asks::{On, q};
use crate::facts::{answered, asked, delivered, proposed, ruled, withdrawn};
use crate::given::given;
use crate::people::{allow, ann, no, won, won_by_rule, yes};
use crate::wishes::{answer, ask, ask_ruled, rule, undo};

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

#[test]
fn a_rule_answers_an_ask_in_the_entry_that_makes_it() {
    let first = q(1).key("k");
    let at_once = ruled(&first, "always", yes(), 0);
    let story = given([]).when(ask_ruled(&first, "always", yes())).then([asked(&first), at_once]);
    let story = story.when(ask_ruled(&first, "always", yes())).no_news();
    // The rule was removed or changed since: the decision stands.
    let story = story.when(ask(&first)).no_news().when(ask_ruled(&first, "never", no())).no_news();
    story.when(rule(1, "never", no())).refused_as(won_by_rule(1, "always", 0));
}

#[test]
fn the_answer_of_a_rule_that_does_not_fit_leaves_the_ask_open() {
    let story = given([]).when(ask_ruled(&q(1), "allow all", allow())).then([asked(&q(1))]);
    story.at(1).when(answer(1, yes(), ann())).then([answered(&q(1), yes(), ann(), 1)]);
}

#[test]
fn an_ask_that_a_rule_answers_is_checked_like_every_other() {
    given([asked(&q(1).alone())]).when(ask_ruled(&q(2), "always", yes())).refused("ask_open");
}
