//! Stores content: what an agent says and does. It is announced, never decided about.

use std::sync::Arc;

use askbridge_core::event::{Event, Lane};
use askbridge_core::ids::{EntryId, Epoch, Position, SessionId};
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
        let id = id.unwrap_or_else(|| self.next_entry());
        self.record_all(session, id, epoch, vec![Written::new(event)]).await.map(drop)
    }

    /// The same for several pieces, in one entry. Returns where it is.
    pub(crate) async fn record_all(
        &self,
        session: SessionId,
        id: EntryId,
        epoch: Epoch,
        events: Vec<Written>,
    ) -> Result<Position, AppendError> {
        let (lane, at, node, prev) = (Lane::Content, self.clock.now(), self.node, Digest::ZERO);
        let entry = Entry { id, session, lane, at, node, epoch, prev, events };
        self.store.append(Arc::new(entry), Guard::Unguarded).await
    }
}
