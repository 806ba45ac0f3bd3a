//! Assigns the process slots: which sessions have a process, which wait for one, and which is next.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use askbridge_core::event::{Event, Level, Settings};
use askbridge_core::ids::{Epoch, SessionId};
use askbridge_core::intent::Intent;
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_journal::bus::{Bus, Topic};
use askbridge_peers::wish::Rejection;
use futures_util::StreamExt;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use super::adopt::Home;
use super::evictions::{Evictions, Spare};
use super::host::ProcessEnd;
use super::kind::{StartMode, kind_of};
use super::memory::{self, MemoryWatch};
use super::options::HostOptions;
use super::spool_watcher::{self, SpoolWatcher};
use super::start::StartError;
use super::{adopt, agent_folder, need};
use crate::auth::Agents;
use crate::runtime::{Handle, chain, gone};

/// The agents that we run.
#[derive(Debug, Clone)]
pub struct Hosts(Arc<HostPool>);

#[derive(Debug)]
pub(super) struct HostPool {
    pub(super) handle: Handle,
    pub(super) options: HostOptions,
    pub(super) agents: Arc<Agents>,
    pub(super) spools: Arc<SpoolWatcher>,
    pub(super) memory: MemoryWatch,
    pub(super) stop: CancellationToken,
    /// A session waits for a slot: each agent that could leave checks whether it has to.
    pub(super) crowded: Notify,
    /// A session may wait for a slot because this node may not host now.
    held_back: Notify,
    stop_agents: AtomicBool,
    tasks: TaskTracker,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Sessions that have a process, or are about to.
    busy: HashSet<SessionId>,
    /// The queue of sessions that wait for a slot.
    queue: VecDeque<SessionId>,
    /// How many processes in a row have ended without having received anything.
    fruitless: HashMap<SessionId, u32>,
    evictions: Evictions,
    /// Agents that still ran when we stopped hosting them.
    left_running: usize,
}

impl Hosts {
    /// Takes over the running processes, then hosts sessions as they need it.
    pub async fn start(handle: Handle, options: HostOptions, agents: Arc<Agents>) -> io::Result<Self> {
        agent_folder::make_folder(&options.folder)?;
        let watch = spool_watcher::open(&options.folder)?;
        let inner = Arc::new(HostPool {
            handle,
            options,
            agents,
            spools: Arc::default(),
            memory: MemoryWatch::default(),
            stop: CancellationToken::new(),
            crowded: Notify::new(),
            held_back: Notify::new(),
            stop_agents: AtomicBool::new(false),
            tasks: TaskTracker::new(),
            state: Mutex::default(),
        });
        inner.tasks.spawn(spool_watcher::run(Arc::clone(&inner.spools), watch, inner.stop.clone()));
        inner.tasks.spawn(clean_up(Arc::clone(&inner)));
        inner.tasks.spawn(follow(Arc::clone(&inner)));
        if inner.options.memory_max.is_some() {
            inner.tasks.spawn(memory::watch(Arc::clone(&inner)));
        }
        Ok(Self(inner))
    }

    pub fn options(&self) -> &HostOptions {
        &self.0.options
    }

    /// Checks what an agent of this door would refuse at its start, and completes its settings.
    pub(crate) async fn prepare(&self, door: &str, settings: &mut Settings) -> Result<(), Rejection> {
        let none = || Rejection::Down(StartError::NoKind(door.to_owned()).to_string());
        kind_of(door).ok_or_else(none)?.prepare(&self.0.options, settings).await
    }

    /// Returns a session's position in the queue for a slot, from 1.
    pub fn position(&self, session: SessionId) -> Option<usize> {
        let state = self.0.state.lock();
        state.queue.iter().position(|waiting| *waiting == session).map(|place| place + 1)
    }

    /// Returns how many agents run here or are about to, and how many may.
    pub(crate) fn load(&self) -> (u32, u32) {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (count(self.0.state.lock().busy.len()), count(self.0.options.processes_max))
    }

    /// Parks what can be parked and leaves the rest running, or ends all agents.
    pub async fn stop(&self, agents_too: bool) {
        self.0.stop_agents.store(agents_too, Ordering::Relaxed);
        self.0.stop.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
        match self.0.state.lock().left_running {
            0 => {}
            1 => info!("1 agent runs on; the next askbridge takes it over (`serve --stop-agents` would end it)"),
            count => info!(
                "{count} agents run on; the next askbridge takes them over (`serve --stop-agents` would end them)"
            ),
        }
    }
}

impl HostPool {
    pub(super) fn stops_agents(&self) -> bool {
        self.stop_agents.load(Ordering::Relaxed)
    }

    /// Records whether a session could do without its process, and returns whether it has to.
    pub(super) fn is_to_go(&self, session: SessionId, spare: Option<Spare>) -> bool {
        let state = &mut *self.state.lock();
        state.evictions.is_to_go(session, spare, state.queue.len())
    }

    pub(super) fn stays(&self, session: SessionId) {
        self.state.lock().evictions.stays(session);
        // Another may have to go instead.
        self.crowded.notify_waiters();
    }

    /// Hosts a session whose process already runs, even if all slots are taken.
    pub(super) fn take_over(self: &Arc<Self>, session: SessionId) {
        if self.state.lock().busy.insert(session) {
            self.tasks.spawn(host(Arc::clone(self), session, StartMode::Adopt));
        }
    }

    /// Queues a session for a slot if it needs a process.
    pub(super) async fn consider(self: &Arc<Self>, session: SessionId) {
        if self.stop.is_cancelled() || self.state.lock().busy.contains(&session) {
            return;
        }
        let nodes = &self.handle.nodes;
        match self.handle.look(session, |state| need::needs_process(&state.session, nodes)).await {
            Ok(true) => {
                let mut state = self.state.lock();
                if !state.busy.contains(&session) && !state.queue.contains(&session) {
                    state.queue.push_back(session);
                }
            }
            Ok(false) => return,
            Err(error) => return warn!(session.id = %session, %error, "Could not look at a session"),
        }
        self.dispatch();
    }

    /// May this node start agents' processes, and tell them something? Not while others may take it for down, and not
    /// once it was declared gone.
    pub(super) fn may_host(&self) -> bool {
        !self.handle.nodes.is_lost() && !self.handle.nodes.is_gone()
    }

    /// Waits until starting a process was held back, and may be done now.
    async fn may_host_again(&self) {
        self.held_back.notified().await;
        while !self.may_host() {
            sleep(limits::NODE_RENEWS_EVERY).await;
        }
    }

    /// Gives free slots to the sessions that have waited longest.
    fn dispatch(self: &Arc<Self>) {
        if !self.may_host() {
            return self.held_back.notify_one();
        }
        let mut state = self.state.lock();
        while state.busy.len() < self.options.processes_max {
            let Some(session) = state.queue.pop_front() else { return };
            state.busy.insert(session);
            self.tasks.spawn(host(Arc::clone(self), session, StartMode::Start));
        }
        if !state.queue.is_empty() {
            self.crowded.notify_waiters();
        }
    }

    async fn run(self: &Arc<Self>, session: SessionId, mode: StartMode) -> Result<ProcessEnd, StartError> {
        let started = self.handle.look(session, |state| state.session.started.clone()).await?;
        let door = started.map(|started| started.door.clone()).unwrap_or_default();
        let kind = kind_of(&door).ok_or(StartError::NoKind(door))?;
        kind.host(Arc::clone(self), session, mode).await
    }

    /// Says in the session why there is no process.
    async fn complain(&self, session: SessionId, why: &str) {
        let event = Event::Notice { level: Level::Error, text: why.to_owned() };
        if let Err(error) = self.handle.record(session, None, Epoch(0), event).await {
            warn!(session.id = %session, %error, "Could not say why an agent was not started");
        }
    }

    /// Interrupts an agent that has no process: withdraws what it had asked.
    pub(super) async fn interrupt(&self, session: SessionId) {
        if self.state.lock().busy.contains(&session) {
            return;
        }
        let open = self.handle.look(session, |state| {
            let stopped_at = state.session.interrupted.map(|interruption| interruption.at);
            // Asks made after the interruption stay.
            let meant = state.session.open().filter(|live| stopped_at.is_some_and(|at| live.ask.at <= at));
            meant.map(|live| live.ask.id).collect::<Vec<_>>()
        });
        let Ok(open) = open.await else { return };
        if open.is_empty() {
            return;
        }
        let why = "the turn was interrupted".to_owned();
        let withdraw = open.into_iter().map(|ask| Intent::Withdraw { ask, why: why.clone() }).collect();
        if let Err(error) = self.handle.submit(session, withdraw).await {
            warn!(session.id = %session, %error, "Could not take back what an agent had asked");
        }
    }
}

/// Hosts one process of one session, from its start to its end.
async fn host(pool: Arc<HostPool>, session: SessionId, mode: StartMode) {
    let ended = match pool.run(session, mode).await {
        Ok(ended) => ended,
        Err(StartError::Journal(Rejection::Refused(Refusal::StaleEpoch))) => {
            adopt::evict(&pool, session, Home::Elsewhere).await;
            ProcessEnd::Displaced
        }
        Err(error) => {
            warn!(session.id = %session, %error, "Could not start an agent");
            pool.complain(session, &error.to_string()).await;
            // A retry would fail in the same way until a person does something.
            pool.state.lock().fruitless.insert(session, limits::AGENT_STARTS_MAX);
            ProcessEnd::Fruitless
        }
    };
    let again = {
        let mut state = pool.state.lock();
        state.busy.remove(&session);
        state.evictions.is_gone(session);
        match ended {
            ProcessEnd::LeftRunning => {
                state.left_running += 1;
                false
            }
            ProcessEnd::Displaced => {
                state.fruitless.remove(&session);
                false
            }
            ProcessEnd::WithProgress => {
                state.fruitless.remove(&session);
                true
            }
            ProcessEnd::Fruitless => {
                let count = state.fruitless.entry(session).or_default();
                *count += 1;
                *count < limits::AGENT_STARTS_MAX
            }
        }
    };
    pool.dispatch();
    // An interruption may have come while it was ending anyway.
    pool.interrupt(session).await;
    if again {
        pool.consider(session).await;
    }
}

/// Removes the files of forgotten sessions.
async fn clean_up(pool: Arc<HostPool>) {
    let mut gones = pool.handle.store().subscribe(Topic::Gone.into());
    loop {
        let message = tokio::select! {
            () = pool.stop.cancelled() => return,
            message = gones.next() => message,
        };
        let Some(message) = message else { return };
        let Some((sessions, _)) = gone::read(&message) else { continue };
        for session in sessions {
            if let Err(error) = agent_folder::AgentFolder::new(&pool.options.folder, session).clear_all() {
                warn!(session.id = %session, %error, "Could not remove the files of an agent that is forgotten");
            }
            pool.state.lock().fruitless.remove(&session);
        }
    }
}

/// Takes over the running processes, then starts one whenever a session needs it.
async fn follow(pool: Arc<HostPool>) {
    // Without it, it is not known which sessions are ours.
    while let Err(error) = pool.handle.find_first_node().await {
        warn!(error = chain(&error), "Could not read which node was the first; trying again");
        tokio::select! {
            () = pool.stop.cancelled() => return,
            () = sleep(limits::NODE_RENEWS_EVERY) => {}
        }
    }
    // Subscribe before reading, so that nothing in between is missed.
    pool.handle.wakeups.listen();
    adopt::adopt_all(&pool).await;
    loop {
        let woken = tokio::select! {
            () = pool.stop.cancelled() => return,
            () = pool.may_host_again() => {
                pool.dispatch();
                continue;
            }
            woken = pool.handle.wakeups.next() => woken,
        };
        for (session, wakeup) in woken {
            if wakeup.interrupted {
                pool.interrupt(session).await;
            }
            pool.state.lock().fruitless.remove(&session);
            pool.consider(session).await;
        }
    }
}
