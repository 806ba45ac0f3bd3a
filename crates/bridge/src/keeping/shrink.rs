//! Returns free space to the disk, in small steps between other writes.

use std::time::Duration;

use askbridge_core::limits;
use tracing::{debug, info, warn};

use crate::runtime::{Handle, chain};

/// Pause between two steps, so that other writes get their turn. A step takes some milliseconds.
const PAUSE: Duration = Duration::from_millis(20);
/// How long to wait for more free space before beginning: sessions are forgotten in batches.
const GATHER: Duration = Duration::from_secs(2);
/// Steps between two progress lines in the log: 256 MiB.
const TELL_EVERY: u32 = 256;

/// Runs for ever: after each forgetting, and once at the start, because the last run may have been interrupted.
pub(super) async fn run(handle: Handle) {
    loop {
        tokio::time::sleep(GATHER).await;
        give_back(&handle).await;
        handle.freed.notified().await;
    }
}

async fn give_back(handle: &Handle) {
    let before = free(handle).await;
    let mut steps = 0_u32;
    loop {
        match handle.store().shrink(limits::SHRINK_PAGES).await {
            Ok(true) => steps += 1,
            Ok(false) => break,
            Err(error) => {
                return warn!(error = chain(&error), "Could not give room back to the disk; trying again later");
            }
        }
        if steps.is_multiple_of(TELL_EVERY) {
            let free_bytes = free(handle).await;
            info!(free_bytes, "Giving room back to the disk");
        } else {
            debug!(steps, "Gave some room back to the disk");
        }
        tokio::time::sleep(PAUSE).await;
    }
    if steps > 0 {
        let bytes = before.saturating_sub(free(handle).await);
        info!(bytes, "Gave room back to the disk");
    }
}

async fn free(handle: &Handle) -> u64 {
    handle.store().space().await.ok().flatten().map_or(0, |space| space.free)
}
