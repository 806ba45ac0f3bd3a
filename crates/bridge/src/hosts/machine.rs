//! What a host has to know of the machine that speaks with its process.

use askbridge_core::ids::Timestamp;
use askbridge_peers::peer::{Cx, Peer};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::options::HostOptions;

/// A machine with a process of ours behind it. One per hosted door.
pub(super) trait Machine: Peer + Sized + 'static {
    /// The door's name, in the listing, in sessions and in asks.
    const DOOR: &'static str;
    /// The code with which the machine hangs up so that its process ends and its session goes on.
    const PARKED: u16;

    /// What a machine has to know of the one before it. Kept in a file beside the process.
    type Carry: Clone + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync;

    /// Returns what a machine that starts afresh here has to know, if one could: between turns, with nothing pending.
    fn rest(&self) -> Option<Self::Carry>;

    /// Returns what outlives the process, once that is gone.
    fn leftover(&self) -> Self::Carry;

    /// Can the process be let go until a person says something?
    fn is_idle(&self) -> bool;

    /// Until when a question keeps the process that could be parked at once. `None`: there is none.
    fn parkable_until(&self) -> Option<Timestamp>;

    /// Is a question on its way to be parked?
    fn is_parking(&self) -> bool;

    /// Parks the question that waits, because the process is wanted elsewhere.
    fn make_room(&mut self, cx: &mut Cx<'_>);

    /// Parks what can be parked, now and from now on, because the host is about to end.
    fn hurry(&mut self, cx: &mut Cx<'_>);

    /// Has the agent written down what it needs to go on after its process has ended?
    fn is_resumable(&self, options: &HostOptions, conversation: &str) -> bool;
}
