//! Streaming text for those who watch: fast and lossy. The text that is stored later completes it.
//!
//! A node that is alone tells its subscribers directly. Only where other nodes may have subscribers does it take the bus.

use askbridge_journal::bus::{Message, Topic};
use askbridge_journal::journal::Journal;
use askbridge_peers::peer::{BlockKind, Streamed};
use serde::{Deserialize, Serialize};

use super::handle::Handle;
use super::hub_message::HubMessage;

#[derive(Serialize, Deserialize)]
struct DeltaNotice {
    session: String,
    block: u32,
    kind: BlockKind,
    offset: usize,
    text: String,
}

impl Handle {
    /// Announces how a block of text goes on.
    pub fn stream(&self, Streamed { session, block, kind, offset, text }: Streamed) {
        if self.store.exclusive() {
            return self.tell_delta(HubMessage::Delta { session, block, kind, offset, text });
        }
        let delta = DeltaNotice { session: session.to_string(), block, kind, offset, text };
        self.notify(Topic::Delta.of_session(session), &delta);
    }
}

pub(crate) fn read(message: &Message) -> Option<HubMessage> {
    let DeltaNotice { session, block, kind, offset, text } = serde_json::from_slice(&message.body).ok()?;
    Some(HubMessage::Delta { session: session.parse().ok()?, block, kind, offset, text })
}
