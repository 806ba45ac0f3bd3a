//! The same question, asked again after it expired: one card, one answer.

use askbridge_core::ask::Ask;
use askbridge_core::intent::Due;
use askbridge_core::refusal::Refusal;

use crate::asks::{On, q};
use crate::facts::{answered, answered_late, asked, delivered, dismissed, expired, handed, id, withdrawn};
use crate::given::{Given, given, second};
use crate::people::{ann, no, won, yes};
use crate::wishes::{answer, ask, deliver, dismiss, hand, overtake, park, strand, tick, withdraw};

fn first() -> Ask {
    q(1).until(10)
}

/// The same question, with a number and a time of its own.
fn again(number: u32, at: i64) -> Ask {
    Ask { body: q(1).body, ..q(number) }.asked_at(at).instead_of(number - 1)
}

fn asked_twice() -> Given {
    given([asked(&first()), expired(&first(), 10), delivered(1, 11)])
        .at(20)
        .when(ask(&q(1)))
        .then([asked(&again(2, 20))])
}

#[test]
fn an_answer_to_the_old_card_answers_the_new_ask() {
    let story = asked_twice().at(21).when(answer(1, yes(), ann())).then([answered(&again(2, 20), yes(), ann(), 21)]);
    let story = story.when(answer(1, yes(), ann())).no_news().when(answer(2, yes(), ann())).no_news();
    story.when(answer(1, no(), ann())).refused_as(won(2, ann(), 21));
    asked_twice().at(21).when(dismiss(1, None, ann())).then([dismissed(&again(2, 20), None, ann(), 21)]);
}

#[test]
fn a_question_asked_three_times_still_has_one_card() {
    let twice = again(2, 20).until(30);
    let story = given([asked(&first()), expired(&first(), 10), asked(&twice), expired(&twice, 30)]);
    let story = story.at(40).when(ask(&q(1))).then([asked(&again(3, 40))]);
    for old in [1, 2] {
        let answers = [answered(&again(3, 40), yes(), ann(), 40)];
        story.clone().when(answer(old, yes(), ann())).then(answers);
    }
    assert_eq!(story.session.open().count(), 1);
}

#[test]
fn what_was_answered_late_or_asked_differently_keeps_its_own_card() {
    let late = given([asked(&first()), expired(&first(), 10), answered_late(1, yes(), ann(), 11)]);
    let second_time = Ask { instead_of: None, ..again(2, 20) };
    late.at(20).when(ask(&q(1))).then([asked(&second_time)]);
    given([asked(&first()), expired(&first(), 10)]).at(20).when(ask(&q(2))).then([asked(&q(2).asked_at(20))]);
}

#[test]
fn what_happens_to_the_first_attempt_does_not_touch_the_second() {
    let gone = || Refusal::Gone { ask: id(1), why: "it was asked again".into(), at: second(20) };
    let story = asked_twice().at(21).when(strand(1)).no_news().when(hand(1)).no_news().when(deliver(1)).no_news();
    let story = story.when(tick(1, Due::Expire)).no_news();
    let story = story.when(withdraw(1, "x")).refused_as(gone()).when(overtake(1)).refused_as(gone());
    let story = story.when(park(1)).refused_as(gone());
    let story = story.when(answer(2, yes(), ann())).then([answered(&again(2, 20), yes(), ann(), 21)]);
    story.when(deliver(1)).no_news().when(hand(1)).no_news().when(hand(2)).then([handed(2, 1)]);
    asked_twice().at(22).when(withdraw(2, "x")).then([withdrawn(2, "x", 22)]);
}
