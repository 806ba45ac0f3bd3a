//! Whether a session needs its agent's process.

use askbridge_core::Session;
use askbridge_core::session::Live;
use askbridge_core::terms::WhileOpen;

use crate::cluster::Nodes;

/// Is there something that the agent can be told now: a verdict, or a message that no open ask holds back? `nodes` says
/// whether it is this node that runs it.
pub(super) fn needs_process(session: &Session, nodes: &Nodes) -> bool {
    if !is_ours(session, nodes) || session.end.is_some() {
        return false;
    }
    let untold = session.asks.values().any(|live| !live.is_open() && live.is_unfinished() && !live.stranded);
    // A message never starts the process of a parked question, even if its terms allow messages: the agent would read
    // it only after the answer.
    let holds = |live: &Live| !live.stranded && (live.parked || live.ask.terms.messages == WhileOpen::Hold);
    let holds = session.open().any(holds);
    untold || (!session.queue.is_empty() && !holds)
}

/// Does this node run the session's agent?
pub(super) fn is_ours(session: &Session, nodes: &Nodes) -> bool {
    session.started.as_ref().is_some_and(|started| nodes.hosts(started))
}
