//! An ask that several people have to answer alike.

use askbridge_core::intent::Due;

use crate::asks::{On, q};
use crate::facts::{answered, asked, delivered, dismissed, proposed, undone, voted};
use crate::given::given;
use crate::people::{allow, ann, ann_at_her_desk, bob, cyd, no, won, yes};
use crate::wishes::{answer, answer_undoable, dismiss, tick, undo, vote};

#[test]
fn an_ask_is_settled_when_enough_people_agree() {
    let ask = q(1).quorum(2);
    for say in [answer, vote] {
        let story = given([asked(&ask)]).when(say(1, yes(), ann())).then([voted(1, yes(), ann())]);
        let story = story.when(say(1, no(), bob())).then([voted(1, no(), bob())]).at(5);
        let settled = [voted(1, yes(), cyd()), answered(&ask, yes(), cyd(), 5)];
        let story = story.when(say(1, yes(), cyd())).then(settled).when(say(1, yes(), cyd())).no_news();
        let story = story.when(say(1, no(), bob())).refused_as(won(1, cyd(), 5));
        let story = story.and(delivered(1, 6)).when(say(1, yes(), cyd())).no_news();
        story.when(say(1, no(), bob())).refused_as(won(1, cyd(), 5));
    }
}

#[test]
fn a_person_has_one_vote_however_many_devices() {
    let ask = q(1).quorum(2);
    let story = given([asked(&ask)]).when(vote(1, yes(), ann())).then([voted(1, yes(), ann())]);
    story.when(vote(1, yes(), ann_at_her_desk())).no_news().when(answer(1, yes(), ann_at_her_desk())).no_news();
}

#[test]
fn a_vote_can_be_changed_while_the_ask_is_open() {
    let ask = q(1).quorum(2);
    let story = given([asked(&ask), voted(1, yes(), ann())]).when(vote(1, no(), ann())).then([voted(1, no(), ann())]);
    let story = story.when(vote(1, yes(), bob())).then([voted(1, yes(), bob())]);
    story.when(vote(1, no(), bob())).then([voted(1, no(), bob()), answered(&ask, no(), bob(), 0)]);
}

#[test]
fn one_vote_is_enough_where_one_is_asked_for() {
    let events = [voted(1, yes(), ann()), answered(&q(1), yes(), ann(), 0)];
    given([asked(&q(1))]).when(vote(1, yes(), ann())).then(events);
}

#[test]
fn a_vote_has_to_answer_what_was_asked() {
    given([asked(&q(1).quorum(2))]).when(vote(1, allow(), ann())).refused("answer_does_not_fit");
}

#[test]
fn changing_a_proposed_answer_needs_agreement_again() {
    let ask = q(1).quorum(2).undo(5);
    let agreed = || given([asked(&ask), voted(1, yes(), ann()), voted(1, yes(), bob()), proposed(1, yes(), bob(), 5)]);
    let story = agreed().when(answer(1, no(), bob())).then([undone(1, bob()), voted(1, no(), bob())]);
    story.when(answer(1, no(), ann())).then([voted(1, no(), ann()), proposed(1, no(), ann(), 5)]);
    agreed().when(vote(1, no(), ann())).refused_as(won(1, bob(), 5));
}

#[test]
fn a_vote_that_was_taken_back_does_not_count() {
    let ask = q(1).quorum(2).undo(5);
    let story = given([asked(&ask), voted(1, yes(), ann()), voted(1, yes(), bob()), proposed(1, yes(), bob(), 5)]);
    let story = story.when(undo(1, bob())).then([undone(1, bob())]).when(answer(1, yes(), ann())).no_news();
    story.when(answer(1, yes(), bob())).then([voted(1, yes(), bob()), proposed(1, yes(), bob(), 5)]);
}

#[test]
fn one_person_can_dismiss_what_several_would_have_to_answer() {
    let ask = q(1).quorum(3);
    let events = [dismissed(&ask, None, bob(), 0)];
    given([asked(&ask), voted(1, yes(), ann())]).when(dismiss(1, None, bob())).then(events);
}

/// The undo time starts with the vote that completes the quorum: before it, there is no decision to undo.
#[test]
fn the_last_vote_can_be_taken_back_as_long_as_its_person_wants() {
    let ask = q(1).quorum(2);
    let story = given([asked(&ask)]).when(answer_undoable(1, yes(), ann(), 60)).then([voted(1, yes(), ann())]);
    let story = story.at(10).when(answer_undoable(1, yes(), bob(), 5));
    let story = story.then([voted(1, yes(), bob()), proposed(1, yes(), bob(), 15)]);
    let story = story.at(12).when(undo(1, ann())).refused("nothing_to_undo");
    let undone = story.clone().when(undo(1, bob())).then([undone(1, bob())]);
    undone.at(15).when(tick(1, Due::Commit)).no_news();
    story.at(15).when(tick(1, Due::Commit)).then([answered(&ask, yes(), bob(), 15)]);
}

#[test]
fn a_vote_can_be_taken_back_while_more_people_have_to_agree() {
    let ask = q(1).quorum(2).until(100);
    let voted_yes = || given([asked(&ask), voted(1, yes(), ann())]).at(50);
    let story = voted_yes().when(undo(1, bob())).refused("nothing_to_undo");
    let story = story.when(undo(1, ann_at_her_desk())).then([undone(1, ann_at_her_desk())]);
    let story = story.when(undo(1, ann())).refused("nothing_to_undo");
    story.when(answer(1, yes(), bob())).then([voted(1, yes(), bob())]);
    voted_yes().at(100).when(undo(1, ann())).refused("nothing_to_undo");
}
