//! Deadlines: they pass, and people extend them.

use askbridge_core::intent::{Due, Intent};
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::Wait;

use crate::asks::{On, q, secs};
use crate::facts::{answered, asked, delivered, expired, extended, id, withdrawn};
use crate::given::{given, second};
use crate::people::{ann, bob, yes};
use crate::wishes::{extend, extend_for_ever, tick};

const EVERY_DUE: [Due; 3] = [Due::Expire, Due::Commit, Due::WarmOver];

#[test]
fn an_ask_expires_at_its_deadline_and_not_before() {
    let ask = q(1).until(10);
    for at in [10, 11, 1_000_000] {
        let story = given([asked(&ask)]).at(9).when(tick(1, Due::Expire)).no_news();
        story.at(at).when(tick(1, Due::Expire)).then([expired(&ask, at)]).when(tick(1, Due::Expire)).no_news();
    }
}

#[test]
fn an_ask_without_a_deadline_waits_for_ever() {
    given([asked(&q(1))]).at(1_000_000_000).when(tick(1, Due::Expire)).no_news();
}

#[test]
fn a_tick_for_what_is_settled_or_over_does_nothing() {
    let ask = q(1).until(10).undo(5).resumable(1);
    let settled = answered(&ask, yes(), ann(), 1);
    let rows = [
        vec![asked(&ask), settled.clone()],
        vec![asked(&ask), settled, delivered(1, 2)],
        vec![asked(&ask), expired(&ask, 10)],
        vec![asked(&ask), expired(&ask, 10), delivered(1, 11)],
        vec![asked(&ask), withdrawn(1, "x", 1)],
    ];
    for (events, due) in rows.iter().flat_map(|row| EVERY_DUE.map(|due| (row, due))) {
        given(events.clone()).at(100).when(tick(1, due)).no_news();
    }
    for due in EVERY_DUE {
        given([]).when(tick(1, due)).refused_as(Refusal::UnknownAsk(id(1)));
    }
}

#[test]
fn a_person_can_give_more_time() {
    let ask = q(1).until(10);
    let story = given([asked(&ask)]).at(9).when(extend(1, 60, ann())).then([extended(1, Some(70), ann())]);
    let story = story.at(10).when(tick(1, Due::Expire)).no_news();
    let story = story.when(extend(1, 30, bob())).then([extended(1, Some(100), bob())]);
    let moved = expired(&ask.until(100), 100);
    story.at(100).when(tick(1, Due::Expire)).then([moved]);
}

#[test]
fn a_person_can_take_the_deadline_away() {
    let story = given([asked(&q(1).until(10))]).when(extend_for_ever(1, ann())).then([extended(1, None, ann())]);
    let story = story.at(1_000).when(tick(1, Due::Expire)).no_news();
    story.when(extend(1, 60, ann())).no_news().when(extend_for_ever(1, ann())).no_news();
}

#[test]
fn time_cannot_be_given_by_nothing_by_more_than_a_year_or_too_late() {
    let open = || given([asked(&q(1).until(10))]);
    let by = |wait| Intent::Extend { ask: id(1), wait: Wait::For(wait), by: ann() };
    open().when(by(secs(0))).refused("bad_request");
    open().when(by(limits::WAIT_MAX + secs(1))).refused("bad_request");
    open().when(by(limits::WAIT_MAX)).then([extended(1, Some(10 + limits::WAIT_MAX.as_secs() as i64), ann())]);
    open().at(10).when(extend(1, 60, ann())).refused_as(Refusal::NotOpen(id(1)));
    let gone = Refusal::Gone { ask: id(1), why: "it was withdrawn".into(), at: second(1) };
    open().and(withdrawn(1, "x", 1)).when(extend(1, 60, ann())).refused_as(gone);
}
