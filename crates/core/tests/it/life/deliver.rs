//! A verdict or a message is handed to the agent, and the agent proves that it received it.

use askbridge_core::event::{CallResult, Event, Parcel};
use askbridge_core::ids::Timestamp;
use askbridge_core::refusal::Refusal;

use crate::asks::{On, q};
use crate::facts::{
    answered, asked, delivered, expired, handed, id, message, message_delivered, message_handed, proposed, ruled, said,
};
use crate::given::given;
use crate::people::{ann, yes};
use crate::wishes::{deliver, deliver_message, hand, hand_message, returned, unsay};

#[test]
fn a_verdict_is_handed_until_the_agent_shows_that_it_heard() {
    let story = given([asked(&q(1)), answered(&q(1), yes(), ann(), 1)]);
    let story = story.when(hand(1)).then([handed(1, 1)]).when(hand(1)).then([handed(1, 2)]);
    let story = story.at(3).when(deliver(1)).then([delivered(1, 3)]);
    story.at(4).when(deliver(1)).no_news().when(hand(1)).no_news();
}

#[test]
fn the_result_of_a_call_is_stored_with_what_it_proves_and_once() {
    let result = CallResult { call: "call_1".into(), ok: true, output: "Your questions have been answered".into() };
    let proof =
        || Event::Delivered { parcel: Parcel::Verdict(id(1)), proof: "tool_result call_1".into(), at: Timestamp(3000) };
    let story = given([asked(&q(1)), answered(&q(1), yes(), ann(), 1)]).at(3);
    let story = story.when(returned(1, result.clone())).then([result.clone().event(), proof()]);
    story.at(4).when(returned(1, result.clone())).no_news();
    given([asked(&q(1))]).when(returned(1, result)).refused_as(Refusal::NotSettled(id(1)));
}

#[test]
fn what_stays_answerable_late_is_delivered_once_as_well() {
    let dated = q(1).until(10);
    for settled in [expired(&dated, 10), ruled(&dated, "r", yes(), 1)] {
        let story = given([asked(&dated), settled]).when(hand(1)).then([handed(1, 1)]);
        let story = story.at(12).when(deliver(1)).then([delivered(1, 12)]);
        story.at(13).when(deliver(1)).no_news().when(hand(1)).no_news();
    }
}

#[test]
fn nothing_is_handed_over_before_it_is_settled() {
    let ask = q(1).undo(5);
    for story in [vec![asked(&ask)], vec![asked(&ask), proposed(1, yes(), ann(), 5)]] {
        let story = given(story).when(hand(1)).refused_as(Refusal::NotSettled(id(1)));
        story.when(deliver(1)).refused_as(Refusal::NotSettled(id(1)));
    }
    given([]).when(hand(1)).refused("unknown_ask").when(deliver(1)).refused("unknown_ask");
}

#[test]
fn a_message_waits_until_it_is_delivered() {
    let story = given([said(1, "hello", Some(ann()), None, 0)]);
    let story = story.when(hand_message(1)).then([message_handed(1, 1)]);
    let story = story.when(hand_message(1)).then([message_handed(1, 2)]);
    let story = story.when(unsay(1)).refused_as(Refusal::UnknownMessage(message(1)));
    let story = story.at(2).when(deliver_message(1)).then([message_delivered(1, 2)]);
    let story = story.when(deliver_message(1)).no_news().when(hand_message(1)).refused("unknown_message");
    assert_eq!(story.session.queue, []);
}
