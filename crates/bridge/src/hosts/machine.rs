//! What a host needs of the machine that talks to its process.

use askbridge_core::ids::Timestamp;
use askbridge_peers::consult::OccurrenceKinds;
use askbridge_peers::peer::{Cx, Peer};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::options::HostOptions;

/// A machine whose other side is a process of ours. One per hosted door.
pub(super) trait Machine: Peer + Sized + 'static {
    /// The door's name, in the listing, in sessions and in asks.
    const DOOR: &'static str;
    /// The code with which the machine hangs up so that its process ends and its session goes on.
    const PARKED: u16;

    /// What a machine needs to know of its predecessor. Kept in a file beside the process.
    type Carry: Clone + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync;

    /// Returns what a new machine would need to go on from here, if it could: between turns, with nothing pending.
    fn rest(&self) -> Option<Self::Carry>;

    /// Returns what outlives the process.
    fn leftover(&self) -> Self::Carry;

    /// Can the process be ended until a person says something?
    fn is_idle(&self) -> bool;

    /// Until when an open question keeps the process, if it could be parked at once. `None`: there is no such question.
    fn parkable_until(&self) -> Option<Timestamp>;

    /// Is a question being parked?
    fn is_parking(&self) -> bool;

    /// Parks the waiting question, because another session needs the slot.
    fn make_room(&mut self, cx: &mut Cx<'_>);

    /// Parks what can be parked, now and from now on, because the host is about to end.
    fn hurry(&mut self, cx: &mut Cx<'_>);

    /// Does its process not report everything that the advisers look at now? A new one would.
    fn misses(&self, looked_at: OccurrenceKinds) -> bool;

    /// Has the agent written what it needs to be resumed after its process has ended?
    fn is_resumable(&self, options: &HostOptions, conversation: &str) -> bool;
}
