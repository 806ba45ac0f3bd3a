//! A wake-up signal for the hosts: something happened in a session whose agent may need its process.

use std::collections::{HashMap, HashSet};

use askbridge_core::event::Event;
use askbridge_core::ids::SessionId;
use askbridge_peers::listing::hosted_door;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Which sessions to signal, and which were signalled. Bounded by the number of sessions.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    state: Mutex<State>,
    rang: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Does this server run agents?
    runs_agents: bool,
    ours: HashSet<SessionId>,
    rung: HashMap<SessionId, Ring>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ring {
    /// A person wants the agent to stop.
    pub(crate) interrupted: bool,
}

impl Bell {
    /// From now on, signals for sessions of every hosted door.
    pub(crate) fn listen(&self) {
        self.state.lock().runs_agents = true;
    }

    pub(crate) fn rings_for(&self, session: SessionId) {
        self.state.lock().ours.insert(session);
    }

    /// These sessions were forgotten.
    pub(super) fn forget(&self, sessions: &HashSet<SessionId>) {
        let mut state = self.state.lock();
        state.ours.retain(|session| !sessions.contains(session));
        state.rung.retain(|session, _| !sessions.contains(session));
    }

    pub(super) fn hear(&self, session: SessionId, event: &Event) {
        let mut state = self.state.lock();
        let interrupted = match event {
            Event::Started(started) if state.runs_agents && hosted_door(&started.door).is_some() => {
                state.ours.insert(session);
                return;
            }
            Event::Interrupted { .. } => true,
            Event::Said(_) | Event::Settled(_) | Event::Withdrawn { .. } => false,
            _ => return,
        };
        if state.ours.contains(&session) {
            state.rung.entry(session).or_default().interrupted |= interrupted;
            self.rang.notify_one();
        }
    }

    /// Waits for a signal. Returns the sessions that it is for.
    pub(crate) async fn rung(&self) -> HashMap<SessionId, Ring> {
        loop {
            let rung = std::mem::take(&mut self.state.lock().rung);
            if !rung.is_empty() {
                return rung;
            }
            self.rang.notified().await;
        }
    }
}
