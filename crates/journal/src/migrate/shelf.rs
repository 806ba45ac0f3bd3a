//! Copies items from one shelf to another.

use askbridge_core::ids::Timestamp;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::erased::DynShelf;
use crate::shelf::{Expect, Item, ShelfError};

/// Items that are written at the same time.
const AT_ONCE: usize = 16;

/// Copies those items whose key passes, with their expiry. What is there already is replaced. Returns how many there are.
/// Items that have expired at `now` stay behind.
pub async fn copy_shelf(
    from: &dyn DynShelf,
    to: &dyn DynShelf,
    now: Timestamp,
    passes: &(dyn Fn(&str) -> bool + Sync),
) -> Result<u64, ShelfError> {
    let mut items = from.list("", now).await?;
    items.retain(|item| passes(&item.key));
    let copies: Vec<_> = items.iter().map(|item| copy(to, item, now)).collect();
    stream::iter(copies).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
    Ok(items.len() as u64)
}

async fn copy(to: &dyn DynShelf, item: &Item, now: Timestamp) -> Result<(), ShelfError> {
    let there = to.get(&item.key, now).await?;
    if there.is_some_and(|there| there.value == item.value && there.expires_at == item.expires_at) {
        return Ok(());
    }
    to.put(&item.key, &item.value, Expect::Any, item.expires_at, now).await.map(drop)
}
