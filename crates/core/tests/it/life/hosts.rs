//! Which node hosts the agent's process.

use askbridge_core::event::{Event, Process};
use askbridge_core::ids::{Epoch, NodeId};
use askbridge_core::intent::{Intent, Takeover};
use askbridge_core::refusal::Refusal;

use crate::given::given;

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
