//! Whether taps are needed: from a person's first paired device on, unless a tap has switched them off.
//!
//! Both facts are on the shelf and not in the settings, which an agent can write. Revoking devices undoes neither.

use std::sync::atomic::{AtomicBool, Ordering};

use askbridge_core::ids::Timestamp;
use askbridge_journal::shelf::{Expect, Item, Shelf, ShelfError};

use super::tokens::Tokens;
use crate::runtime::Store;

/// A person's device was paired at some time. Never deleted.
const FIRST: &str = "taps/first";
/// Taps are switched off.
const OFF: &str = "taps/off";

/// Does this key of the shelf say something about taps?
pub(super) fn is_of_taps(key: &str) -> bool {
    [FIRST, OFF].contains(&key)
}

/// What the shelf says about taps.
#[derive(Debug)]
pub(super) struct Taps {
    first: AtomicBool,
    off: AtomicBool,
}

impl Taps {
    pub(super) async fn load(store: &Store, has_people: bool, now: Timestamp) -> Result<Self, ShelfError> {
        let mut first = store.get(FIRST, now).await?.is_some();
        if has_people && !first {
            // Paired by a release that did not record it yet.
            first = put_first(store, now).await? || store.get(FIRST, now).await?.is_some();
        }
        let off = store.get(OFF, now).await?.is_some();
        Ok(Self { first: AtomicBool::new(first), off: AtomicBool::new(off) })
    }
}

impl Tokens {
    /// Must a person's decision on this machine be proven by a tap?
    pub fn taps_are_needed(&self) -> bool {
        self.someone_was_paired() && !self.taps_are_off()
    }

    /// Was a person's device ever paired?
    pub fn someone_was_paired(&self) -> bool {
        self.taps.first.load(Ordering::Acquire)
    }

    pub fn taps_are_off(&self) -> bool {
        self.taps.off.load(Ordering::Acquire)
    }

    /// Takes in what another node knows of taps. Returns whether the key is one of theirs.
    pub(super) fn learn_of_taps(&self, key: &str, item: Option<&Item>) -> bool {
        match key {
            // Never deleted.
            FIRST => self.taps.first.store(true, Ordering::Release),
            OFF => self.taps.off.store(item.is_some(), Ordering::Release),
            _ => return false,
        }
        true
    }

    /// Records that there is a device. Returns `true` for at most one of all that are ever paired.
    pub(crate) async fn be_first(&self, now: Timestamp) -> Result<bool, ShelfError> {
        if self.someone_was_paired() {
            return Ok(false);
        }
        let first = put_first(&self.store, now).await?;
        self.taps.first.store(true, Ordering::Release);
        Ok(first)
    }

    pub(crate) async fn switch_taps(&self, on: bool, now: Timestamp) -> Result<(), ShelfError> {
        match on {
            true => self.store.delete(OFF, Expect::Any).await?,
            false => self.store.put(OFF, b"", Expect::Any, None, now).await.map(drop)?,
        }
        self.taps.off.store(!on, Ordering::Release);
        Ok(())
    }
}

async fn put_first(store: &Store, now: Timestamp) -> Result<bool, ShelfError> {
    match store.put(FIRST, b"", Expect::Absent, None, now).await {
        Ok(_) => Ok(true),
        Err(ShelfError::Conflict { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
