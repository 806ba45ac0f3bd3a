//! A wake-up signal for the hosts: something happened in a session whose agent may need its process.

use std::collections::{HashMap, HashSet};

use askbridge_core::event::{Event, Started};
use askbridge_core::ids::SessionId;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Which sessions to signal, and which were signalled. Bounded by the number of sessions.
#[derive(Debug, Default)]
pub(crate) struct Wakeups {
    state: Mutex<State>,
    woken: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Does this server run agents?
    runs_agents: bool,
    ours: HashSet<SessionId>,
    pending: HashMap<SessionId, Wakeup>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Wakeup {
    /// A person wants the agent to stop.
    pub(crate) interrupted: bool,
}

impl Wakeups {
    /// From now on, signals for sessions whose agents this node runs.
    pub(crate) fn listen(&self) {
        self.state.lock().runs_agents = true;
    }

    pub(crate) fn include(&self, session: SessionId) {
        self.state.lock().ours.insert(session);
    }

    /// These sessions were forgotten.
    pub(super) fn forget(&self, sessions: &HashSet<SessionId>) {
        let mut state = self.state.lock();
        state.ours.retain(|session| !sessions.contains(session));
        state.pending.retain(|session, _| !sessions.contains(session));
    }

    /// `is_ours` says whether this node runs the agent of a session that begins.
    pub(super) fn note(&self, session: SessionId, event: &Event, is_ours: impl FnOnce(&Started) -> bool) {
        let mut state = self.state.lock();
        let interrupted = match event {
            Event::Started(started) if state.runs_agents && is_ours(started) => {
                state.ours.insert(session);
                return;
            }
            Event::Interrupted { .. } => true,
            Event::Said(_) | Event::Settled(_) | Event::Withdrawn { .. } => false,
            _ => return,
        };
        if state.ours.contains(&session) {
            state.pending.entry(session).or_default().interrupted |= interrupted;
            self.woken.notify_one();
        }
    }

    /// Signals for every session: what happened meanwhile was missed.
    pub(super) fn wake_all(&self) {
        let State { ours, pending, .. } = &mut *self.state.lock();
        ours.iter().for_each(|session| pending.entry(*session).or_default().interrupted = true);
        self.woken.notify_one();
    }

    /// Waits for a signal. Returns the sessions that it is for.
    pub(crate) async fn next(&self) -> HashMap<SessionId, Wakeup> {
        loop {
            let pending = std::mem::take(&mut self.state.lock().pending);
            if !pending.is_empty() {
                return pending;
            }
            self.woken.notified().await;
        }
    }
}
