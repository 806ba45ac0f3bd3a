//! Stores content: what an agent says and does. It is announced, never decided about.

use std::sync::Arc;

use askbridge_core::event::{Event, Lane};
use askbridge_core::ids::{EntryId, Epoch, SessionId};
use askbridge_journal::journal::{AppendError, Guard, Journal};
use askbridge_journal::{Digest, Entry, Written};

use super::handle::Handle;

impl Handle {
    /// Stores a piece of content. If the `id` is stored already, nothing happens.
    pub(crate) async fn record(
        &self,
        session: SessionId,
        id: Option<EntryId>,
        epoch: Epoch,
        event: Event,
    ) -> Result<(), AppendError> {
        let entry = Entry {
            id: id.unwrap_or_else(|| self.next_entry()),
            session,
            lane: Lane::Content,
            at: self.clock.now(),
            node: self.node,
            epoch,
            prev: Digest::ZERO,
            events: vec![Written::new(event)],
        };
        self.store.append(Arc::new(entry), Guard::Unguarded).await.map(drop)
    }
}
