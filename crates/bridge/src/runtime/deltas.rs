//! Streaming text, sent over the bus to those who watch: fast and lossy. The text that is stored later completes it.

use askbridge_core::ids::SessionId;
use askbridge_journal::bus::{Message, Topic};
use askbridge_peers::peer::BlockKind;
use serde::{Deserialize, Serialize};

use super::handle::Handle;
use super::news::News;

#[derive(Serialize, Deserialize)]
struct DeltaNotice {
    session: String,
    block: u32,
    kind: BlockKind,
    offset: usize,
    text: String,
}

impl Handle {
    /// Announces that a block of text goes on with `text`, `offset` bytes from its beginning.
    pub fn stream(&self, session: SessionId, block: u32, kind: BlockKind, offset: usize, text: &str) {
        let delta = DeltaNotice { session: session.to_string(), block, kind, offset, text: text.to_owned() };
        self.notify(Topic::Delta.of_session(session), &delta);
    }
}

pub(crate) fn read(message: &Message) -> Option<News> {
    let DeltaNotice { session, block, kind, offset, text } = serde_json::from_slice(&message.body).ok()?;
    Some(News::Delta { session: session.parse().ok()?, block, kind, offset, text })
}
