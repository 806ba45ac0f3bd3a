//! What rules remember of a session: on the shelf, so that variables and steps survive a restart.
//!
//! After a restart an agent that went on is heard again from the beginning of its turn, so the state knows which events it has
//! had: none counts twice. An event that changes nothing is not stored; it would change nothing again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use askbridge_core::ids::SessionId;
use askbridge_core::limits;
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_peers::wish::Rejection;
use askbridge_workflows::SessionState;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::advised::Advised;
use crate::auth::{hash, hex};
use crate::runtime::{Handle, down};

const STORED: &str = "workflows/";
/// Characters of an event's digest: enough that two events of a turn are not taken for one another.
const DIGEST_CHARS: usize = 12;

/// What is stored of a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct StoredState {
    /// As the operator's rules know it.
    pub(super) operator: SessionState,
    /// As the project's rules know it. Apart, because a project could otherwise switch the operator's rules off by their
    /// variables.
    pub(super) project: SessionState,
    /// Digests of the events that the state has had, oldest first.
    had: VecDeque<String>,
    /// What came of the last of them that something came of: an agent that was not told yet is told the same.
    told: VecDeque<(String, Advised)>,
}

impl StoredState {
    /// What was made of an event before. The outer `None`: it is new.
    pub(super) fn had(&self, event: &str) -> Option<Option<Advised>> {
        let event = digest(event);
        if !self.had.contains(&event) {
            return None;
        }
        Some(self.told.iter().find(|(told, _)| *told == event).map(|(_, advised)| advised.clone()))
    }

    pub(super) fn has_had(&mut self, event: &str, advised: &Advised) {
        let event = digest(event);
        if self.had.len() >= limits::WORKFLOW_EVENTS_MAX {
            self.had.pop_front();
        }
        self.had.push_back(event.clone());
        let bytes = serde_json::to_string(advised).map_or(usize::MAX, |text| text.len());
        if advised.is_empty() || bytes > limits::WORKFLOW_TOLD_BYTES_MAX {
            return;
        }
        if self.told.len() >= limits::WORKFLOW_TOLD_MAX {
            self.told.pop_front();
        }
        self.told.push_back((event, advised.clone()));
    }

    /// Is anything different that has to survive a restart?
    pub(super) fn differs(&self, before: &Self) -> bool {
        (&self.operator, &self.project, &self.told) != (&before.operator, &before.project, &before.told)
    }
}

fn digest(event: &str) -> String {
    let mut digest = hex(&hash(event));
    digest.truncate(DIGEST_CHARS);
    digest
}

/// One session's state: locked while an event is evaluated, so that events come one after the other.
pub(super) type Cell = Arc<tokio::sync::Mutex<Option<StoredState>>>;

/// The states that are in memory.
#[derive(Debug, Default)]
pub(super) struct SessionStates(Mutex<HashMap<SessionId, Cell>>);

impl SessionStates {
    pub(super) fn cell(&self, session: SessionId) -> Cell {
        let mut cells = self.0.lock();
        if cells.len() >= limits::WORKFLOW_SESSIONS_MAX && !cells.contains_key(&session) {
            cells.retain(|_, cell| Arc::strong_count(cell) > 1);
        }
        Arc::clone(cells.entry(session).or_default())
    }

    pub(super) fn forget(&self, gone: impl Fn(SessionId) -> bool) {
        self.0.lock().retain(|session, _| !gone(*session));
    }
}

impl Handle {
    /// Reads the state of a session; of one that continues another and has none yet, that of the other.
    pub(super) async fn stored_workflows(
        &self,
        session: SessionId,
        continues: Option<SessionId>,
    ) -> Result<Option<StoredState>, Rejection> {
        let mut at = Some((session, continues));
        for _ in 0..limits::WORKFLOW_LINKS_MAX {
            let Some((session, continues)) = at else { return Ok(None) };
            let stored = self.store.get(&key(session), self.clock.now()).await.map_err(down)?;
            if let Some(stored) = stored {
                // A later release may store what this one cannot read; then the rules begin anew.
                return Ok(serde_json::from_slice(&stored.value).ok());
            }
            at = match continues {
                Some(earlier) => {
                    let before = self.look(earlier, |state| state.session.started.as_ref().and_then(|it| it.continues));
                    Some((earlier, before.await?))
                }
                None => None,
            };
        }
        Ok(None)
    }

    /// Gives the state of a session that is over to the one that its conversation would go on as.
    pub(crate) async fn hand_over_workflows(&self, from: SessionId, to: SessionId) -> Result<(), Rejection> {
        match self.stored_workflows(from, None).await? {
            Some(state) if from != to => self.store_workflows(to, false, &state).await.map(drop),
            _ => Ok(()),
        }
    }

    /// Stores the state of a session. `false`: it is too large, and the one before stays.
    ///
    /// That of a session which does not exist yet is dropped after a while: it may never exist.
    pub(super) async fn store_workflows(
        &self,
        session: SessionId,
        exists: bool,
        state: &StoredState,
    ) -> Result<bool, Rejection> {
        let value = serde_json::to_vec(state).expect("a state has text keys");
        if value.len() > limits::WORKFLOW_STATE_BYTES_MAX {
            return Ok(false);
        }
        let now = self.clock.now();
        let until = (!exists).then(|| now.plus(limits::WORKFLOW_STRAY_MAX));
        self.store.put(&key(session), &value, Expect::Any, until, now).await.map_err(down)?;
        Ok(true)
    }
}

/// The session's id is a part of the key, so that the state is forgotten with the session.
fn key(session: SessionId) -> String {
    format!("{STORED}{session}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_known_again_with_what_came_of_it() {
        let mut state = StoredState::default();
        assert_eq!(state.had("a"), None);
        state.has_had("a", &Advised::default());
        let says = Advised { context: vec!["Hello".to_owned()], ..Advised::default() };
        state.has_had("b", &says);
        assert_eq!((state.had("a"), state.had("b")), (Some(None), Some(Some(says))));
        let stored = serde_json::to_string(&state).expect("it has text keys");
        assert_eq!(serde_json::from_str::<StoredState>(&stored).expect("it was just written"), state);
    }

    #[test]
    fn only_so_many_events_are_remembered() {
        let mut state = StoredState::default();
        for at in 0..=limits::WORKFLOW_EVENTS_MAX {
            let says = Advised { context: vec![at.to_string()], ..Advised::default() };
            state.has_had(&at.to_string(), &says);
        }
        assert_eq!((state.had("0"), state.had.len()), (None, limits::WORKFLOW_EVENTS_MAX));
        assert_eq!(state.told.len(), limits::WORKFLOW_TOLD_MAX);
        assert_eq!(state.had("1"), Some(None), "it is known, but no longer what came of it");
    }

    #[test]
    fn states_that_are_in_use_stay_and_forgotten_ones_go() {
        let states = SessionStates::default();
        let held = states.cell(SessionId(0));
        for at in 1..=limits::WORKFLOW_SESSIONS_MAX as u128 {
            drop(states.cell(SessionId(at)));
        }
        assert!(Arc::ptr_eq(&held, &states.cell(SessionId(0))));
        assert!(states.0.lock().len() < limits::WORKFLOW_SESSIONS_MAX);
        states.forget(|session| session == SessionId(0));
        assert!(!Arc::ptr_eq(&held, &states.cell(SessionId(0))));
    }
}
