//! The handle to the runtime: its only entrance, and cheap to clone.

use std::collections::{BTreeMap, HashSet};
use std::ops::Deref;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use askbridge_core::Session;
use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, NodeId, PartyId, Position, SessionId, StableNodeId, Timestamp};
use askbridge_core::intent::Intent;
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::rules::ToolPattern;
use askbridge_core::rules::asks::RuleSet;
use askbridge_core::terms::Rules;
use askbridge_journal::journal::Journal;
use askbridge_journal::shelf::Shelf;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::warn;

use super::cache::Cache;
use super::ends::Ends;
use super::error::chain;
use super::flush::{self, Unwritten};
use super::hub::{self, Hub};
use super::open_bytes::OpenBytes;
use super::rules::RulesInForce;
use super::store::Store;
use super::timers::{self, Timer};
use super::wakeups::Wakeups;
use crate::auth::{Access, party_of};
use crate::chance::Chance;
use crate::clock::Clock;
use crate::cluster::Nodes;
use crate::meters::Meters;
use crate::traces::{Collector, Resource, Telling, Tracer, tracer};
use crate::workflows::WorkflowsInForce;

/// What a bridge is made of.
#[derive(Debug)]
pub struct Options {
    pub store: Store,
    pub stable_node: StableNodeId,
    pub clock: Clock,
    pub chance: Chance,
    /// The rules of the settings; [`Handle::use_rules`] replaces them.
    pub rules: Rules,
}

/// The rules that a bridge uses: [`askbridge_core::decide()`], except in experiments with others.
pub type Decide = fn(&Session, Intent, Timestamp) -> Result<Vec<Event>, Refusal>;

/// Submits wishes and follows what happens.
#[derive(Debug, Clone)]
pub struct Handle(Arc<Inner>);

#[derive(Debug)]
pub struct Inner {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) chance: Chance,
    pub(crate) rules: RulesInForce,
    /// gobby's rules, which drive sessions.
    pub(crate) workflows: WorkflowsInForce,
    pub(crate) decide: Decide,
    /// The run id: in entries, their ids, and claims.
    pub(crate) node: NodeId,
    /// The nodes that share the journal, this one among them.
    pub nodes: Nodes,
    /// Entries that this node has made, which number the next one's id.
    pub(crate) entries_made: AtomicU64,
    pub(crate) cache: Cache,
    pub(crate) meters: Meters,
    traces: OnceLock<Arc<Tracer>>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) ends: Arc<Ends>,
    pub(crate) timer: Timer,
    pub(crate) wakeups: Wakeups,
    /// How far clients of other systems have come in their sessions, until it is on the shelf.
    pub(crate) unkept_seen: Mutex<BTreeMap<String, Position>>,
    /// How many connections of each dialect are in each session.
    pub(crate) present: Mutex<BTreeMap<(&'static str, SessionId), usize>>,
    /// Notified when the last of them has left a session.
    pub(crate) left: tokio::sync::Notify,
    pub(crate) accesses: Mutex<foldhash::HashMap<SessionId, Arc<Access>>>,
    pub(crate) open_bytes: OpenBytes,
    pub(crate) unwritten: Unwritten,
    /// Notified when something was forgotten, for the task that shrinks the store.
    pub(crate) freed: tokio::sync::Notify,
    /// Held while sessions are forgotten.
    pub(crate) forgetting: tokio::sync::Mutex<()>,
    /// Asks that may have a draft, so that deciding one without a draft costs nothing.
    pub(crate) drafted: Mutex<HashSet<AskId>>,
}

/// A running bridge. Stops when told to.
#[derive(Debug)]
pub struct Bridge {
    pub handle: Handle,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Deref for Handle {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Handle {
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The id by which this node is known across restarts.
    pub fn stable_node(&self) -> StableNodeId {
        self.nodes.here()
    }

    /// The id of the token in the token file. Where nodes share a journal, each machine has its own.
    pub fn local_token_id(&self) -> String {
        match self.nodes.is_alone() {
            true => "local".to_owned(),
            false => format!("local-{}", self.nodes.here()),
        }
    }

    /// The party of that token, and of programs on the local socket.
    pub(crate) fn local_party(&self) -> PartyId {
        party_of(&self.local_token_id())
    }

    /// From now on, calls of these tools in terminals always go to a person.
    pub fn always_ask(&self, patterns: Vec<ToolPattern>) {
        self.rules.set_always_ask(patterns);
    }

    /// Puts other rules in force.
    pub fn use_rules(&self, rules: RuleSet) {
        self.rules.replace(rules);
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The tracer, if there is a collector.
    pub(crate) fn traces(&self) -> Option<&Tracer> {
        self.traces.get().map(|tracer| &**tracer)
    }

    pub fn chance(&self) -> &Chance {
        &self.chance
    }

    /// Returns a cursor to follow everything that happens from now on.
    pub fn cursor(&self) -> String {
        self.store.now().to_string()
    }
}

impl Bridge {
    pub async fn start(options: Options) -> Self {
        Self::start_with(options, askbridge_core::decide).await
    }

    /// Starts a bridge with other rules, to test whether a check would notice.
    pub async fn start_with(options: Options, decide: Decide) -> Self {
        let Options { store, stable_node, clock, chance, rules } = options;
        let from = store.now();
        let node = NodeId(chance.u64());
        let handle = Handle(Arc::new(Inner {
            node,
            nodes: Nodes::new(stable_node, node, store.exclusive()),
            entries_made: AtomicU64::new(0),
            cache: Cache::new(),
            meters: Meters::new(clock.now()),
            traces: OnceLock::new(),
            hub: Arc::new(Hub::new(from.clone())),
            ends: Arc::default(),
            timer: Timer::default(),
            wakeups: Wakeups::default(),
            unkept_seen: Mutex::default(),
            present: Mutex::default(),
            left: tokio::sync::Notify::new(),
            accesses: Mutex::default(),
            open_bytes: OpenBytes::default(),
            unwritten: Unwritten::default(),
            freed: tokio::sync::Notify::new(),
            forgetting: tokio::sync::Mutex::default(),
            drafted: Mutex::default(),
            store,
            clock,
            chance,
            rules: RulesInForce::new(rules.into()),
            workflows: WorkflowsInForce::default(),
            decide,
        }));
        handle.find_drafts().await;
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        tasks.spawn(hub::run(handle.clone(), from, stop.clone()));
        tasks.spawn(timers::run(handle.clone(), stop.clone()));
        tasks.spawn(flush::run(handle.clone(), stop.clone()));
        tasks.spawn(sweep(handle.clone(), stop.clone()));
        tasks.spawn(let_idle_go(handle.clone(), stop.clone()));
        // In the background: a million open asks take a second to count.
        tasks.spawn(count_open(handle.clone(), stop.clone()));
        tasks.close();
        Self { handle, tasks, stop }
    }

    /// Exports traces to a collector from now on. `None` if there is one already.
    pub fn trace(&self, collector: Collector, version: &'static str) -> Option<Telling> {
        let (tracer, waiting) = tracer(self.handle.clock.clone(), self.handle.chance.clone());
        let tracer = Arc::new(tracer);
        self.handle.traces.set(Arc::clone(&tracer)).ok()?;
        let resource = Resource { version, instance: format!("{:016x}", self.handle.node.0) };
        Some(Telling::start(tracer, waiting, collector, resource))
    }

    /// Writes what is left to write and stops.
    pub async fn stop(self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}

/// Periodically evicts idle sessions from memory.
async fn let_idle_go(handle: Handle, stop: CancellationToken) {
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = tokio::time::sleep(limits::IDLE_SESSION_MAX) => {}
        }
        handle.cache.sweep();
        // Who may see a session is looked up again when needed.
        *handle.accesses.lock() = foldhash::HashMap::default();
    }
}

/// Counts the bytes of open asks, unless the server stops.
async fn count_open(handle: Handle, stop: CancellationToken) {
    tokio::select! {
        biased;
        () = stop.cancelled() => {}
        () = handle.count_open() => {}
    }
}

/// Periodically removes expired items from the shelf.
async fn sweep(handle: Handle, stop: CancellationToken) {
    loop {
        let mut swept = handle.store.sweep(handle.now()).await.map(drop);
        if !handle.store.exclusive() {
            swept = swept.and(handle.store.own().sweep(handle.now()).await.map(drop));
        }
        if let Err(error) = swept {
            warn!(error = chain(&error), "Could not sweep the shelf; trying again later");
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = tokio::time::sleep(limits::SWEEP_EVERY) => {}
        }
    }
}
