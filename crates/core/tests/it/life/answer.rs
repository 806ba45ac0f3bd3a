//! A person answers.

use askbridge_core::answer::{Answer, Pick};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::ids::{AskId, SessionId};
use askbridge_core::intent::Intent;
use askbridge_core::refusal::Refusal;

use crate::asks::{On, approval, multi, q};
use crate::facts::{answered, asked, delivered, id};
use crate::given::{given, second};
use crate::people::{allow, ann, ann_at_her_desk, bob, no, won, yes};
use crate::wishes::answer;

#[test]
fn the_first_answer_wins() {
    let story = given([asked(&q(1))]).at(5).when(answer(1, yes(), ann())).then([answered(&q(1), yes(), ann(), 5)]);
    let story = story.at(6).when(answer(1, yes(), ann_at_her_desk())).no_news();
    let story = story.when(answer(1, no(), ann())).refused_as(won(1, ann(), 5));
    let story = story.when(answer(1, yes(), bob())).refused_as(won(1, ann(), 5));
    let story = story.and(delivered(1, 7)).when(answer(1, yes(), ann_at_her_desk())).no_news();
    let story = story.when(answer(1, no(), ann())).refused_as(won(1, ann(), 5));
    story.when(answer(1, yes(), bob())).refused_as(won(1, ann(), 5));
}

#[test]
fn an_answer_in_the_last_moment_is_in_time() {
    let ask = q(1).until(10);
    let events = [answered(&ask, yes(), ann(), 9)];
    given([asked(&ask)]).at(9).when(answer(1, yes(), ann())).then(events);
}

#[test]
fn an_answer_has_to_be_one_to_this_ask() {
    let questions = |picks: Vec<Pick>| Answer::Questions(picks);
    let many = Ask { body: Body::Questions(vec![multi("Which?", &["a", "b"])]), ..q(1) };
    let approval = Ask { body: Body::Approval(approval()), ..q(1) };
    let pick = |chosen: &[u16]| Pick { chosen: chosen.to_vec(), ..Pick::default() };
    let text = |text: &str| Pick { text: Some(text.into()), ..Pick::default() };
    let rows = [
        (q(1), questions(vec![])),
        (q(1), questions(vec![Pick::default()])),
        (q(1), questions(vec![Pick::option(0), Pick::option(0)])),
        (q(1), questions(vec![Pick::option(2)])),
        (q(1), questions(vec![pick(&[0, 1])])),
        (q(1), questions(vec![Pick { text: Some("and".into()), ..Pick::option(0) }])),
        (q(1), questions(vec![text(" ")])),
        (q(1), allow()),
        (many.clone(), questions(vec![pick(&[1, 0])])),
        (many, questions(vec![pick(&[1, 1])])),
        (approval, yes()),
    ];
    for (ask, wrong) in rows {
        given([asked(&ask)]).when(answer(1, wrong, ann())).refused("answer_does_not_fit");
    }
}

#[test]
fn an_ask_that_was_never_made_cannot_be_answered() {
    given([]).when(answer(1, yes(), ann())).refused_as(Refusal::UnknownAsk(id(1)));
    let elsewhere = AskId { session: SessionId(9), number: 1 };
    let wish = Intent::Answer { ask: elsewhere, answer: yes(), by: ann(), undo: std::time::Duration::ZERO };
    given([asked(&q(1))]).when(wish).refused_as(Refusal::UnknownAsk(elsewhere));
}

#[test]
fn an_agent_that_no_longer_waits_is_named_as_the_reason() {
    let gone = |why: &str| Refusal::Gone { ask: id(1), why: why.into(), at: second(3) };
    let withdrawn = given([asked(&q(1)), crate::facts::withdrawn(1, "no more", 3)]);
    withdrawn.when(answer(1, yes(), ann())).refused_as(gone("it was withdrawn"));
    let overtaken = given([asked(&q(1)), crate::facts::overtaken(1, 3)]);
    overtaken.when(answer(1, yes(), ann())).refused_as(gone("it was answered elsewhere first"));
}
