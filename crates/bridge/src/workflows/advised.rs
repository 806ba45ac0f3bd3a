//! What gobby's rules say about an event, in the words that a door understands.

use askbridge_core::answer::RulePlace;
use askbridge_workflows::{Block, Hook, Outcome, PermissionDecision};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::loaded::Loaded;

/// What comes of an event.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Advised {
    /// The call, the prompt or the stop must not go ahead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deny: Option<Ruled>,
    /// The call may run without a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) allow: Option<Ruled>,
    /// The input that the call runs with instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<Value>,
    /// What the model reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) context: Vec<String>,
}

/// A rule that decided, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Ruled {
    pub(crate) rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    /// What the agent reads. Empty for what is allowed.
    #[serde(default)]
    pub(crate) words: String,
}

impl Ruled {
    fn of(rule: &str, words: String, loaded: &Loaded) -> Self {
        let place = loaded.place(rule);
        let (file, line) = place.map_or((None, None), |place| (Some(place.file), Some(place.line)));
        Self { rule: rule.to_owned(), file, line, words }
    }

    pub(crate) fn place(&self) -> Option<RulePlace> {
        Some(RulePlace { file: self.file.clone()?, line: self.line? })
    }
}

/// May these rules let an agent do more than without them?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// They only tighten: what would allow a call, or change it, does not count.
    Tightens,
    /// A person agreed to what they allow.
    Whole,
}

impl Advised {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes what rules made of an event.
    pub(super) fn of(outcome: &Outcome, hook: &Hook, loaded: &Loaded, trust: Trust) -> Self {
        let mut advised = Self { context: outcome.context.clone(), ..Self::default() };
        let blocked = |block: &Block| Ruled::of(&block.rule, block.reason.clone(), loaded);
        match outcome.block.as_ref().or(outcome.block_stop.as_ref()) {
            Some(block) if can_be_denied(hook) => advised.deny = Some(blocked(block)),
            // What has happened cannot be stopped any more: the model reads why it should not have.
            Some(block) => advised.context.push(block.reason.clone()),
            None => {}
        }
        if let Some(permission) = &outcome.permission {
            let ruled = Ruled::of(&permission.rule, String::new(), loaded);
            match (permission.decision, trust) {
                (Some(PermissionDecision::Deny), _) => {
                    let words = "The rule gives no reason.".to_owned();
                    advised.deny = advised.deny.or(Some(Ruled { words, ..ruled }));
                }
                (Some(PermissionDecision::Allow), Trust::Whole) => {
                    advised.allow = Some(ruled);
                    advised.input = permission.updated_input.clone();
                }
                _ => {}
            }
        }
        if let (Some(rewritten), Trust::Whole) = (&outcome.rewritten_input, trust) {
            advised.input = Some(rewritten.input.clone());
            if rewritten.auto_approve {
                advised.allow = Some(Ruled::of(&rewritten.rule, String::new(), loaded));
            }
        }
        if advised.deny.is_some() {
            (advised.allow, advised.input) = (None, None);
        }
        advised
    }

    /// Adds what further rules say. They are not asked about what is denied already.
    pub(super) fn take(&mut self, next: Self) {
        self.deny = self.deny.take().or(next.deny);
        self.allow = self.allow.take().or(next.allow);
        self.input = next.input.or(self.input.take());
        self.context.extend(next.context);
        if self.deny.is_some() {
            (self.allow, self.input) = (None, None);
        }
    }
}

/// Is it an event that has not happened yet?
fn can_be_denied(hook: &Hook) -> bool {
    matches!(
        hook,
        Hook::PreToolUse(_)
            | Hook::PermissionRequest(_)
            | Hook::UserPromptSubmit { .. }
            | Hook::Stop { .. }
            | Hook::PreCompact { .. }
    )
}
