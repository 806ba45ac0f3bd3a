//! What keeps a session from being forgotten.

use askbridge_core::event::Event;
use askbridge_core::forget::Unfinished;
use askbridge_core::ids::{Epoch, MessageId, NodeId, Timestamp};
use askbridge_core::limits;

use crate::asks::{On, q};
use crate::facts::{answered, asked, closed, delivered, expired, id, message_delivered, proposed, said, withdrawn};
use crate::given::{Given, HERE, given, second};
use crate::people::{ann, yes};

fn unfinished(story: &Given, last: i64, now: Timestamp) -> Option<Unfinished> {
    story.session.unfinished(second(last), now)
}

#[test]
fn a_session_in_which_nothing_waits_may_go_closed_or_not() {
    let heard = || [asked(&q(1)), answered(&q(1), yes(), ann(), 1), delivered(1, 2)];
    let withdrawn = [asked(&q(1)), withdrawn(1, "never mind", 3)];
    for story in [given([]), given(heard()), given(heard()).and(closed(3)), given(withdrawn)] {
        assert_eq!(unfinished(&story, 3, second(3)), None, "{:?}", story.session);
    }
}

#[test]
fn whatever_waits_for_somebody_keeps_it() {
    let message = MessageId { session: HERE, number: 1 };
    let hosted = Event::Hosted { node: NodeId(1), epoch: Epoch(1), process: None };
    let cases = [
        (given([asked(&q(1))]), Unfinished::Open(id(1))),
        (given([asked(&q(1).undo(5)), proposed(1, yes(), ann(), 5)]), Unfinished::Open(id(1))),
        (given([asked(&q(1)), answered(&q(1), yes(), ann(), 1)]), Unfinished::Unheard(id(1))),
        (given([said(1, "hello", None, None, 1)]), Unfinished::Waiting(message)),
        (given([hosted]), Unfinished::Hosted),
    ];
    for (story, why) in cases {
        let years_later = second(i64::from(u32::MAX));
        assert_eq!(unfinished(&story, 1, years_later), Some(why));
    }
    let heard = given([said(1, "hello", None, None, 1), message_delivered(1, 2)]);
    assert_eq!(unfinished(&heard, 2, second(2)), None);
}

#[test]
fn a_card_that_can_only_be_answered_late_keeps_nothing() {
    let ask = q(1).until(10);
    let story = given([asked(&ask), expired(&ask, 10), delivered(1, 11)]);
    assert!(story.session.asks[&1].takes_late_answers());
    assert_eq!(unfinished(&story, 11, second(12)), None);
}

#[test]
fn what_was_not_heard_keeps_a_closed_session_for_a_month() {
    let story = given([asked(&q(1)), answered(&q(1), yes(), ann(), 1), closed(2)]);
    let later = second(2).plus(limits::UNHEARD_MAX);
    assert_eq!(unfinished(&story, 2, Timestamp(later.0 - 1)), Some(Unfinished::Unheard(id(1))));
    assert_eq!(unfinished(&story, 2, later), None);
}
