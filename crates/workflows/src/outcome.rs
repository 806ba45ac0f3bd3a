//! What rules make of an event.

use serde::Serialize;
use serde_json::Value;

/// The outcome of one event. Empty if no rule applies.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// The call, or the prompt, must not go ahead.
    pub block: Option<Block>,
    /// The agent must not stop yet.
    pub block_stop: Option<Block>,
    /// Texts for the agent, in the order of the rules.
    pub context: Vec<String>,
    /// Texts for the person: what a step says of itself.
    pub messages: Vec<String>,
    /// The input that the call should have instead.
    pub rewritten_input: Option<RewrittenInput>,
    /// The answer to a permission request.
    pub permission: Option<Permission>,
    pub observed: Vec<Observation>,
    /// What was evaluated, in order.
    pub trace: Vec<Trace>,
    /// A rule asked which files are changed, and the event did not say. Look, and evaluate the same event again, with the state
    /// as it was before.
    #[serde(skip)]
    pub wants_dirty_files: bool,
}

/// A rule that says no, with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Block {
    pub rule: String,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RewrittenInput {
    pub rule: String,
    /// The whole input: what the call had, with the changes.
    pub input: Value,
    /// gobby lets such a call run without a question. Whether ours does is not this crate's to decide.
    pub auto_approve: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Permission {
    pub rule: String,
    pub decision: Option<PermissionDecision>,
    pub updated_input: Option<Value>,
    pub updated_permissions: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionDecision {
    Allow,
    Deny,
}

/// What an `observe` effect notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Observation {
    pub rule: String,
    pub category: String,
    pub message: String,
}

/// One line of the trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trace {
    pub rule: String,
    pub did: Did,
    /// The variable that was set, or why a condition failed.
    pub detail: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Did {
    /// The rule's condition was false.
    NotApply,
    /// The condition could not be evaluated, and counts as true: the rule blocks.
    FailClosed,
    /// The condition could not be evaluated, and counts as false.
    FailOpen,
    Block,
    BlockStop,
    Set,
    /// A variable was too large, or one too many.
    NotSet,
    Inject,
    Rewrite,
    Permit,
    Observe,
    Transition,
    Activate,
}

impl Outcome {
    /// Does any rule say no?
    pub fn is_blocked(&self) -> bool {
        self.block.is_some() || self.block_stop.is_some()
    }
}
