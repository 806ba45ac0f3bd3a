//! What happens beyond each limit that a session has.

use askbridge_core::event::Event;
use askbridge_core::ids::{Epoch, NodeId, SessionId};
use askbridge_core::intent::{Intent, Takeover};
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::session::Stub;
use askbridge_core::terms::WhileOpen;

use crate::asks::{On, q};
use crate::facts::{answered, answered_late, asked, delivered, expired, id, said};
use crate::given::{Given, HERE, given, second};
use crate::people::{ann, won, yes};
use crate::wishes::{answer, ask, close, deliver, hand, say};

fn many(range: usize) -> impl Iterator<Item = u32> {
    1..=u32::try_from(range).expect("limits are small")
}

#[test]
fn beyond_the_most_open_asks_asking_is_refused_until_one_is_settled() {
    let most = limits::OPEN_ASKS_MAX;
    let story = given(many(most).map(|number| asked(&q(number))));
    let next = q(u32::try_from(most).unwrap() + 1);
    let story = story.when(ask(&next)).refused_as(Refusal::TooManyAsks { limit: most });
    let story = story.when(answer(1, yes(), ann())).then([answered(&q(1), yes(), ann(), 0)]);
    story.when(ask(&next)).then([asked(&next)]);
}

#[test]
fn whatever_ends_all_open_asks_fits_into_one_entry() {
    let cancel = |number| asked(&q(number).messages(WhileOpen::CancelTurn));
    for wish in [close(), say("stop", Some(ann()))] {
        let story = given(many(limits::OPEN_ASKS_MAX).map(cancel));
        let events = story.when(wish).decided().unwrap();
        assert!((limits::OPEN_ASKS_MAX + 1..=limits::ENTRY_EVENTS_MAX).contains(&events.len()));
    }
}

#[test]
fn beyond_the_most_waiting_messages_saying_is_refused_but_settling_is_not() {
    let ask = q(1).until(10);
    let most = limits::QUEUED_MESSAGES_MAX;
    let full = given(many(most).map(|number| said(number, "x", None, None, 0))).and(asked(&ask)).and(expired(&ask, 10));
    let full = full.when(say("one more", None)).refused_as(Refusal::TooManyMessages { limit: most });
    let full = full.at(20).when(answer(1, yes(), ann())).then_whatever();
    assert_eq!(full.session.queue.len(), most + 1);
}

#[test]
fn beyond_the_most_late_asks_the_oldest_is_closed_for_good() {
    let most = u32::try_from(limits::LATE_ASKS_MAX).unwrap();
    let late = |number| q(number).until(10);
    let events =
        (1..=most + 1).flat_map(|number| [asked(&late(number)), expired(&late(number), 10), delivered(number, 11)]);
    let story = given(events).at(20);
    let why = "too many asks of this session came after it".into();
    let story = story.when(answer(1, yes(), ann())).refused_as(Refusal::Gone { ask: id(1), why, at: second(10) });
    let events = story.when(answer(2, yes(), ann())).decided().unwrap();
    assert_eq!(events[0], answered_late(2, yes(), ann(), 20));
}

fn full() -> Given {
    let mut story = given([asked(&q(1))]);
    story.session.decisions = limits::DECISIONS_HARD_MAX;
    story
}

#[test]
fn a_full_session_takes_nothing_new() {
    for wish in [ask(&q(2)), say("hello", None), Intent::Interrupt { by: None }] {
        full().when(wish).refused_as(Refusal::SessionFull(HERE));
    }
}

#[test]
fn a_full_session_still_settles_delivers_and_goes_on_elsewhere() {
    let claim = Intent::Claim { node: NodeId(1), process: None, takeover: Takeover::OnlyIfFree };
    let story = full().when(answer(1, yes(), ann())).then([answered(&q(1), yes(), ann(), 0)]);
    let story = story.when(claim).then([Event::Hosted { node: NodeId(1), epoch: Epoch(1), process: None }]);
    let story = story.when(hand(1)).then_whatever().when(deliver(1)).then([delivered(1, 0)]);
    let to = SessionId(2);
    story.when(Intent::Continue { to }).then([Event::Continued { to, at: second(0) }]);
}

#[test]
fn an_ask_that_is_over_leaves_only_a_small_stub() {
    assert!(size_of::<Stub>() <= 48, "{}", size_of::<Stub>());
    let story = given([asked(&q(1)), answered(&q(1), yes(), ann(), 1), delivered(1, 2)]);
    assert_eq!(story.session.asks.len(), 0);
    story.when(answer(1, crate::people::no(), ann())).refused_as(won(1, ann(), 1));
}
