//! Messages from one connection of a dialect to the others in a session, over the bus: fast and lossy, never stored.

use askbridge_core::ids::SessionId;
use askbridge_journal::bus::{Message, Topic};
use serde::{Deserialize, Serialize};

use super::handle::Handle;
use super::hub_message::HubMessage;

#[derive(Serialize, Deserialize)]
struct WhisperNotice {
    session: String,
    dialect: String,
    words: String,
}

impl Handle {
    /// Tells every connection of this dialect that watches the session.
    pub(crate) fn whisper(&self, dialect: &str, session: SessionId, words: &str) {
        let whisper =
            WhisperNotice { session: session.to_string(), dialect: dialect.to_owned(), words: words.to_owned() };
        self.notify(Topic::Whisper.of_session(session), &whisper);
    }
}

pub(crate) fn read(message: &Message) -> Option<HubMessage> {
    let WhisperNotice { session, dialect, words } = serde_json::from_slice(&message.body).ok()?;
    Some(HubMessage::Whisper { session: session.parse().ok()?, dialect, words })
}
