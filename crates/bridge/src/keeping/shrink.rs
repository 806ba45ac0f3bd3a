//! Gives what became free back to the disk, in small steps: between two of them others write.

use std::time::Duration;

use askbridge_core::limits;
use tracing::{debug, info, warn};

use crate::runtime::{Handle, chain};

/// How long to let others write between two steps. A step takes some milliseconds.
const PAUSE: Duration = Duration::from_millis(20);
/// How long to wait for more to become free before beginning: whatever is forgotten comes in batches.
const GATHER: Duration = Duration::from_secs(2);
/// Steps after which the log says how far it is: 256 MiB.
const TELL_EVERY: u32 = 256;

/// Runs for ever: whenever something was forgotten, and once at the start, because the last one may have been interrupted.
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
