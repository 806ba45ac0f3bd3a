//! What a session remembers between events.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The state of one session. It is plain data, so that it survives a restart as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionState {
    /// The variables of all rules and workflows.
    pub variables: BTreeMap<String, Value>,
    /// `SessionStart` was seen, or the first message stood in for it.
    pub is_initialized: bool,
    /// The step workflow that is active.
    pub active: Option<ActiveWorkflow>,
}

/// A step workflow and where it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActiveWorkflow {
    pub workflow: String,
    pub step: String,
    /// The actions of entering the step were done.
    pub is_entered: bool,
    pub actions_in_step: u64,
    pub actions: u64,
    /// Variables of the workflow alone, which hide those of the session.
    pub variables: BTreeMap<String, Value>,
    /// A person is asked to approve; until then every tool is blocked.
    pub approval: Option<PendingApproval>,
    /// The workflow ended itself; it restricts nothing any more.
    pub is_ended: bool,
}

/// An approval that a step waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingApproval {
    pub condition: String,
    pub prompt: String,
}
