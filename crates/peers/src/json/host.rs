//! The node that runs an agent, as the API shows it.

use askbridge_core::view::{HostMark, HostState};
use schemars::JsonSchema;
use serde::Serialize;

use super::time::Rfc3339;

/// The node that runs the agent, where several share the journal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Host")]
pub struct HostJson {
    pub id: String,
    /// The name by which people know it.
    pub name: String,
    /// `down`: it delivers what was decided when it is up again. `gone`: it was declared gone, and its agents do not come
    /// back.
    pub state: HostStateWord,
    /// Since when it is down, by its own clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Rfc3339>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "HostState")]
pub enum HostStateWord {
    Up,
    Down,
    Gone,
}

impl From<&HostMark> for HostJson {
    fn from(mark: &HostMark) -> Self {
        let (state, since) = match mark.state {
            HostState::Up => (HostStateWord::Up, None),
            HostState::Down { since } => (HostStateWord::Down, Some(Rfc3339(since))),
            HostState::Gone => (HostStateWord::Gone, None),
        };
        Self { id: mark.id.to_string(), name: mark.name.clone(), state, since }
    }
}
