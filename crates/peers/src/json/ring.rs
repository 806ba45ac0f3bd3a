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
    /// When the service last took a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rang_at: Option<Rfc3339>,
    /// When the device showed it, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered_at: Option<Rfc3339>,
    /// When the person tapped it, or opened the card after it rang.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<Rfc3339>,
    /// What it was about, if not asks: `turn_ended`, `agent_failed`, `expired`, `channel_failed`, `digest`, or `test`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<&'static str>,
    /// Why it did not ring, or what became of the ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How often it has rung here, this time included.
    pub times: u8,
    /// The asks that it was about, the first 20 of them. Left out on an ask itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<String>,
    /// How many more it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
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
    /// The person's device showed it.
    Delivered,
    /// The person tapped it, or opened the card after it rang.
    Seen,
    /// The ask was answered from it.
    Answered,
    /// The ask was settled elsewhere, and the message was taken back or says so.
    Closed,
}
