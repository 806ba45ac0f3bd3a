//! One ring of a channel as the API shows it.

use schemars::JsonSchema;
use serde::Serialize;

use super::time::Rfc3339;

/// One ring, and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Ring")]
pub struct RingJson {
    /// What the channel is called.
    pub channel: String,
    /// The service behind it: `ntfy`, `telegram`.
    pub kind: String,
    pub person: String,
    pub state: RingState,
    /// When it came to this state.
    pub at: Rfc3339,
    /// Why it did not ring, or what became of the ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How often it has rung here, this time included.
    pub times: u8,
    /// The asks that it was about. Left out on an ask itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<String>,
}

/// What became of a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RingState {
    /// It does not ring now; `why` says for which reason.
    Suppressed,
    /// It is on its way. After a restart: nothing shows whether the service took it.
    Sending,
    /// It could not be sent; it is tried again.
    Failed,
    /// The service took it.
    Sent,
    /// The ask was answered from it.
    Answered,
    /// The ask was settled elsewhere, and the message was taken back or says so.
    Closed,
}
