//! An answer that can be taken back before it counts.

use askbridge_core::intent::Due;
use askbridge_core::refusal::Refusal;

use crate::asks::{On, q};
use crate::facts::{answered, asked, dismissed, expired, extended, id, overtaken, proposed, undone, withdrawn};
use crate::given::{Given, given};
use crate::people::{ann, ann_at_her_desk, bob, no, won, yes};
use crate::wishes::{answer, answer_undoable, dismiss, extend, overtake, rule, tick, undo, withdraw};

/// Ann said yes at second 10 and can undo it until second 15.
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
    ann_said_yes().at(12).when(withdraw(1, "x")).then([withdrawn(1, "x", 12)]);
    ann_said_yes().at(12).when(overtake(1)).then([overtaken(1, 12)]);
}

#[test]
fn a_person_can_want_time_to_undo_where_the_ask_promises_none() {
    let story = given([asked(&q(1))]).at(10).when(answer_undoable(1, yes(), ann(), 5));
    let story = story.then([proposed(1, yes(), ann(), 15)]);
    let story = story.at(14).when(tick(1, Due::Commit)).no_news();
    let story = story.at(15).when(undo(1, ann())).refused_as(Refusal::NothingToUndo(id(1)));
    story.when(tick(1, Due::Commit)).then([answered(&q(1), yes(), ann(), 15)]);
}

#[test]
fn the_longer_of_the_two_undo_times_counts_and_none_is_longer_than_a_minute() {
    for (promised, wanted, until) in [(0, 5, 15), (5, 0, 15), (5, 20, 30), (20, 5, 30), (20, 20, 30), (5, 3600, 70)] {
        let story = given([asked(&q(1).undo(promised))]).at(10);
        story.when(answer_undoable(1, yes(), ann(), wanted)).then([proposed(1, yes(), ann(), until)]);
    }
}

#[test]
fn the_undo_time_that_a_person_wants_never_crosses_the_deadline() {
    for (said_at, until) in [(10, 40), (70, 100), (99, 100)] {
        let story = given([asked(&q(1).until(100))]).at(said_at);
        story.when(answer_undoable(1, yes(), ann(), 30)).then([proposed(1, yes(), ann(), until)]);
    }
}

/// For an agent with a clock of its own, the ask's deadline is earlier than the agent's, and the agent does not learn
/// of an extension.
#[test]
fn the_undo_time_does_not_cross_the_first_deadline_either() {
    for (said_at, until) in [(10, 40), (80, 100), (100, 130), (180, 200)] {
        let story = given([asked(&q(1).until(100)), extended(1, Some(200), bob())]).at(said_at);
        story.when(answer_undoable(1, yes(), ann(), 30)).then([proposed(1, yes(), ann(), until)]);
    }
    let for_ever = given([asked(&q(1).until(100)), extended(1, None, bob())]).at(100);
    for_ever.when(answer_undoable(1, yes(), ann(), 30)).then([proposed(1, yes(), ann(), 130)]);
}

#[test]
fn the_same_answer_again_leaves_the_undo_time_as_it_is() {
    let story = given([asked(&q(1)), proposed(1, yes(), ann(), 15)]).at(12);
    let story = story.when(answer_undoable(1, yes(), ann(), 5)).no_news();
    let story = story.when(answer_undoable(1, yes(), ann_at_her_desk(), 60)).no_news();
    let story = story.when(answer(1, yes(), ann())).no_news();
    let story = story.at(15).when(tick(1, Due::Commit)).then([answered(&q(1), yes(), ann(), 15)]);
    story.when(answer_undoable(1, yes(), ann(), 5)).no_news();
}

#[test]
fn another_answer_within_the_time_brings_its_own() {
    let story = || given([asked(&q(1)), proposed(1, yes(), ann(), 15)]).at(12);
    story().when(answer_undoable(1, no(), ann(), 10)).then([proposed(1, no(), ann(), 22)]);
    story().when(answer(1, no(), ann())).then([answered(&q(1), no(), ann(), 12)]);
    story().when(answer_undoable(1, no(), bob(), 10)).refused_as(won(1, ann(), 15));
}

#[test]
fn an_agent_that_heard_its_terminal_first_overtakes_a_proposed_answer() {
    let story = given([asked(&q(1)), proposed(1, yes(), ann(), 15)]).at(12);
    let story = story.when(overtake(1)).then([overtaken(1, 12)]);
    let story = story.when(undo(1, ann())).refused("nothing_to_undo").when(answer(1, yes(), ann())).refused("gone");
    story.at(15).when(tick(1, Due::Commit)).no_news();
}

#[test]
fn a_proposed_answer_to_a_withdrawn_ask_is_never_settled() {
    let story = given([asked(&q(1)), proposed(1, yes(), ann(), 15)]).at(12);
    let story = story.when(withdraw(1, "done")).then([withdrawn(1, "done", 12)]);
    let story = story.when(undo(1, ann())).refused("nothing_to_undo");
    story.at(15).when(tick(1, Due::Commit)).no_news();
}

#[test]
fn an_answer_that_comes_too_late_has_nothing_to_undo() {
    let ask = q(1).until(100);
    let story = given([asked(&ask)]).at(100).when(answer_undoable(1, yes(), ann(), 5)).then_whatever();
    story.when(undo(1, ann())).refused("nothing_to_undo");
}
