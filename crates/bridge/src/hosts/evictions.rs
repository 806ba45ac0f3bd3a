//! Chooses which process leaves when all slots are taken and a session waits for one.
//!
//! An agent between turns leaves first. Then one whose question waits for a person: it is parked, and its process comes
//! back with the answer. A working agent is never stopped for another.

use std::collections::{HashMap, HashSet};

use askbridge_core::ids::{SessionId, Timestamp};
use tracing::info;

use super::host::Host;
use super::machine::Machine;

/// Why a process could leave. The lesser leaves first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spare {
    /// It has nothing to do.
    Idle,
    /// Its question could be parked, and will be at this time anyway.
    Parkable(Timestamp),
}

/// Which processes could leave, and which were told to.
#[derive(Debug, Default)]
pub(super) struct Evictions {
    spare: HashMap<SessionId, Spare>,
    leaving: HashSet<SessionId>,
}

impl Evictions {
    /// Records whether a session could do without its process. Returns whether it has to, with this many in the queue.
    pub(super) fn is_to_go(&mut self, session: SessionId, spare: Option<Spare>, waiting: usize) -> bool {
        let Some(spare) = spare else {
            self.spare.remove(&session);
            return false;
        };
        let before = |(other, theirs): (&SessionId, &Spare)| (*theirs, *other) < (spare, session);
        let rank = self.spare.iter().filter(|other| before((other.0, other.1))).count();
        let goes = rank < waiting.saturating_sub(self.leaving.len());
        if goes {
            self.spare.remove(&session);
            self.leaving.insert(session);
        } else {
            self.spare.insert(session, spare);
        }
        goes
    }

    /// The process stays after all: its question was answered at that moment.
    pub(super) fn stays(&mut self, session: SessionId) {
        self.leaving.remove(&session);
    }

    pub(super) fn is_gone(&mut self, session: SessionId) {
        self.spare.remove(&session);
        self.leaving.remove(&session);
    }
}

impl<M: Machine> Host<M> {
    fn spare(&self) -> Option<Spare> {
        if self.driver.hangs_up() {
            return None;
        }
        match self.driver.peer.is_idle() && self.driver.endpoint.pipe.is_empty() {
            true => Some(Spare::Idle),
            false => self.driver.peer.parkable_until().map(Spare::Parkable),
        }
    }

    /// Makes room for a session in the queue, if this one is next to leave. Returns whether it can leave at once.
    pub(super) fn makes_room(&mut self) -> bool {
        if self.making_room {
            if !self.driver.hangs_up() && !self.driver.peer.is_parking() {
                self.pool.stays(self.session);
                self.making_room = false;
            }
            return false;
        }
        let spare = self.spare();
        // Most steps are of working agents, which need not ask the pool.
        if spare.is_none() && !self.offers_room {
            return false;
        }
        self.offers_room = spare.is_some();
        self.making_room = self.pool.is_to_go(self.session, spare);
        match spare {
            Some(Spare::Idle) => self.making_room,
            Some(Spare::Parkable(_)) if self.making_room => {
                info!(session.id = %self.session, "Agent waits for a person and is parked: another session needs its place");
                self.driver.act(|machine, cx| machine.make_room(cx));
                false
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: SessionId = SessionId(1);
    const B: SessionId = SessionId(2);
    const C: SessionId = SessionId(3);

    #[test]
    fn as_many_go_as_wait_and_those_with_nothing_to_do_go_first() {
        let mut evictions = Evictions::default();
        let parkable = |at| Some(Spare::Parkable(Timestamp(at)));
        for (session, spare) in [(A, parkable(9)), (B, parkable(5)), (C, Some(Spare::Idle))] {
            assert!(!evictions.is_to_go(session, spare, 0), "nobody waits");
        }
        assert!(
            !evictions.is_to_go(A, parkable(9), 2) && evictions.is_to_go(B, parkable(5), 2),
            "C goes first, then B"
        );
        assert!(!evictions.is_to_go(A, parkable(9), 2) && evictions.is_to_go(C, Some(Spare::Idle), 2));
        evictions.is_gone(C);
        assert!(!evictions.is_to_go(A, parkable(9), 1), "B is on its way");
        evictions.stays(B);
        assert!(evictions.is_to_go(A, parkable(9), 1), "B was answered at that moment");
    }

    #[test]
    fn one_that_works_again_is_not_counted_on() {
        let mut evictions = Evictions::default();
        assert!(!evictions.is_to_go(A, Some(Spare::Idle), 0));
        assert!(!evictions.is_to_go(A, None, 1));
        assert!(evictions.is_to_go(B, Some(Spare::Parkable(Timestamp(1))), 1));
    }
}
