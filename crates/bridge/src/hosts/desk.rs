//! Assigns the process slots: which sessions have a process, which wait for one, and which is next.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use askbridge_core::event::{Event, Level, Settings};
use askbridge_core::ids::{Epoch, SessionId};
use askbridge_core::intent::Intent;
use askbridge_core::limits;
use askbridge_journal::bus::{Bus, Topic};
use askbridge_peers::wish::Rejection;
use futures_util::StreamExt;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use super::claude::is_root_without_a_sandbox;
use super::eyes::{self, Eyes};
use super::host::Ended;
use super::kind::{Way, kind_of};
use super::memory::{self, Scales};
use super::options::HostOptions;
use super::room::{Room, Spare};
use super::start::StartError;
use super::{adopt, need, place};
use crate::auth::Agents;
use crate::runtime::{Handle, gone};

/// The agents that we run.
#[derive(Debug, Clone)]
pub struct Hosts(Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) handle: Handle,
    pub(super) options: HostOptions,
    pub(super) agents: Arc<Agents>,
    pub(super) eyes: Arc<Eyes>,
    pub(super) scales: Scales,
    pub(super) stop: CancellationToken,
    /// A session waits for a slot: each agent that could leave checks whether it has to.
    pub(super) crowded: Notify,
    stop_agents: AtomicBool,
    tasks: TaskTracker,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Sessions that have a process, or are about to.
    busy: HashSet<SessionId>,
    /// The queue of sessions that wait for a slot.
    line: VecDeque<SessionId>,
    /// How many processes in a row have ended without having received anything.
    fruitless: HashMap<SessionId, u32>,
    room: Room,
    /// Agents that still ran when we stopped hosting them.
    left_running: usize,
}

impl Hosts {
    /// Takes over the running processes, then hosts sessions as they need it.
    pub async fn start(handle: Handle, options: HostOptions, agents: Arc<Agents>) -> io::Result<Self> {
        place::make_folder(&options.folder)?;
        let watch = eyes::open(&options.folder)?;
        let inner = Arc::new(Inner {
            handle,
            options,
            agents,
            eyes: Arc::default(),
            scales: Scales::default(),
            stop: CancellationToken::new(),
            crowded: Notify::new(),
            stop_agents: AtomicBool::new(false),
            tasks: TaskTracker::new(),
            state: Mutex::default(),
        });
        inner.tasks.spawn(eyes::run(Arc::clone(&inner.eyes), watch, inner.stop.clone()));
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

    /// Would Claude Code refuse to skip its permissions?
    pub fn is_root_without_a_sandbox(&self) -> bool {
        is_root_without_a_sandbox(&self.0.options)
    }

    /// Checks what an agent of this door would refuse at its start, and completes its settings.
    pub(crate) async fn prepare(&self, door: &str, settings: &mut Settings) -> Result<(), Rejection> {
        let none = || Rejection::Down(StartError::NoKind(door.to_owned()).to_string());
        kind_of(door).ok_or_else(none)?.prepare(&self.0.options, settings).await
    }

    /// Returns a session's position in the queue for a slot, from 1.
    pub fn position(&self, session: SessionId) -> Option<usize> {
        let state = self.0.state.lock();
        state.line.iter().position(|waiting| *waiting == session).map(|place| place + 1)
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

impl Inner {
    pub(super) fn stops_agents(&self) -> bool {
        self.stop_agents.load(Ordering::Relaxed)
    }

    /// Records whether a session could do without its process, and returns whether it has to.
    pub(super) fn is_to_go(&self, session: SessionId, spare: Option<Spare>) -> bool {
        let state = &mut *self.state.lock();
        state.room.is_to_go(session, spare, state.line.len())
    }

    pub(super) fn stays(&self, session: SessionId) {
        self.state.lock().room.stays(session);
        // Another may have to go instead.
        self.crowded.notify_waiters();
    }

    /// Hosts a session whose process already runs, even if all slots are taken.
    pub(super) fn take_over(self: &Arc<Self>, session: SessionId) {
        if self.state.lock().busy.insert(session) {
            self.tasks.spawn(host(Arc::clone(self), session, Way::Adopt));
        }
    }

    /// Queues a session for a slot if it needs a process.
    pub(super) async fn consider(self: &Arc<Self>, session: SessionId) {
        if self.stop.is_cancelled() || self.state.lock().busy.contains(&session) {
            return;
        }
        match self.handle.look(session, |state| need::needs_process(&state.session)).await {
            Ok(true) => {
                let mut state = self.state.lock();
                if !state.busy.contains(&session) && !state.line.contains(&session) {
                    state.line.push_back(session);
                }
            }
            Ok(false) => return,
            Err(error) => return warn!(session.id = %session, %error, "Could not look at a session"),
        }
        self.dispatch();
    }

    /// Gives free slots to the sessions that have waited longest.
    fn dispatch(self: &Arc<Self>) {
        let mut state = self.state.lock();
        while state.busy.len() < self.options.processes_max {
            let Some(session) = state.line.pop_front() else { return };
            state.busy.insert(session);
            self.tasks.spawn(host(Arc::clone(self), session, Way::Start));
        }
        if !state.line.is_empty() {
            self.crowded.notify_waiters();
        }
    }

    async fn run(self: &Arc<Self>, session: SessionId, way: Way) -> Result<Ended, StartError> {
        let started = self.handle.look(session, |state| state.session.started.clone()).await?;
        let door = started.map(|started| started.door.clone()).unwrap_or_default();
        let kind = kind_of(&door).ok_or(StartError::NoKind(door))?;
        kind.host(Arc::clone(self), session, way).await
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
async fn host(desk: Arc<Inner>, session: SessionId, way: Way) {
    let ended = match desk.run(session, way).await {
        Ok(ended) => ended,
        Err(error) => {
            warn!(session.id = %session, %error, "Could not start an agent");
            desk.complain(session, &error.to_string()).await;
            // A retry would fail in the same way until a person does something.
            desk.state.lock().fruitless.insert(session, limits::AGENT_STARTS_MAX);
            Ended::Fruitless
        }
    };
    let again = {
        let mut state = desk.state.lock();
        state.busy.remove(&session);
        state.room.is_gone(session);
        match ended {
            Ended::LeftRunning => {
                state.left_running += 1;
                false
            }
            Ended::WithProgress => {
                state.fruitless.remove(&session);
                true
            }
            Ended::Fruitless => {
                let count = state.fruitless.entry(session).or_default();
                *count += 1;
                *count < limits::AGENT_STARTS_MAX
            }
        }
    };
    desk.dispatch();
    // An interruption may have come while it was ending anyway.
    desk.interrupt(session).await;
    if again {
        desk.consider(session).await;
    }
}

/// Removes the files of forgotten sessions.
async fn clean_up(desk: Arc<Inner>) {
    let mut gones = desk.handle.store().subscribe(Topic::Gone.into());
    loop {
        let message = tokio::select! {
            () = desk.stop.cancelled() => return,
            message = gones.next() => message,
        };
        let Some(message) = message else { return };
        let Some((sessions, _)) = gone::read(&message) else { continue };
        for session in sessions {
            if let Err(error) = place::Place::new(&desk.options.folder, session).clear_all() {
                warn!(session.id = %session, %error, "Could not remove the files of an agent that is forgotten");
            }
            desk.state.lock().fruitless.remove(&session);
        }
    }
}

/// Takes over the running processes, then starts one whenever a session needs it.
async fn follow(desk: Arc<Inner>) {
    // Subscribe before reading, so that nothing in between is missed.
    desk.handle.bell.listen();
    adopt::adopt_all(&desk).await;
    loop {
        let rung = tokio::select! {
            () = desk.stop.cancelled() => return,
            rung = desk.handle.bell.rung() => rung,
        };
        for (session, ring) in rung {
            if ring.interrupted {
                desk.interrupt(session).await;
            }
            desk.state.lock().fruitless.remove(&session);
            desk.consider(session).await;
        }
    }
}
