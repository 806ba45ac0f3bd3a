//! One ring, as it is stored: before it is sent, and again with what became of it.

use serde::{Deserialize, Serialize};

use crate::notice::Ticket;

/// One message on one channel: about one ask, or a summary of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ring {
    pub channel: String,
    /// For the log, after the channel is gone.
    pub channel_name: String,
    pub kind: String,
    pub person: String,
    pub asks: Vec<String>,
    pub state: RingState,
    /// When it came to this state.
    pub at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How often these asks have rung here, this time included.
    pub times: u8,
    /// The message's name at the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tickets: Vec<TicketRecord>,
}

/// What became of a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RingState {
    /// It does not ring now; `why` says for which reason.
    Suppressed,
    /// It is on its way. Found so after a restart: nothing shows whether the service took it.
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

/// A ticket, hashed, and the decision that it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketRecord {
    /// SHA-256 of the ticket, in hex.
    pub hash: String,
    pub action: Action,
    /// It was used, and the decision counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub used: bool,
}

/// A decision that a ticket stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The option with this index, from 0, of the only question.
    Choose(usize),
    Allow,
    Deny,
    /// The options that were marked before.
    Done,
    /// The words that come with it.
    Words,
}

impl Ticket {
    /// Makes a ticket of random bytes.
    pub fn of(random: u128) -> Self {
        Self(format!("{random:032x}"))
    }

    pub fn hash(&self) -> String {
        let digest = ring::digest::digest(&ring::digest::SHA256, self.0.as_bytes());
        digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
