//! The rules that are in force, and what they have to know of the world. They can be replaced while asks are made; each
//! ask is ruled by one version of them.

use std::sync::Arc;

use askbridge_core::ids::Timestamp;
use askbridge_core::rules::ToolPattern;
use askbridge_core::rules::asks::{AskRule, LocalTime, RuleFile, RuleSet, TermsOf, Weekday};
use askbridge_platform::local_time::Zone;
use askbridge_policy::Problem;
use parking_lot::{Mutex, RwLock};

use super::history::DecisionHistory;
use super::projects::Projects;
use super::remembered::RememberedRules;
use super::unattended::UnattendedParties;

/// The rules in force.
#[derive(Debug, Default)]
pub(crate) struct RulesInForce {
    set: RwLock<Arc<RuleSet>>,
    /// The same without what is remembered.
    ours: Mutex<Arc<RuleSet>>,
    /// What people had remembered, in force after the operator's rules.
    pub(crate) remembered: RememberedRules,
    remembered_rules: Mutex<Vec<AskRule>>,
    state: Mutex<RulesState>,
    /// The operator's time zone. `None` until it is known.
    zone: RwLock<Option<Zone>>,
    /// Is a person at the machine? `None` while no rule asks for it.
    present: Mutex<Option<bool>>,
    /// The operator's tools that always go to a person, for agents in terminals.
    always_ask: Mutex<Arc<Vec<ToolPattern>>>,
    /// How often people decided the same the same way.
    pub(crate) history: DecisionHistory,
    /// The runs that no person attends.
    pub(crate) unattended: UnattendedParties,
    /// The rule files of the projects that agents work in.
    pub(crate) projects: Projects,
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
        let set = Arc::new(set);
        Self { set: RwLock::new(Arc::clone(&set)), ours: Mutex::new(set), ..Self::default() }
    }

    pub(crate) fn set_always_ask(&self, patterns: Vec<ToolPattern>) {
        *self.always_ask.lock() = Arc::new(patterns);
    }

    pub(crate) fn always_ask(&self) -> Arc<Vec<ToolPattern>> {
        Arc::clone(&self.always_ask.lock())
    }

    /// Returns the rules as they are now.
    pub(crate) fn now(&self) -> Arc<RuleSet> {
        Arc::clone(&self.set.read())
    }

    /// Replaces the rules. Asks that are being made keep the ones that they began with.
    pub(crate) fn replace(&self, set: RuleSet) {
        let mut ours = self.ours.lock();
        *ours = Arc::new(set);
        self.put_together(&ours);
    }

    /// Replaces the rules of remembered decisions.
    pub(crate) fn set_remembered(&self, rules: Vec<AskRule>) {
        let ours = self.ours.lock();
        *self.remembered_rules.lock() = rules;
        self.put_together(&ours);
    }

    fn put_together(&self, ours: &Arc<RuleSet>) {
        let rules = self.remembered_rules.lock().clone();
        *self.set.write() = match rules.is_empty() {
            true => Arc::clone(ours),
            false => Arc::new(ours.and(RuleFile { terms: TermsOf::Every, rules })),
        };
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

    /// The minute of the day at a moment, in the operator's time zone.
    pub(crate) fn minute(&self, at: Timestamp) -> Option<u16> {
        Some(self.zone.read().as_ref()?.at(at.0)?.0)
    }

    /// The local time at a moment, if a rule of the operator or the project looks at it.
    pub(crate) fn local(&self, rules: &RuleSet, project: Option<&RuleSet>, at: Timestamp) -> Option<LocalTime> {
        if !rules.looks_at_the_time() && !project.is_some_and(RuleSet::looks_at_the_time) {
            return None;
        }
        let (minute, weekday) = self.zone.read().as_ref()?.at(at.0)?;
        Some(LocalTime { minute, weekday: *Weekday::ALL.get(usize::from(weekday))? })
    }
}
