//! A node claims the session's agent process, or releases it. What a host says counts until the next claim.

use crate::event::{Event, Process};
use crate::ids::{Epoch, NodeId};
use crate::intent::Takeover;
use crate::refusal::Refusal;
use crate::session::Session;

/// Every claim starts a new epoch, so that later statements of the former host can be told apart.
pub(super) fn claim(
    session: &Session,
    node: NodeId,
    process: Option<Process>,
    takeover: Takeover,
) -> Result<Vec<Event>, Refusal> {
    match session.host {
        Some(host) if host.node != node && takeover == Takeover::OnlyIfFree => {
            Err(Refusal::HostedElsewhere { node: host.node })
        }
        _ => Ok(vec![Event::Hosted { node, epoch: Epoch(session.epoch.0 + 1), process }]),
    }
}

pub(super) fn release(session: &Session, epoch: Epoch) -> Result<Vec<Event>, Refusal> {
    match session.host {
        Some(host) if host.epoch == epoch => Ok(vec![Event::Unhosted { epoch }]),
        _ => Err(Refusal::StaleEpoch),
    }
}

/// Refuses what is said in an epoch that is over. A host that has released its session may still say what it knows: until
/// the next claim it is the last that ran the agent.
pub(super) fn in_time(session: &Session, epoch: Epoch) -> Result<(), Refusal> {
    if session.is_over_for(epoch) { Err(Refusal::StaleEpoch) } else { Ok(()) }
}
