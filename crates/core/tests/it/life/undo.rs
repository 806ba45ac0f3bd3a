//! An answer that can be taken back before it counts.

use askbridge_core::intent::Due;
use askbridge_core::refusal::Refusal;

use crate::asks::{On, q};
use crate::facts::{answered, asked, dismissed, expired, id, proposed, undone};
use crate::given::{Given, given};
use crate::people::{ann, ann_at_her_desk, bob, no, won, yes};
use crate::wishes::{answer, dismiss, extend, overtake, rule, tick, undo, withdraw};

/// Ann said yes at second 10 and has until second 15 to think better of it.
fn ann_said_yes() -> Given {
    let ask = q(1).undo(5);
    given([asked(&ask)]).at(10).when(answer(1, yes(), ann())).then([proposed(1, yes(), ann(), 15)])
}

#[test]
fn an_answer_counts_when_the_undo_time_is_over() {
    let ask = q(1).undo(5);
    let story = ann_said_yes().at(14).when(tick(1, Due::Commit)).no_news();
    let story = story.at(15).when(tick(1, Due::Commit)).then([answered(&ask, yes(), ann(), 15)]);
    story.when(tick(1, Due::Commit)).no_news().when(undo(1, ann())).refused_as(Refusal::NothingToUndo(id(1)));
}

#[test]
fn the_undo_time_never_crosses_the_deadline() {
    for (said_at, until) in [(10, 15), (94, 99), (95, 100), (96, 100), (99, 100)] {
        let story = given([asked(&q(1).undo(5).until(100))]).at(said_at);
        story.when(answer(1, yes(), ann())).then([proposed(1, yes(), ann(), until)]);
    }
}

#[test]
fn whoever_answered_can_take_it_back_from_any_device() {
    let story = ann_said_yes().at(12).when(undo(1, bob())).refused("nothing_to_undo");
    let story = story.when(undo(1, ann_at_her_desk())).then([undone(1, ann_at_her_desk())]);
    let story = story.when(tick(1, Due::Commit)).no_news().when(undo(1, ann())).refused("nothing_to_undo");
    story.when(answer(1, no(), bob())).then([proposed(1, no(), bob(), 17)]);
}

#[test]
fn whoever_answered_can_change_it_while_there_is_time() {
    let story = ann_said_yes().at(12).when(answer(1, yes(), ann())).no_news();
    story.when(answer(1, no(), ann())).then([proposed(1, no(), ann(), 17)]);
    let ask = q(1).undo(5);
    ann_said_yes().at(12).when(dismiss(1, None, ann())).then([dismissed(&ask, None, ann(), 12)]);
}

#[test]
fn nobody_else_can_change_it() {
    for wish in [answer(1, yes(), bob()), answer(1, no(), bob()), dismiss(1, None, bob()), extend(1, 60, bob())] {
        ann_said_yes().at(12).when(wish).refused_as(won(1, ann(), 15));
    }
    ann_said_yes().at(12).when(rule(1, "r", no())).refused_as(won(1, ann(), 15));
}

#[test]
fn the_undo_time_ends_even_if_the_timer_is_late() {
    for wish in [answer(1, no(), ann()), dismiss(1, None, ann())] {
        ann_said_yes().at(15).when(wish).refused_as(won(1, ann(), 15));
    }
    let story = ann_said_yes().at(15).when(undo(1, ann())).refused("nothing_to_undo");
    let story = story.when(answer(1, yes(), ann())).no_news();
    story.at(99).when(tick(1, Due::Commit)).then([answered(&q(1).undo(5), yes(), ann(), 99)]);
}

#[test]
fn a_deadline_does_not_expire_what_is_proposed() {
    let ask = q(1).undo(5).until(100);
    let story = given([asked(&ask), proposed(1, yes(), ann(), 100)]).at(100).when(tick(1, Due::Expire)).no_news();
    story.when(tick(1, Due::Commit)).then([answered(&ask, yes(), ann(), 100)]);
    let undone = given([asked(&ask), proposed(1, yes(), ann(), 100), undone(1, ann())]);
    undone.at(100).when(tick(1, Due::Expire)).then([expired(&ask, 100)]);
}

#[test]
fn an_agent_can_leave_while_an_answer_is_proposed() {
    ann_said_yes().at(12).when(withdraw(1, "x")).then([crate::facts::withdrawn(1, "x", 12)]);
    ann_said_yes().at(12).when(overtake(1)).then([crate::facts::overtaken(1, 12)]);
}
