//! This node's view of all nodes: which of them live, and what place this one has among them.
//!
//! Whether another node lives is judged by this node's own clock alone, from when it last saw the other's record change:
//! no two clocks are compared.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use askbridge_core::ids::{NodeId, StableNodeId, Timestamp};
use askbridge_core::limits;
use askbridge_journal::shelf::{Item, Revision};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::record::{NODE_PREFIX, NodeRecord, run_name};

/// The nodes that share a journal, as this one sees them. Clones share the view.
#[derive(Debug, Clone)]
pub struct Nodes(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    here: StableNodeId,
    run: NodeId,
    /// No other node can share the journal.
    alone: bool,
    /// The first node of the journal, once it was read.
    first: OnceLock<StableNodeId>,
    /// This node was declared gone.
    is_gone: AtomicBool,
    view: Mutex<View>,
}

#[derive(Debug)]
struct View {
    seen: BTreeMap<StableNodeId, Seen>,
    /// When the last successful renewal was begun. `None`: this node has not joined the others.
    renewed: Option<Instant>,
    /// By how much this node's clock is ahead of the servers', and how uncertain that is.
    clock: Option<ClockAhead>,
}

/// By how much this node's clock is ahead of the servers' clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockAhead {
    pub(super) ms: i64,
    /// Half of the round trip that measured it.
    pub(super) error_ms: i64,
}

#[derive(Debug)]
struct Seen {
    record: Arc<NodeRecord>,
    revision: Revision,
    /// When this node last saw the record change. `None`: it was old when it was first seen.
    changed: Option<Instant>,
}

/// Whether a node lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    Up,
    /// It has not renewed its record. `since` is by its own clock.
    Down {
        since: Timestamp,
    },
}

/// A node, as this one sees it.
#[derive(Debug, Clone)]
pub struct NodeView {
    pub id: StableNodeId,
    pub record: Arc<NodeRecord>,
    pub state: NodeState,
}

impl Nodes {
    pub(crate) fn new(here: StableNodeId, run: NodeId, alone: bool) -> Self {
        let view = View { seen: BTreeMap::new(), renewed: None, clock: None };
        let (first, is_gone) = (OnceLock::new(), AtomicBool::new(false));
        Self(Arc::new(Inner { here, run, alone, first, is_gone, view: Mutex::new(view) }))
    }

    /// This node.
    pub fn here(&self) -> StableNodeId {
        self.0.here
    }

    /// This run of it.
    pub fn run(&self) -> NodeId {
        self.0.run
    }

    /// Can no other node share the journal? Always so on SQLite and in memory.
    pub fn is_alone(&self) -> bool {
        self.0.alone
    }

    /// The node that runs the agents of sessions that name none, because they are older than the cluster. `None`: it
    /// was not read yet.
    pub fn first(&self) -> Option<StableNodeId> {
        self.0.first.get().copied()
    }

    pub(super) fn set_first(&self, first: StableNodeId) {
        // It never changes.
        let _ = self.0.first.set(first);
    }

    /// Was this node declared gone while it runs? It runs no agents any more, and joins again with another id at its
    /// next start.
    pub fn is_gone(&self) -> bool {
        self.0.is_gone.load(Ordering::Relaxed)
    }

    pub(super) fn set_gone(&self) {
        self.0.is_gone.store(true, Ordering::Relaxed);
    }

    /// All nodes that ever joined and were not declared gone, by id; this one too, once it has joined.
    pub fn all(&self) -> Vec<NodeView> {
        let view = self.0.view.lock();
        view.seen.iter().map(|(id, seen)| self.shown(*id, seen)).collect()
    }

    /// A node that is known.
    pub fn get(&self, id: StableNodeId) -> Option<NodeView> {
        let view = self.0.view.lock();
        view.seen.get(&id).map(|seen| self.shown(id, seen))
    }

    /// The nodes that live, this one among them, by id.
    pub fn alive(&self) -> Vec<StableNodeId> {
        let view = self.0.view.lock();
        let others = view.seen.iter().filter(|(_, seen)| seen.lives()).map(|(id, _)| *id);
        let mut alive: Vec<_> = others.filter(|id| *id != self.0.here).chain([self.0.here]).collect();
        alive.sort_unstable();
        alive
    }

    /// The place of this node among those that live; 0 is the first.
    pub fn rank(&self) -> usize {
        if self.0.alone {
            return 0;
        }
        self.alive().iter().position(|id| *id == self.0.here).unwrap_or(0)
    }

    /// The node whose run this is.
    pub fn of_run(&self, run: NodeId) -> Option<StableNodeId> {
        if run == self.0.run {
            return Some(self.0.here);
        }
        let name = run_name(run);
        self.0.view.lock().seen.iter().find(|(_, seen)| seen.record.run == name).map(|(id, _)| *id)
    }

    /// Could this node not renew its record for so long that others may have taken over what it did?
    pub fn is_lost(&self) -> bool {
        self.0.view.lock().renewed.is_some_and(|renewed| renewed.elapsed() >= limits::NODE_LOST_AFTER)
    }

    /// Is this node's clock so far off that it must not decide what is due?
    pub fn is_clock_off(&self) -> bool {
        self.0.view.lock().clock.is_some_and(ClockAhead::is_off)
    }

    /// May this node do what is due: settle what has expired, and ring?
    pub fn may_act(&self) -> bool {
        self.0.alone || (!self.is_lost() && !self.is_clock_off())
    }

    /// How long after a deadline this node settles it, so that usually only one node tries.
    pub(crate) fn rank_delay(&self) -> Duration {
        limits::RANK_DELAY * u32::try_from(self.rank()).unwrap_or(u32::MAX).min(limits::RANKS_MAX)
    }

    pub(super) fn clock(&self) -> Option<ClockAhead> {
        self.0.view.lock().clock
    }

    pub(super) fn set_clock(&self, clock: ClockAhead) {
        self.0.view.lock().clock = Some(clock);
    }

    /// The record was renewed by a write that was begun then.
    pub(super) fn renewed(&self, begun: Instant) {
        let mut view = self.0.view.lock();
        view.renewed = view.renewed.max(Some(begun));
    }

    /// Drops a node that was declared gone.
    pub(super) fn drop_node(&self, id: StableNodeId) {
        self.0.view.lock().seen.remove(&id);
    }

    /// Takes in the records that are on the shelf now.
    pub(super) fn take_in(&self, items: &[Item], now: Timestamp) {
        let mut view = self.0.view.lock();
        let mut seen = std::mem::take(&mut view.seen);
        for item in items {
            let id = item.key.strip_prefix(NODE_PREFIX).and_then(|id| id.parse().ok());
            let Some((id, record)) = id.zip(serde_json::from_slice::<NodeRecord>(&item.value).ok()) else { continue };
            let former = seen.remove(&id);
            let changed = match &former {
                Some(former) if former.revision == item.revision => former.changed,
                Some(_) => Some(Instant::now()),
                // Only here clocks are compared: a record that was old when it was first seen is of a node that is down, and
                // the next change says otherwise.
                None => {
                    let age = now.0.saturating_sub(record.renewed_at).unsigned_abs();
                    (Duration::from_millis(age) < limits::NODE_LOST_AFTER).then(Instant::now)
                }
            };
            view.seen.insert(id, Seen { record: Arc::new(record), revision: item.revision, changed });
        }
    }

    fn shown(&self, id: StableNodeId, seen: &Seen) -> NodeView {
        let state = match seen.lives() || id == self.0.here {
            true => NodeState::Up,
            false => NodeState::Down { since: Timestamp(seen.record.renewed_at) },
        };
        NodeView { id, record: Arc::clone(&seen.record), state }
    }
}

impl Seen {
    fn lives(&self) -> bool {
        self.changed.is_some_and(|changed| changed.elapsed() < limits::NODE_LOST_AFTER)
    }
}

impl ClockAhead {
    /// Is it off, whatever the error of the measurement?
    pub(super) fn is_off(self) -> bool {
        let limit = i64::try_from(limits::CLOCK_OFF_MAX.as_millis()).unwrap_or(i64::MAX);
        self.ms.saturating_abs().saturating_sub(self.error_ms) > limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: u64, revision: u64, renewed_at: i64) -> Item {
        let json = format!(
            r#"{{"name":"n{id}","run":"{}","version":"1","started_at":0,"renewed_at":{renewed_at}}}"#,
            run_name(NodeId(id * 100))
        );
        let key = format!("{NODE_PREFIX}{}", StableNodeId(id));
        Item { key, value: json.into_bytes().into(), revision: Revision(revision), expires_at: None }
    }

    const NOW: Timestamp = Timestamp(1_000_000);

    #[tokio::test(start_paused = true)]
    async fn a_node_lives_as_long_as_its_record_changes() {
        let nodes = Nodes::new(StableNodeId(2), NodeId(200), false);
        nodes.take_in(&[item(1, 1, NOW.0), item(2, 2, NOW.0), item(3, 3, NOW.0)], NOW);
        assert_eq!((nodes.alive().len(), nodes.rank()), (3, 1));
        assert_eq!(nodes.of_run(NodeId(300)), Some(StableNodeId(3)));
        tokio::time::advance(limits::NODE_LOST_AFTER / 2).await;
        // The first one is not heard of any more.
        nodes.take_in(&[item(1, 1, NOW.0), item(2, 4, NOW.0), item(3, 5, NOW.0)], NOW);
        tokio::time::advance(limits::NODE_LOST_AFTER / 2).await;
        assert_eq!((nodes.alive(), nodes.rank()), (vec![StableNodeId(2), StableNodeId(3)], 0));
        assert_eq!(nodes.get(StableNodeId(1)).unwrap().state, NodeState::Down { since: NOW });
        // It comes back.
        nodes.take_in(&[item(1, 6, NOW.0 + 9), item(2, 4, NOW.0), item(3, 5, NOW.0)], NOW);
        assert_eq!((nodes.rank(), nodes.get(StableNodeId(1)).unwrap().state), (1, NodeState::Up));
        // It was declared gone.
        nodes.take_in(&[item(2, 4, NOW.0), item(3, 5, NOW.0)], NOW);
        assert!(nodes.get(StableNodeId(1)).is_none() && nodes.rank() == 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_record_that_is_old_when_it_is_first_seen_is_of_a_node_that_is_down() {
        let nodes = Nodes::new(StableNodeId(2), NodeId(200), false);
        nodes.take_in(&[item(1, 1, NOW.0 - 60_000)], NOW);
        assert_eq!(nodes.alive(), [StableNodeId(2)]);
        nodes.take_in(&[item(1, 2, NOW.0 - 60_000)], NOW);
        assert_eq!(nodes.alive().len(), 2, "it renews, and only its clock is behind");
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_cannot_renew_stops_acting_before_others_take_over() {
        let nodes = Nodes::new(StableNodeId(2), NodeId(200), false);
        let begun = Instant::now();
        tokio::time::advance(limits::NODE_LOST_AFTER / 2).await;
        nodes.renewed(begun);
        assert!(nodes.may_act());
        tokio::time::advance(limits::NODE_LOST_AFTER / 2).await;
        assert!(!nodes.may_act(), "it counts from when the renewal was begun");
        assert!(Nodes::new(StableNodeId(2), NodeId(200), true).may_act());
    }

    #[test]
    fn a_clock_is_off_only_if_no_error_explains_it() {
        assert!(ClockAhead { ms: -3_000, error_ms: 100 }.is_off());
        assert!(!ClockAhead { ms: 3_000, error_ms: 1_500 }.is_off());
        assert!(!ClockAhead { ms: 1_900, error_ms: 0 }.is_off());
    }
}
