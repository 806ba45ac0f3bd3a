//! How well a store and its index are doing: for readiness, metrics and the pages of an operator.

use std::time::Duration;

use askbridge_core::ids::{NodeId, Position, SessionId, Timestamp};

use crate::fault::Fault;
use crate::record::DecodeError;

/// Whether a node can serve from its store.
#[derive(Debug, Clone, Default)]
pub enum Health {
    /// The journal can be reached, and the index follows it. Always, if the store is on this machine.
    #[default]
    Following,
    /// The index has not applied what it knows to be stored for [`askbridge_core::limits::INDEX_BEHIND_AFTER`], or has
    /// not yet caught up after a start.
    Behind {
        by: Lag,
        /// Why it could not apply the last entries, if it failed.
        why: Option<Fault>,
    },
    /// Some of the journal could not be reached for [`askbridge_core::limits::UNREACHABLE_AFTER`].
    Unreachable { since: Duration },
    /// The index stopped at a record that this release cannot read. Only another release mends it.
    Unreadable(Unreadable),
}

impl Health {
    /// Can the node serve?
    pub fn is_good(&self) -> bool {
        matches!(self, Self::Following)
    }
}

/// How far an index is behind its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lag {
    /// Entries that are known to be stored and are not in the index. Removed entries may be counted.
    pub entries: u64,
    /// For how long the oldest of them has been known.
    pub time: Duration,
}

/// A record that this release cannot read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("could not read the record at position {}{}", position.0, whom(*node))]
pub struct Unreadable {
    pub position: Position,
    pub session: Option<SessionId>,
    /// The run of a node that wrote it. The nodes' records say which release that was.
    pub node: Option<NodeId>,
    /// The format of the record, if that could be read.
    pub format: Option<u32>,
    #[source]
    pub source: DecodeError,
}

fn whom(node: Option<NodeId>) -> String {
    node.map_or_else(String::new, |node| format!(", written by node {:016x}", node.0))
}

/// What happened to the connection to a journal's servers since this process connected.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contact {
    pub is_connected: bool,
    /// Name and version of the server that this node is connected to.
    pub server: String,
    pub version: String,
    /// How often the connection was made again.
    pub reconnects: u64,
    /// How often another server became the leader of a stream, as far as this node saw it.
    pub leader_changes: u64,
    /// Streams without a leader, when they were last asked.
    pub leaderless: u64,
    /// Copies of streams on servers that are offline or not up to date, when they were last asked.
    pub copies_behind: u64,
    pub streams: u64,
    /// How long ago a server last told us something.
    pub last_heard: Option<Duration>,
}

/// The time of a server, and how long it took to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerTime {
    pub at: Timestamp,
    pub round_trip: Duration,
}
