//! The agent's process is ended while the ask stays open.

use askbridge_core::intent::Due;
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::Warm;

use crate::asks::{On, q};
use crate::facts::{answered, asked, delivered, handed, id, parked};
use crate::given::given;
use crate::people::{ann, won, yes};
use crate::wishes::{answer, deliver, hand, park, tick};

#[test]
fn a_parked_ask_is_answered_and_delivered_like_any_other() {
    let ask = q(1).resumable(600);
    let story = given([asked(&ask)]).when(park(1)).then([parked(1)]).when(park(1)).no_news();
    let story = story.at(5).when(answer(1, yes(), ann())).then([answered(&ask, yes(), ann(), 5)]);
    assert!(story.session.asks[&1].parked, "the agent has to be started again to hear it");
    let story = story.when(hand(1)).then([handed(1, 1)]).at(6).when(deliver(1)).then([delivered(1, 6)]);
    assert_eq!(story.session.asks.len(), 0);
}

#[test]
fn only_an_agent_that_can_be_started_again_is_parked() {
    given([asked(&q(1))]).when(park(1)).refused_as(Refusal::NotParkable(id(1)));
    given([asked(&q(1))]).when(tick(1, Due::WarmOver)).no_news();
}

#[test]
fn what_is_settled_is_not_parked() {
    let ask = q(1).resumable(600);
    given([asked(&ask), answered(&ask, yes(), ann(), 1)]).when(park(1)).refused_as(won(1, ann(), 1));
}

#[test]
fn an_ask_is_parked_when_its_warm_time_is_over_and_not_before() {
    let story = given([asked(&q(1).resumable(600))]).at(599).when(tick(1, Due::WarmOver)).no_news();
    story.at(600).when(tick(1, Due::WarmOver)).then([parked(1)]).when(tick(1, Due::WarmOver)).no_news();
    let mut held = q(1).resumable(600);
    held.terms.warm = Warm::Hold;
    given([asked(&held)]).at(1_000_000).when(tick(1, Due::WarmOver)).no_news();
}
