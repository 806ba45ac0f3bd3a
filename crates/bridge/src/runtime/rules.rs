//! The rules that are in force, and what they have to know of the world. They can be replaced while asks are made; each
//! ask is ruled by one version of them.

use std::sync::Arc;

use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::{LocalTime, RuleSet, Weekday};
use askbridge_platform::local_time::Zone;
use askbridge_policy::Problem;
use parking_lot::{Mutex, RwLock};

/// The rules in force.
#[derive(Debug, Default)]
pub(crate) struct RulesInForce {
    set: RwLock<Arc<RuleSet>>,
    state: Mutex<RulesState>,
    /// The operator's time zone. `None` until it is known.
    zone: RwLock<Option<Zone>>,
    /// Is a person at the machine? `None` while no rule asks for it.
    present: Mutex<Option<bool>>,
}

/// Where the rules in force come from, and what is wrong with a newer version.
#[derive(Debug, Clone, Default)]
pub(crate) struct RulesState {
    /// The rule file. `None` if there is none.
    pub(crate) file: Option<String>,
    /// When it was read.
    pub(crate) since: Option<Timestamp>,
    /// Does the file have rules that a person has yet to agree to?
    pub(crate) waits_for_tap: bool,
    /// What is wrong with the file as it is now. The rules in force are those that it had before.
    pub(crate) problems: Vec<Problem>,
}

impl RulesInForce {
    pub(crate) fn new(set: RuleSet) -> Self {
        Self { set: RwLock::new(Arc::new(set)), ..Self::default() }
    }

    /// Returns the rules as they are now.
    pub(crate) fn now(&self) -> Arc<RuleSet> {
        Arc::clone(&self.set.read())
    }

    /// Replaces the rules. Asks that are being made keep the ones that they began with.
    pub(crate) fn replace(&self, set: RuleSet) {
        *self.set.write() = Arc::new(set);
    }

    pub(crate) fn state(&self) -> RulesState {
        self.state.lock().clone()
    }

    pub(crate) fn set_state(&self, state: RulesState) {
        *self.state.lock() = state;
    }

    pub(crate) fn set_zone(&self, zone: Option<Zone>) {
        *self.zone.write() = zone;
    }

    pub(crate) fn set_present(&self, present: Option<bool>) {
        *self.present.lock() = present;
    }

    pub(crate) fn present(&self) -> Option<bool> {
        *self.present.lock()
    }

    /// The local time at a moment, if a rule looks at it.
    pub(crate) fn local(&self, rules: &RuleSet, at: Timestamp) -> Option<LocalTime> {
        if !rules.looks_at_the_time() {
            return None;
        }
        let (minute, weekday) = self.zone.read().as_ref()?.at(at.0)?;
        Some(LocalTime { minute, weekday: *Weekday::ALL.get(usize::from(weekday))? })
    }
}
