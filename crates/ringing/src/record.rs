//! One ring, as it is stored: before it is sent, and again with what became of it.

use std::sync::Arc;

use askbridge_core::ids::AskId;
use serde::{Deserialize, Serialize};

use crate::news::NewsKind;
use crate::notice::Ticket;

/// Earlier messages whose names a ring keeps. Beyond: the oldest is forgotten, and keeps its buttons.
const EARLIER_MAX: usize = 8;

/// One message on one channel: about one ask, or a summary of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ring {
    pub channel: String,
    /// For the log, after the channel is gone.
    pub channel_name: String,
    pub kind: String,
    pub person: String,
    /// Shared: a summary names up to ten thousand, and a ring is copied whenever it is looked at.
    #[serde(with = "shared_asks")]
    pub asks: Arc<[AskId]>,
    pub state: RingState,
    /// When it came to this state.
    pub at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How often these asks have rung here, this time included.
    pub times: u8,
    /// When the service last took a message about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rang_at: Option<i64>,
    /// When the device showed the last message, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered_at: Option<i64>,
    /// When the person first saw it: tapped the message, or opened the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<i64>,
    /// What it was about, if not asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<NewsKind>,
    /// The message's name at the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The names of the messages before it, the oldest first: they are taken back with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<String>,
    /// The messages were taken back, or say what became of the asks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub taken_back: bool,
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
    /// The person's device showed it.
    Delivered,
    /// The person tapped it, or opened the card after it rang.
    Seen,
    /// The ask was answered from it.
    Answered,
    /// The ask was settled elsewhere, and the message was taken back or says so.
    Closed,
}

/// Ids as texts, as everywhere outside of the core.
mod shared_asks {
    use std::sync::Arc;

    use askbridge_core::ids::AskId;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(asks: &[AskId], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(asks.iter().map(ToString::to_string))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[AskId]>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        let asks = texts.iter().map(|text| text.parse().map_err(|_| D::Error::custom("not an ask's id")));
        asks.collect()
    }
}

impl RingState {
    /// Can nothing more become of it?
    pub fn is_final(self) -> bool {
        matches!(self, Self::Answered | Self::Closed)
    }
}

impl Ring {
    /// Is a message out there that can be taken back?
    pub fn is_out(&self) -> bool {
        // Rings from before `rang_at` was stored have only their state.
        let rang = self.rang_at.is_some() || matches!(self.state, RingState::Sent | RingState::Answered);
        rang && !self.taken_back && self.state != RingState::Closed
    }

    /// The service took another message about it, which was begun at `began`.
    pub fn sent(&mut self, reference: Option<String>, began: i64, at: i64) {
        if let Some(new) = reference
            && let Some(old) = self.reference.replace(new).filter(|old| Some(old) != self.reference.as_ref())
        {
            self.earlier.push(old);
            let excess = self.earlier.len().saturating_sub(EARLIER_MAX);
            self.earlier.drain(..excess);
        }
        self.why = None;
        // The device may have been faster than the service's response, and a tap than both.
        if self.state == RingState::Sending {
            (self.delivered_at, self.seen_at) = (None, self.seen_at.filter(|seen| *seen >= began));
            (self.rang_at, self.at, self.state) = (Some(at), at, RingState::Sent);
        }
    }

    /// It could not be sent.
    pub fn failed(&mut self, why: String, at: i64) {
        if self.state == RingState::Sending {
            (self.state, self.why, self.at) = (RingState::Failed, Some(why), at);
        }
    }

    /// The device showed it. Returns whether that is news. It also proves that the service took it.
    pub fn delivered(&mut self, at: i64) -> bool {
        match self.state {
            RingState::Sending => (self.rang_at, self.seen_at) = (Some(at), None),
            RingState::Sent => {}
            _ => return false,
        }
        (self.delivered_at, self.state, self.at) = (Some(at), RingState::Delivered, at);
        true
    }

    /// The person saw it. Returns whether that is news. One that is on its way, or failed, was not seen there.
    pub fn seen(&mut self, at: i64) -> bool {
        if self.rang_at.is_none() || self.seen_at.is_some() {
            return false;
        }
        self.seen_at = Some(at);
        if matches!(self.state, RingState::Sent | RingState::Delivered) {
            (self.state, self.at) = (RingState::Seen, at);
        }
        true
    }
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
    /// None: that the message was shown, or seen.
    Seen,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sending(at: i64) -> Ring {
        Ring {
            channel: "ch_1".to_owned(),
            channel_name: "phone".to_owned(),
            kind: "ntfy".to_owned(),
            person: "ada".to_owned(),
            asks: [].into(),
            state: RingState::Sending,
            at,
            why: None,
            times: 1,
            rang_at: None,
            delivered_at: None,
            seen_at: None,
            about: None,
            reference: None,
            earlier: Vec::new(),
            taken_back: false,
            tickets: Vec::new(),
        }
    }

    #[test]
    fn a_ring_is_sent_then_shown_then_seen() {
        let mut ring = sending(1);
        assert!(!ring.seen(2), "a card that is opened before it rang does not show that it arrived");
        ring.sent(Some("m1".to_owned()), 1, 3);
        assert!(ring.delivered(4) && !ring.delivered(5) && ring.seen(6) && !ring.seen(7));
        assert_eq!((ring.state, ring.at), (RingState::Seen, 6));
        assert_eq!((ring.rang_at, ring.delivered_at, ring.seen_at), (Some(3), Some(4), Some(6)));
    }

    #[test]
    fn a_device_that_is_faster_than_the_services_response_proves_that_it_was_sent() {
        let mut ring = sending(1);
        assert!(ring.delivered(2) && ring.seen(3));
        ring.sent(Some("m1".to_owned()), 1, 4);
        assert_eq!((ring.state, ring.rang_at, ring.reference.as_deref()), (RingState::Seen, Some(2), Some("m1")));
        ring.failed("too late".to_owned(), 5);
        assert_eq!(ring.state, RingState::Seen);
    }

    #[test]
    fn a_reminder_is_to_be_seen_again_and_keeps_the_names_of_earlier_messages() {
        let mut ring = sending(1);
        ring.sent(Some("m0".to_owned()), 1, 1);
        ring.seen(2);
        for number in 1..=10 {
            (ring.state, ring.at) = (RingState::Sending, 10 * number);
            ring.sent(Some(format!("m{number}")), 10 * number, 10 * number);
            assert_eq!(ring.seen_at, None);
        }
        assert_eq!(ring.reference.as_deref(), Some("m10"));
        assert_eq!(ring.earlier.len(), EARLIER_MAX);
        assert_eq!(ring.earlier.last().map(String::as_str), Some("m9"));
    }

    #[test]
    fn a_ring_that_an_earlier_release_stored_can_still_be_read() {
        let old = r#"{"channel":"ch_1","channel_name":"phone","kind":"ntfy","person":"ada",
            "asks":["ask_00000000000000000000000007_1"],"state":"sent","at":5,"times":1,"reference":"m1",
            "tickets":[{"hash":"00","action":{"choose":1}},{"hash":"01","action":"allow"}]}"#;
        let ring: Ring = serde_json::from_str(old).unwrap();
        assert!(ring.is_out() && ring.asks.len() == 1);
        let again: Ring = serde_json::from_str(&serde_json::to_string(&ring).unwrap()).unwrap();
        assert_eq!(again, ring);
    }
}
