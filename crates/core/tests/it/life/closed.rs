//! A session that is over: nothing new begins, and settled verdicts are still handed over.

use askbridge_core::event::{Event, Settings};
use askbridge_core::ids::NodeId;
use askbridge_core::intent::{Intent, Takeover};
use askbridge_core::refusal::Refusal;

use crate::asks::{On, q};
use crate::facts::{
    answered, answered_late, asked, closed, delivered, expired, handed, message_delivered, proposed, said, withdrawn,
};
use crate::given::{HERE, given, second};
use crate::people::{ann, yes};
use crate::wishes::{answer, ask, close, deliver, deliver_message, hand, say};

#[test]
fn closing_withdraws_every_open_ask_and_is_done_once() {
    let why = "the session was closed";
    let settled = answered(&q(3), yes(), ann(), 1);
    let story = given([asked(&q(1)), asked(&q(2).undo(5)), proposed(2, yes(), ann(), 5), asked(&q(3)), settled]);
    let story = story.at(4).when(close()).then([withdrawn(1, why, 4), withdrawn(2, why, 4), closed(4)]);
    let story = story.at(5).when(close()).no_news();
    let gone = Refusal::Gone { ask: crate::facts::id(1), why: "it was withdrawn".into(), at: second(4) };
    story.when(answer(1, yes(), ann())).refused_as(gone);
}

#[test]
fn nothing_new_begins_in_a_closed_session() {
    let set = Settings { title: Some("t".into()), ..Settings::default() };
    let wishes = [
        ask(&q(1)),
        say("hello", None),
        Intent::Interrupt { by: None },
        Intent::Configure(Box::new(set)),
        Intent::Claim { node: NodeId(1), process: None, takeover: Takeover::HostIsGone },
    ];
    for wish in wishes {
        given([closed(1)]).when(wish).refused_as(Refusal::SessionClosed(HERE));
    }
}

#[test]
fn a_closed_session_still_hands_over_what_was_settled() {
    let story = given([asked(&q(1)), answered(&q(1), yes(), ann(), 1), said(1, "x", None, None, 1), closed(2)]).at(3);
    let story = story.when(hand(1)).then([handed(1, 1)]).when(deliver(1)).then([delivered(1, 3)]);
    story.when(deliver_message(1)).then([message_delivered(1, 3)]);
}

#[test]
fn a_closed_session_still_takes_a_late_answer() {
    let ask = q(1).until(10);
    let story = given([asked(&ask), expired(&ask, 10), closed(11)]).at(20);
    let events = story.when(answer(1, yes(), ann())).decided().unwrap();
    assert_eq!(events[0], answered_late(1, yes(), ann(), 20));
    assert!(matches!(&events[1..], [Event::Said(_)]));
}
