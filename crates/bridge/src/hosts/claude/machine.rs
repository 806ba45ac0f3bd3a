//! The claude door's machine, as its host sees it.

use askbridge_core::ids::Timestamp;
use askbridge_peers::consult::OccurrenceKinds;
use askbridge_peers::doors::claude::{self, Carry, Claude};
use askbridge_peers::peer::Cx;

use super::transcript;
use crate::hosts::machine::Machine;
use crate::hosts::options::HostOptions;

impl Machine for Claude {
    const DOOR: &'static str = claude::NAME;
    const PARKED: u16 = claude::PARKED;

    type Carry = Carry;

    fn rest(&self) -> Option<Carry> {
        self.rest()
    }

    /// Words that a stop has swallowed, and that were not said again yet.
    fn leftover(&self) -> Carry {
        Carry { words: self.words().to_vec(), ..Carry::default() }
    }

    fn is_idle(&self) -> bool {
        self.is_idle()
    }

    fn parkable_until(&self) -> Option<Timestamp> {
        self.parkable_until()
    }

    fn is_parking(&self) -> bool {
        self.is_parking()
    }

    fn make_room(&mut self, cx: &mut Cx<'_>) {
        self.make_room(cx);
    }

    fn hurry(&mut self, cx: &mut Cx<'_>) {
        self.hurry(cx);
    }

    fn misses(&self, looked_at: OccurrenceKinds) -> bool {
        self.misses(looked_at)
    }

    /// Claude Code reports that a question is deferred a moment before it writes that to its transcript. Without that
    /// line, the question would not come back.
    fn is_resumable(&self, options: &HostOptions, conversation: &str) -> bool {
        self.parked_call().is_none_or(|call| transcript::has_deferred(options, conversation, call))
    }
}
