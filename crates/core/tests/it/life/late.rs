//! A late answer still counts: after expiry, after an assumption, after a rule.

use askbridge_core::ask::Ask;
use askbridge_core::event::Event;
use askbridge_core::refusal::Refusal;

use crate::asks::{On, q};
use crate::facts::{answered, answered_late, asked, delivered, expired, id, message_delivered, ruled, said};
use crate::given::{Given, given};
use crate::people::{ann, ann_at_her_desk, bob, no, won, yes};
use crate::wishes::{answer, correct, deliver_message, vote};

/// Each way to be decided without a person, and what the agent was told.
fn undecided_by_people() -> [(Ask, Event, &'static str); 3] {
    let plain = q(1).until(10);
    let assuming = q(1).until(10).assuming(1);
    [
        (plain.clone(), expired(&plain, 10), "You were told at the time that nobody had answered"),
        (assuming.clone(), expired(&assuming, 10), "At the time you were to assume: No"),
        (plain.clone(), ruled(&plain, "never", no(), 1), "At the time a rule decided: No"),
    ]
}

fn late_yes(told: &str, at: i64) -> [Event; 2] {
    let text = format!("A late answer to your earlier question “Question 1?”. {told}. ann now says: Yes");
    [answered_late(1, yes(), ann(), at), said(1, &text, Some(ann()), Some(1), at)]
}

#[test]
fn a_late_answer_becomes_a_message_once() {
    for (ask, settled, told) in undecided_by_people() {
        let undelivered = || given([asked(&ask), settled.clone()]).at(20);
        for story in [undelivered(), undelivered().and(delivered(1, 15))] {
            let story = story.when(answer(1, yes(), ann())).then(late_yes(told, 20)).at(21);
            let story = story.when(answer(1, yes(), ann_at_her_desk())).no_news();
            let story = story.when(answer(1, no(), ann())).refused_as(won(1, ann(), 20));
            let story = story.when(answer(1, yes(), bob())).refused_as(won(1, ann(), 20));
            let story = story.when(deliver_message(1)).then([message_delivered(1, 21)]);
            story.when(answer(1, yes(), ann())).no_news().when(answer(1, no(), bob())).refused_as(won(1, ann(), 20));
        }
    }
}

#[test]
fn correcting_and_voting_late_are_answering_late() {
    for (ask, settled, told) in undecided_by_people() {
        for wish in [correct(1, yes(), ann()), vote(1, yes(), ann())] {
            let story = given([asked(&ask), settled.clone(), delivered(1, 15)]).at(20);
            let story = story.when(wish.clone()).then(late_yes(told, 20));
            story.when(wish).no_news().when(correct(1, no(), bob())).refused_as(won(1, ann(), 20));
        }
    }
}

#[test]
fn only_what_no_person_decided_can_be_corrected() {
    given([asked(&q(1))]).when(correct(1, yes(), ann())).refused_as(Refusal::NotSettled(id(1)));
    let by_bob = || given([asked(&q(1)), answered(&q(1), no(), bob(), 1)]);
    by_bob().when(correct(1, yes(), ann())).refused_as(won(1, bob(), 1));
    by_bob().and(delivered(1, 2)).when(correct(1, yes(), ann())).refused_as(won(1, bob(), 1));
}

#[test]
fn after_the_deadline_and_before_the_timer_an_ask_expires_first() {
    let told = "You were told at the time that nobody had answered";
    for quorum in [1, 2] {
        let ask = q(1).until(10).quorum(quorum);
        let open = || given([asked(&ask)]).at(10);
        let expected = || [expired(&ask, 10)].into_iter().chain(late_yes(told, 10));
        for wish in [answer(1, yes(), ann()), vote(1, yes(), ann())] {
            let story: Given = open().when(wish.clone()).then(expected());
            story.when(wish).no_news().when(answer(1, no(), bob())).refused_as(won(1, ann(), 10));
        }
    }
}

#[test]
fn a_late_answer_has_to_fit_as_well() {
    let ask = q(1).until(10);
    for story in [given([asked(&ask)]), given([asked(&ask), expired(&ask, 10)])] {
        story.at(20).when(answer(1, crate::people::allow(), ann())).refused("answer_does_not_fit");
    }
}
