//! The agent no longer waits for an ask, or got an answer from another mouth first.

use askbridge_core::event::Event;

use crate::asks::{On, q};
use crate::facts::{
    answered, asked, delivered, expired, id, overtaken, parked, proposed, ruled, stranded, voted, withdrawn,
};
use crate::given::{Given, given};
use crate::people::{ann, won, yes};
use crate::wishes::{abandon, answer, deliver, hand, overtake, undo, withdraw};

fn settled() -> Given {
    given([asked(&q(1)), answered(&q(1), yes(), ann(), 1)])
}

#[test]
fn an_agent_can_withdraw_what_is_open() {
    for first in [vec![], vec![parked(1)], vec![stranded(1)]] {
        let story = given([asked(&q(1))].into_iter().chain(first)).at(3);
        let story = story.when(withdraw(1, "no more")).then([withdrawn(1, "no more", 3)]);
        story.when(withdraw(1, "still")).no_news().when(overtake(1)).refused("gone");
    }
    settled().when(withdraw(1, "no more")).refused_as(won(1, ann(), 1));
}

#[test]
fn an_asker_that_goes_away_takes_along_only_what_no_person_has_answered() {
    for first in [vec![], vec![parked(1)], vec![stranded(1)]] {
        let story = given([asked(&q(1))].into_iter().chain(first)).at(3);
        story.when(abandon(1, "left")).then([withdrawn(1, "left", 3)]).when(abandon(1, "left")).no_news();
    }
    let ask = q(1).undo(20);
    let undone = given([asked(&ask), proposed(1, yes(), ann(), 60)]).at(50);
    let undone = undone.when(abandon(1, "left")).refused_as(won(1, ann(), 60));
    let undone = undone.when(undo(1, ann())).then([Event::Undone { ask: id(1), by: ann() }]);
    undone.when(abandon(1, "left")).then([withdrawn(1, "left", 50)]);
    let several = q(1).quorum(2);
    given([asked(&several), voted(1, yes(), ann())]).at(5).when(abandon(1, "left")).refused("already_decided");
    settled().when(abandon(1, "left")).refused_as(won(1, ann(), 1));
}

#[test]
fn another_mouth_wins_against_whatever_the_agent_has_not_heard() {
    let dated = q(1).until(10);
    let rows = [
        given([asked(&q(1))]),
        settled(),
        given([asked(&dated), expired(&dated, 10)]),
        given([asked(&q(1)), ruled(&q(1), "r", yes(), 1)]),
    ];
    for story in rows {
        let story = story.at(12).when(overtake(1)).then([overtaken(1, 12)]).when(overtake(1)).no_news();
        let story = story.when(answer(1, yes(), ann())).refused("gone").when(withdraw(1, "x")).refused("gone");
        story.when(hand(1)).no_news().when(deliver(1)).no_news();
    }
}

#[test]
fn another_mouth_is_too_late_for_what_the_agent_has_heard() {
    settled().and(delivered(1, 2)).at(3).when(overtake(1)).refused_as(won(1, ann(), 1));
    let dated = q(1).until(10);
    given([asked(&dated), expired(&dated, 10), delivered(1, 11)]).when(overtake(1)).refused("already_decided");
}
