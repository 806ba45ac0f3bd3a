//! The rules that are in force. They can be replaced while asks are made; each ask is ruled by one version of them.

use std::sync::Arc;

use askbridge_core::rules::asks::RuleSet;
use parking_lot::RwLock;

/// The rules in force.
#[derive(Debug, Default)]
pub(crate) struct RulesInForce {
    set: RwLock<Arc<RuleSet>>,
}

impl RulesInForce {
    pub(crate) fn new(set: RuleSet) -> Self {
        Self { set: RwLock::new(Arc::new(set)) }
    }

    /// Returns the rules as they are now.
    pub(crate) fn now(&self) -> Arc<RuleSet> {
        Arc::clone(&self.set.read())
    }

    /// Replaces the rules. Asks that are being made keep the ones that they began with.
    pub(crate) fn replace(&self, set: RuleSet) {
        *self.set.write() = Arc::new(set);
    }
}
