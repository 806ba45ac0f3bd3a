//! How many bytes of open asks each party has: an upper bound that costs one addition, made exact before an ask is
//! refused.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use askbridge_core::event::Event;
use askbridge_core::ids::{Key, PartyId, SessionId};
use askbridge_core::limits;
use askbridge_journal::Written;
use askbridge_peers::wish::Rejection;
use parking_lot::Mutex;
use tokio::sync::OnceCell;
use tracing::warn;

use super::error::chain;
use super::handle::Handle;

/// Parties whose bytes are remembered. Beyond: those with little are dropped, and start at zero.
const PARTIES_MAX: usize = 65_536;
/// What counts as little.
const LITTLE_BYTES: u64 = 64 * 1024;

#[derive(Debug, Default)]
pub(crate) struct OpenBytes {
    /// Set once the asks that were open at the start are counted.
    counted: OnceCell<()>,
    parties: Mutex<HashMap<PartyId, PartyBytes>>,
    /// Asks that ended since this server was started.
    ended: AtomicU64,
}

#[derive(Debug, Default, Clone, Copy)]
struct PartyBytes {
    /// The open bytes when the index was last queried, plus everything asked since, whether or not it has ended.
    bytes: u64,
    /// Bytes of asks that are about to be stored or refused.
    coming: u64,
    /// The value of `ended` when the index was last queried. While it is the same, so is the index's answer.
    exact_at: Option<u64>,
}

impl OpenBytes {
    fn add(&self, party: &PartyId, bytes: u64) {
        let mut parties = self.parties.lock();
        if let Some(asked) = parties.get_mut(party) {
            asked.bytes += bytes;
            return;
        }
        if parties.len() >= PARTIES_MAX {
            parties.retain(|_, asked| asked.bytes > LITTLE_BYTES || asked.coming > 0);
        }
        parties.insert(party.clone(), PartyBytes { bytes, ..PartyBytes::default() });
    }

    /// Reserves bytes if there is room for them, so that a hundred concurrent asks are not each taken for the first.
    fn expect(&self, party: &PartyId, bytes: u64) -> Option<Coming<'_>> {
        let mut parties = self.parties.lock();
        let asked = parties.entry(party.clone()).or_default();
        asked.has_room(bytes).then(|| {
            asked.coming += bytes;
            Coming { of: self, party: party.clone(), bytes }
        })
    }

    fn asked(&self, party: &PartyId) -> PartyBytes {
        self.parties.lock().get(party).copied().unwrap_or_default()
    }

    /// Sets the open bytes to the exact value. Reservations stay.
    fn correct(&self, party: &PartyId, bytes: u64, exact_at: u64) {
        let mut parties = self.parties.lock();
        let asked = parties.entry(party.clone()).or_default();
        (asked.bytes, asked.exact_at) = (bytes, Some(exact_at));
    }

    /// Counts an entry that ended an ask.
    pub(crate) fn hear(&self, events: &[Written]) {
        let ends = |event: &Event| {
            matches!(
                event,
                Event::Settled(_) | Event::Withdrawn { .. } | Event::Overtaken { .. } | Event::Closed { .. }
            )
        };
        if events.iter().any(|written| ends(&written.event)) {
            self.ended.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A reservation. Dropped when the ask was stored or refused.
#[derive(Debug)]
pub(super) struct Coming<'a> {
    of: &'a OpenBytes,
    party: PartyId,
    bytes: u64,
}

impl Drop for Coming<'_> {
    fn drop(&mut self) {
        if let Some(asked) = self.of.parties.lock().get_mut(&self.party) {
            asked.coming = asked.coming.saturating_sub(self.bytes);
        }
    }
}

impl PartyBytes {
    /// Is there room for one more? If nothing else is open, even for one that is too large by itself.
    fn has_room(self, bytes: u64) -> bool {
        let taken = self.bytes + self.coming;
        taken == 0 || taken + bytes <= limits::OPEN_BYTES_MAX
    }
}

impl Handle {
    /// Counts what is open, once. An ask that arrives meanwhile waits for that.
    pub(crate) async fn count_open(&self) {
        self.open_bytes.counted.get_or_init(|| self.add_open()).await;
    }

    async fn add_open(&self) {
        match self.look_up(|index| index.open_bytes(None)).await {
            Ok(open) => open.iter().for_each(|(party, bytes)| self.open_bytes.add(party, *bytes)),
            Err(error) => warn!(error = chain(&error), "Could not count the bytes of what is open"),
        }
    }

    /// Refuses an ask if the party's open asks would exceed the limit. A repeat, with the same key in the same session,
    /// is not another ask. The caller holds the result until the ask is stored.
    pub(super) async fn check_open_bytes(
        &self,
        party: &PartyId,
        session: SessionId,
        key: Option<&Key>,
        bytes: u64,
    ) -> Result<Option<Coming<'_>>, Rejection> {
        if !self.open_bytes.counted.initialized() {
            Box::pin(self.count_open()).await;
        }
        match self.open_bytes.expect(party, bytes) {
            None => Box::pin(self.check_closely(party, session, key, bytes)).await,
            coming => Ok(coming),
        }
    }

    async fn check_closely(
        &self,
        party: &PartyId,
        session: SessionId,
        key: Option<&Key>,
        bytes: u64,
    ) -> Result<Option<Coming<'_>>, Rejection> {
        if let Some(key) = key {
            let session = self.newest(session).await?.session;
            if self.look(session, |state| state.session.asked_with(key)).await?.is_some() {
                return Ok(None);
            }
        }
        let ended = self.open_bytes.ended.load(Ordering::Relaxed);
        if self.open_bytes.asked(party).exact_at != Some(ended) {
            let of = party.clone();
            let open = self.look_up(move |index| index.open_bytes(Some(&of))).await?;
            let open = open.first().map_or(0, |(_, bytes)| *bytes);
            self.open_bytes.correct(party, open, ended);
            if let Some(coming) = self.open_bytes.expect(party, bytes) {
                return Ok(Some(coming));
            }
            let most = limits::OPEN_BYTES_MAX;
            warn!(open, most, "The open asks of one token have as many bytes as they may; another one is refused");
        }
        Err(Rejection::TooMuchOpen { most: limits::OPEN_BYTES_MAX })
    }

    /// Counts an ask of a party.
    pub(super) fn count_asked(&self, party: &PartyId, events: &[Written]) {
        let bytes: usize = events.iter().map(|written| written.json.len()).sum();
        self.open_bytes.add(party, bytes as u64);
    }
}
