//! What of the runtime a key of the shelf belongs to, for what other nodes change there.

use askbridge_core::ids::AskId;

use super::{drafts, remembered, unattended};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShelfPart {
    /// Approvals that people had remembered.
    Remembered,
    /// Runs that no person attends.
    Unattended,
    /// A half-written answer.
    Draft(AskId),
}

impl ShelfPart {
    pub(crate) fn of(key: &str) -> Option<Self> {
        if let Some(draft) = key.strip_prefix(drafts::STORED) {
            return draft.rsplit('/').next()?.parse().ok().map(Self::Draft);
        }
        let remembered = [remembered::STORED, remembered::USED];
        match key {
            key if remembered.iter().any(|prefix| key.starts_with(prefix)) => Some(Self::Remembered),
            key if key.starts_with(unattended::STORED) => Some(Self::Unattended),
            _ => None,
        }
    }
}
