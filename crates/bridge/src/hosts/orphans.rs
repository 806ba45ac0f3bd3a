//! What agents leave behind: adopted by us, so that it stays known as an agent's, and buried when it ends.

use std::collections::HashSet;
use std::io;
use std::time::Duration;

use askbridge_platform::families::Families;
use askbridge_platform::orphans;
use tokio::signal::unix::{SignalKind, signal};
use tracing::warn;

use crate::auth::{Agents, ProcessId};

/// Our own children are buried as soon as they end. One that still waits after this time was adopted.
const OWN_ARE_BURIED: Duration = Duration::from_secs(2);

/// From now on, what agents below us leave behind stays below us, and counts as an agent.
///
/// To be called once, by a process that is nothing but a server.
pub fn adopt_orphans(agents: &Agents) -> io::Result<()> {
    orphans::adopt()?;
    agents.count_ourselves();
    let mut ended = signal(SignalKind::child())?;
    tokio::spawn(async move {
        while ended.recv().await.is_some() {
            if let Err(error) = bury().await {
                warn!(%error, "Could not look for processes that agents left behind");
            }
        }
    });
    Ok(())
}

/// Buries what has ended and is not ours. The runtime waits for our own children and has to find them, so only what stays dead for
/// two looks is taken, and each by its own number.
async fn bury() -> io::Result<()> {
    let mut before = dead()?;
    while !before.is_empty() {
        tokio::time::sleep(OWN_ARE_BURIED).await;
        let now = dead()?;
        for orphan in now.intersection(&before) {
            orphans::reap(orphan.pid);
        }
        before = now.difference(&before).copied().collect();
    }
    Ok(())
}

fn dead() -> io::Result<HashSet<ProcessId>> {
    let families = Families::look()?;
    Ok(families.dead_children(std::process::id()).map(|member| member.id).collect())
}
