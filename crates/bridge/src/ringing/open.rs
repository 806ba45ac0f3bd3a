//! Reads which asks are open, page by page: after a restart all of them that have not rung yet ring, however many.

use std::ops::ControlFlow;

use askbridge_core::event::Audience;
use askbridge_core::limits;
use askbridge_journal::index::{AskFilter, AskRow, Order, PageKey, StateFilter};
use askbridge_peers::wish::Rejection;
use askbridge_ringing::ringer::OpenAsk;
use askbridge_ringing::text::is_urgent;

use crate::runtime::Handle;

/// An ask that is open.
pub(super) struct StillOpen {
    pub(super) ask: OpenAsk,
    /// It has an answer that waits for its undo time to pass.
    pub(super) is_proposed: bool,
}

/// Returns a page of what is open, the longest waiting first, and where the next one begins.
pub(super) async fn open_asks(
    handle: &Handle,
    after: Option<PageKey>,
) -> Result<(Vec<StillOpen>, Option<PageKey>), Rejection> {
    let filter = AskFilter { states: StateFilter::Open, order: Order::LongestWaitingFirst, ..AskFilter::default() };
    let read = handle.look_up(move |index| {
        let rows = index.rows(&filter, after, limits::SNAPSHOT_ASKS_MAX)?;
        let mut next = rows.last().filter(|_| rows.len() == limits::SNAPSHOT_ASKS_MAX).map(AskRow::page_key);
        let (mut open, mut bytes) = (Vec::with_capacity(rows.len()), 0);
        index.read(&rows, |known| {
            let view = known.view();
            let (id, at, is_urgent) = (view.ask.id, view.ask.at, is_urgent(&view.ask));
            // Who may decide it is looked up below.
            let ask = OpenAsk { id, at, audience: Audience::Everyone, is_urgent };
            open.push(StillOpen { ask, is_proposed: view.undo_until.is_some() });
            bytes += known.bytes;
            if bytes < limits::READ_BYTES_MAX {
                return ControlFlow::Continue(());
            }
            next = Some(known.row.page_key());
            ControlFlow::Break(())
        })?;
        Ok((open, next))
    });
    let (mut open, next) = read.await?;
    for StillOpen { ask, .. } in &mut open {
        ask.audience = audience(handle, ask.id.session);
    }
    Ok((open, next))
}

/// Who may decide in a session.
pub(super) fn audience(handle: &Handle, session: askbridge_core::ids::SessionId) -> Audience {
    handle.access(session).map_or(Audience::Everyone, |access| access.audience.clone())
}
