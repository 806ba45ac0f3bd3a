//! Fault injection for appends: each is stored, refused, lost without notice, or kills the bridge.

use std::collections::HashMap;
use std::sync::Arc;

use askbridge_core::ids::{Position, SessionId};
use askbridge_journal::Entry;
use askbridge_journal::fault::Fault;
use askbridge_journal::journal::{AppendError, Guard};
use askbridge_journal::memory::{Meddle, StoreIt};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::broken::BrokenJournal;
use crate::dice::Dice;
use crate::log::Log;
use crate::plan::{Plan, Strike, Struck};

/// How long a full disk stays full.
const FULL_MS: i64 = 4_000;
/// How long after an append with an unknown result is resolved its effects count as visible to every client.
const KNOWN_AFTER_MS: i64 = 1_000;
/// Entries larger than this are dropped by [`BrokenJournal::LosesTheLarge`].
const LARGE_BYTES: usize = 100_000;

#[derive(Debug)]
pub(crate) struct Fates {
    log: Arc<Log>,
    shares: bool,
    trouble: u32,
    strike: Option<Strike>,
    broken: Option<BrokenJournal>,
    state: Mutex<State>,
    /// Notified when the simulated process must die.
    pub(crate) kill: Notify,
}

#[derive(Debug)]
struct State {
    dice: Dice,
    calm: bool,
    full_until: Option<i64>,
    /// The entry that [`BrokenJournal::TellsBeforeAppend`] has acknowledged and not stored yet.
    behind: Option<(Arc<Entry>, Guard)>,
    newest: u64,
    appends: usize,
    /// Sessions with an append whose result was unknown, and since when it is known again.
    unsure: HashMap<SessionId, Option<i64>>,
}

impl Fates {
    pub(crate) fn new(plan: &Plan, log: Arc<Log>, broken: Option<BrokenJournal>) -> Self {
        let dice = Dice::new(plan.seed, 1);
        let state =
            State { dice, calm: false, full_until: None, behind: None, newest: 0, appends: 0, unsure: HashMap::new() };
        let (trouble, strike) = (plan.journal_trouble, plan.strike);
        Self { log, shares: plan.nodes > 1, trouble, strike, broken, state: Mutex::new(state), kill: Notify::new() }
    }

    /// Injects no more faults.
    pub(crate) fn calm_down(&self) {
        let mut state = self.state.lock();
        state.calm = true;
        state.full_until = None;
    }

    /// Drops what the life that ended had acknowledged and not stored.
    pub(crate) fn forget_unwritten(&self) {
        let mut state = self.state.lock();
        state.behind = None;
        state.unsure.clear();
    }

    /// Is it unknown, or was it until a moment ago, whether the session's last entry was stored? Clients wait for that.
    pub(crate) fn is_unsure(&self, session: SessionId) -> bool {
        let now = self.log.now().0;
        let unsure = self.state.lock().unsure.get(&session).copied();
        unsure.is_some_and(|known_since| known_since.is_none_or(|since| now < since + KNOWN_AFTER_MS))
    }

    /// Returns the position of the newest entry.
    pub(crate) fn newest(&self) -> u64 {
        self.state.lock().newest
    }

    /// Returns the number of attempted appends.
    pub(crate) fn appends(&self) -> usize {
        self.state.lock().appends
    }

    fn fate(&self, state: &mut State) -> Fate {
        let now = self.log.now().0;
        state.appends += 1;
        if let Some(strike) = self.strike.filter(|strike| strike.append == state.appends) {
            if strike.what == Struck::Full {
                state.full_until = Some(now + FULL_MS);
            }
            return strike.what.into();
        }
        if state.full_until.is_some_and(|until| now < until) {
            return Fate::Full;
        }
        if state.calm || !state.dice.in_thousand(self.trouble) {
            return Fate::Stored;
        }
        match state.dice.below(10) {
            0 => {
                state.full_until = Some(now + FULL_MS);
                Fate::Full
            }
            1 | 2 => Fate::Down,
            3 => Fate::ReadOnly,
            4 | 5 => Fate::UnknownAndLanded,
            6 | 7 => Fate::UnknownAndLost,
            8 => Fate::KilledBefore,
            _ => Fate::KilledAfter,
        }
    }

    fn store(&self, state: &mut State, entry: &Arc<Entry>, guard: Guard, store: &StoreIt<'_>) -> AppendResult {
        let told = match self.broken {
            None => store(entry, guard),
            // Reports a conflict as stored.
            Some(BrokenJournal::LosesOnConflict) => match store(entry, guard) {
                Err(AppendError::Conflict) => Ok(Position(state.newest)),
                other => other,
            },
            // Reports a large entry as stored, and drops it.
            Some(BrokenJournal::LosesTheLarge) if entry.bytes() > LARGE_BYTES => Ok(Position(state.newest)),
            Some(BrokenJournal::LosesTheLarge) => store(entry, guard),
            // Reports an entry as stored, and stores it when the next one comes.
            Some(BrokenJournal::TellsBeforeAppend) => {
                let behind = state.behind.replace((Arc::clone(entry), guard));
                if let Some((entry, guard)) = behind
                    && let Ok(position) = store(&entry, guard)
                {
                    state.newest = position.0;
                }
                Ok(Position(state.newest + 1))
            }
        };
        if let Ok(position) = &told {
            state.newest = state.newest.max(position.0);
        }
        told
    }
}

type AppendResult = Result<Position, AppendError>;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Stored,
    Full,
    Down,
    ReadOnly,
    UnknownAndLanded,
    UnknownAndLost,
    KilledBefore,
    KilledAfter,
}

impl From<Struck> for Fate {
    fn from(struck: Struck) -> Self {
        match struck {
            Struck::Full => Self::Full,
            Struck::ReadOnly => Self::ReadOnly,
            Struck::UnknownAndLanded => Self::UnknownAndLanded,
            Struck::UnknownAndLost => Self::UnknownAndLost,
            Struck::KilledBefore => Self::KilledBefore,
            Struck::KilledAfter => Self::KilledAfter,
        }
    }
}

impl Meddle for Fates {
    fn append(&self, entry: &Arc<Entry>, guard: Guard, store: &StoreIt<'_>) -> Option<AppendResult> {
        let mut state = self.state.lock();
        let fate = self.fate(&mut state);
        let fault = |why: &str| Fault::new(std::io::Error::other(why.to_owned()));
        let told = match fate {
            Fate::Stored => Some(self.store(&mut state, entry, guard, store)),
            Fate::Full => Some(Err(AppendError::Down(fault("the simulated disk is full")))),
            Fate::Down => Some(Err(AppendError::Down(fault("the simulated disk does not answer")))),
            Fate::ReadOnly => Some(Err(AppendError::ReadOnly(fault("the simulated disk is read-only")))),
            Fate::UnknownAndLost => Some(Err(AppendError::Unknown)),
            Fate::UnknownAndLanded => match self.store(&mut state, entry, guard, store) {
                Ok(_) => Some(Err(AppendError::Unknown)),
                refused => Some(refused),
            },
            Fate::KilledBefore => None,
            Fate::KilledAfter => {
                let _ = self.store(&mut state, entry, guard, store);
                None
            }
        };
        match &told {
            Some(Err(AppendError::Unknown)) => drop(state.unsure.insert(entry.session, None)),
            _ => {
                let now = self.log.now().0;
                state.unsure.entry(entry.session).and_modify(|known_since| *known_since = Some(now));
            }
        }
        drop(state);
        let events: Vec<_> = entry.events.iter().map(|written| name(&written.json)).collect();
        let said = match &told {
            Some(Ok(position)) => format!("stored at {}", position.0),
            Some(Err(error)) => format!("{fate:?}: {error}"),
            None => format!("{fate:?}"),
        };
        self.log.line("journal", Some(entry.session), format!("{} {said}", events.join(" + ")));
        if told.is_none() {
            self.kill.notify_one();
        }
        told
    }

    fn shares(&self) -> bool {
        self.shares
    }
}

/// Returns an event's type, the number of its ask, and who decided.
fn name(json: &str) -> String {
    let event: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
    let ask = event["ask"].as_str().or_else(|| event["ask"]["id"].as_str());
    let number = ask.and_then(|id| id.rsplit('_').next()).unwrap_or_default();
    let how = event["outcome"]["by"]["person"].as_str().unwrap_or_default();
    format!("{} {number} {how}", event["type"].as_str().unwrap_or("?")).trim().to_owned()
}
