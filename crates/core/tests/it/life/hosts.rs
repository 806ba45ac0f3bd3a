//! Which node hosts the agent's process.

use askbridge_core::event::{CallResult, Event, Parcel, Process};
use askbridge_core::ids::{Epoch, NodeId};
use askbridge_core::intent::{Intent, Takeover};
use askbridge_core::refusal::Refusal;

use crate::asks::{On, q};
use crate::facts::{answered, asked, id, message, said, stranded};
use crate::given::given;
use crate::people::{ann, yes};
use crate::wishes::{self as wish, answer, deliver, hand, overtake, park, returned, strand, withdraw};

const PROCESS: Option<Process> = Some(Process { pid: 7, started: 70 });

fn claim(node: u64, takeover: Takeover) -> Intent {
    Intent::Claim { node: NodeId(node), process: PROCESS, takeover }
}

fn hosted(node: u64, epoch: u32) -> Event {
    Event::Hosted { node: NodeId(node), epoch: Epoch(epoch), process: PROCESS }
}

fn release(epoch: u32) -> Intent {
    Intent::Release { epoch: Epoch(epoch) }
}

fn unhosted(epoch: u32) -> Event {
    Event::Unhosted { epoch: Epoch(epoch) }
}

#[test]
fn every_claim_opens_a_new_epoch() {
    let story = given([]).when(claim(1, Takeover::OnlyIfFree)).then([hosted(1, 1)]);
    let story = story.when(claim(1, Takeover::OnlyIfFree)).then([hosted(1, 2)]);
    let story = story.when(release(2)).then([unhosted(2)]);
    let story = story.when(claim(2, Takeover::OnlyIfFree)).then([hosted(2, 3)]);
    assert_eq!((story.session.epoch, story.session.host.map(|host| host.node)), (Epoch(3), Some(NodeId(2))));
}

#[test]
fn another_node_takes_over_only_from_a_host_that_is_gone() {
    let story = given([hosted(1, 1)]);
    let story = story.when(claim(2, Takeover::OnlyIfFree)).refused_as(Refusal::HostedElsewhere { node: NodeId(1) });
    story.when(claim(2, Takeover::HostIsGone)).then([hosted(2, 2)]);
}

#[test]
fn a_host_whose_time_is_over_releases_nothing() {
    let story = given([hosted(1, 1), hosted(2, 2)]).when(release(1)).refused_as(Refusal::StaleEpoch);
    let story = story.when(release(2)).then([unhosted(2)]);
    story.when(release(2)).refused_as(Refusal::StaleEpoch);
}

#[test]
fn what_an_earlier_host_says_is_refused() {
    let ask = q(1).resumable(10);
    let settled = answered(&ask, yes(), ann(), 5);
    let story = given([hosted(1, 1), asked(&ask), settled, said(1, "go on", None, None, 5), hosted(2, 2)]);
    let late = [
        hand(1),
        deliver(1),
        returned(1, CallResult { call: "c".into(), ok: true, output: "B".into() }),
        Intent::Hand { parcel: Parcel::Message(message(1)) },
        Intent::Deliver { parcel: Parcel::Message(message(1)), proof: "seen".into() },
        wish::ask(&q(2)),
        withdraw(1, "x"),
        overtake(1),
        park(1),
        strand(1),
        Intent::Interrupt { by: None },
        release(1),
    ];
    for intent in late {
        story.clone().when(intent.of_host(Epoch(1))).refused_as(Refusal::StaleEpoch);
    }
    let handed = Event::Handed { parcel: Parcel::Verdict(id(1)), attempt: 1 };
    story.when(hand(1).of_host(Epoch(2))).then([handed]);
}

#[test]
fn a_host_speaks_for_its_session_until_the_next_claim() {
    let ask = q(1).resumable(10);
    let story = given([hosted(1, 1)]).when(wish::ask(&ask).of_host(Epoch(1))).then([asked(&ask)]);
    // Released, not claimed by another: its last words count.
    let story = story.when(release(1)).then([unhosted(1)]);
    let story = story.when(strand(1).of_host(Epoch(1))).then([stranded(1)]);
    let story = story.when(claim(2, Takeover::OnlyIfFree)).then([hosted(2, 2)]);
    story.when(withdraw(1, "x").of_host(Epoch(1))).refused_as(Refusal::StaleEpoch);
}

#[test]
fn what_a_person_says_needs_no_epoch() {
    let story = given([hosted(1, 1), asked(&q(1)), hosted(2, 2)]).at(5);
    story.when(answer(1, yes(), ann())).then([answered(&q(1), yes(), ann(), 5)]);
}

#[test]
fn a_host_is_refused_what_the_rules_refuse_it() {
    let refused = Refusal::UnknownAsk(id(7));
    given([hosted(1, 1)]).when(strand(7).of_host(Epoch(1))).refused_as(refused);
}
