//! Records of terms and requested terms.

use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_core::terms as core;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::Pick;
use super::text::words;

words!(OnDismissal = core::OnDismissal, { Tell TellAndStop });
words!(WhileOpen = core::WhileOpen, { Hold CancelTurn Refuse PassOn });
words!(OtherTools = core::OtherTools, { Allow ByMode Ask });

/// `"tell"`, `"tell_and_stop"` or `{"assume":[…]}`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OnExpiry<'a> {
    Tell,
    TellAndStop,
    Assume(#[serde(borrow)] Vec<Pick<'a>>),
}

/// `"hold"` or milliseconds.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Warm {
    Word(Hold),
    Ms(u64),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Hold {
    Hold,
}

/// `"forever"` or milliseconds.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Wait {
    Word(Forever),
    Ms(u64),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Forever {
    Forever,
}

/// What differs from the plain terms: no deadline, `tell` whatever happens, a warm time of ten minutes, no time to undo,
/// messages are held, asks may be parallel, other tools are asked about, and one person decides.
#[derive(Serialize, Deserialize, JsonSchema, Default)]
#[serde(default)]
pub(super) struct Terms<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<i64>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    on_expiry: Option<OnExpiry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_dismissal: Option<OnDismissal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warm: Option<Warm>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<WhileOpen>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_tools: Option<OtherTools>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quorum: Option<u8>,
}

/// Part of the stored format: these must never change, even if the default terms do.
const PLAIN: core::Terms = core::Terms {
    deadline: None,
    on_expiry: core::OnExpiry::Tell,
    on_dismissal: core::OnDismissal::Tell,
    warm: core::Warm::For(Duration::from_secs(600)),
    undo: Duration::ZERO,
    messages: core::WhileOpen::Hold,
    parallel: true,
    other_tools: core::OtherTools::Ask,
    quorum: 1,
};

#[derive(Serialize, Deserialize, JsonSchema, Default)]
#[serde(default)]
pub(super) struct Wishes<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    wait: Option<Wait>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    on_expiry: Option<OnExpiry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_dismissal: Option<OnDismissal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warm: Option<Warm>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<WhileOpen>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_tools: Option<OtherTools>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quorum: Option<u8>,
}

fn ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

impl<'a> From<&'a core::OnExpiry> for OnExpiry<'a> {
    fn from(on_expiry: &'a core::OnExpiry) -> Self {
        match on_expiry {
            core::OnExpiry::Tell => Self::Tell,
            core::OnExpiry::TellAndStop => Self::TellAndStop,
            core::OnExpiry::Assume(picks) => Self::Assume(picks.iter().map(Into::into).collect()),
        }
    }
}

impl From<OnExpiry<'_>> for core::OnExpiry {
    fn from(on_expiry: OnExpiry<'_>) -> Self {
        match on_expiry {
            OnExpiry::Tell => Self::Tell,
            OnExpiry::TellAndStop => Self::TellAndStop,
            OnExpiry::Assume(picks) => Self::Assume(picks.into_iter().map(Into::into).collect()),
        }
    }
}

impl From<core::Warm> for Warm {
    fn from(warm: core::Warm) -> Self {
        match warm {
            core::Warm::Hold => Self::Word(Hold::Hold),
            core::Warm::For(span) => Self::Ms(ms(span)),
        }
    }
}

impl From<Warm> for core::Warm {
    fn from(warm: Warm) -> Self {
        match warm {
            Warm::Word(Hold::Hold) => Self::Hold,
            Warm::Ms(ms) => Self::For(Duration::from_millis(ms)),
        }
    }
}

impl From<core::Wait> for Wait {
    fn from(wait: core::Wait) -> Self {
        match wait {
            core::Wait::Forever => Self::Word(Forever::Forever),
            core::Wait::For(span) => Self::Ms(ms(span)),
        }
    }
}

impl From<Wait> for core::Wait {
    fn from(wait: Wait) -> Self {
        match wait {
            Wait::Word(Forever::Forever) => Self::Forever,
            Wait::Ms(ms) => Self::For(Duration::from_millis(ms)),
        }
    }
}

impl<'a> From<&'a core::Terms> for Terms<'a> {
    fn from(terms: &'a core::Terms) -> Self {
        Self {
            deadline: terms.deadline.map(|at| at.0),
            on_expiry: (terms.on_expiry != PLAIN.on_expiry).then(|| (&terms.on_expiry).into()),
            on_dismissal: (terms.on_dismissal != PLAIN.on_dismissal).then(|| terms.on_dismissal.into()),
            warm: (terms.warm != PLAIN.warm).then(|| terms.warm.into()),
            undo_ms: (terms.undo != PLAIN.undo).then(|| ms(terms.undo)),
            messages: (terms.messages != PLAIN.messages).then(|| terms.messages.into()),
            parallel: (terms.parallel != PLAIN.parallel).then_some(terms.parallel),
            other_tools: (terms.other_tools != PLAIN.other_tools).then(|| terms.other_tools.into()),
            quorum: (terms.quorum != PLAIN.quorum).then_some(terms.quorum),
        }
    }
}

impl From<Terms<'_>> for core::Terms {
    fn from(terms: Terms<'_>) -> Self {
        Self {
            deadline: terms.deadline.map(Timestamp),
            on_expiry: terms.on_expiry.map_or(PLAIN.on_expiry, Into::into),
            on_dismissal: terms.on_dismissal.map_or(PLAIN.on_dismissal, Into::into),
            warm: terms.warm.map_or(PLAIN.warm, Into::into),
            undo: terms.undo_ms.map_or(PLAIN.undo, Duration::from_millis),
            messages: terms.messages.map_or(PLAIN.messages, Into::into),
            parallel: terms.parallel.unwrap_or(PLAIN.parallel),
            other_tools: terms.other_tools.map_or(PLAIN.other_tools, Into::into),
            quorum: terms.quorum.unwrap_or(PLAIN.quorum),
        }
    }
}

impl Terms<'_> {
    pub(super) fn are_plain(&self) -> bool {
        matches!(
            self,
            Self {
                deadline: None,
                on_expiry: None,
                on_dismissal: None,
                warm: None,
                undo_ms: None,
                messages: None,
                parallel: None,
                other_tools: None,
                quorum: None,
            }
        )
    }
}

impl Wishes<'_> {
    pub(super) fn are_none(&self) -> bool {
        matches!(
            self,
            Self {
                wait: None,
                on_expiry: None,
                on_dismissal: None,
                warm: None,
                undo_ms: None,
                messages: None,
                parallel: None,
                other_tools: None,
                quorum: None,
            }
        )
    }
}

impl<'a> From<&'a core::Wishes> for Wishes<'a> {
    fn from(wishes: &'a core::Wishes) -> Self {
        Self {
            wait: wishes.wait.map(Into::into),
            on_expiry: wishes.on_expiry.as_ref().map(Into::into),
            on_dismissal: wishes.on_dismissal.map(Into::into),
            warm: wishes.warm.map(Into::into),
            undo_ms: wishes.undo.map(ms),
            messages: wishes.messages.map(Into::into),
            parallel: wishes.parallel,
            other_tools: wishes.other_tools.map(Into::into),
            quorum: wishes.quorum,
        }
    }
}

impl From<Wishes<'_>> for core::Wishes {
    fn from(wishes: Wishes<'_>) -> Self {
        Self {
            wait: wishes.wait.map(Into::into),
            on_expiry: wishes.on_expiry.map(Into::into),
            on_dismissal: wishes.on_dismissal.map(Into::into),
            warm: wishes.warm.map(Into::into),
            undo: wishes.undo_ms.map(Duration::from_millis),
            messages: wishes.messages.map(Into::into),
            parallel: wishes.parallel,
            other_tools: wishes.other_tools.map(Into::into),
            quorum: wishes.quorum,
        }
    }
}
