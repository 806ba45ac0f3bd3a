//! Adopts the orphans of agents, so that they still count as agents, and reaps them when they exit.

use std::collections::HashSet;
use std::io;
use std::time::Duration;

use askbridge_platform::families::Families;
use askbridge_platform::orphans;
use tokio::signal::unix::{SignalKind, signal};
use tracing::warn;

use crate::auth::{Agents, ProcessId};

/// Our own children are reaped as soon as they exit. A zombie that remains after this time was adopted.
const OWN_ARE_BURIED: Duration = Duration::from_secs(2);

/// From now on, orphans of agents below us are reparented to us, and count as agents.
///
/// To be called once, by a process that does nothing but serve.
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

/// Reaps adopted processes. The runtime waits for our own children and must find them, so only a process that is a
/// zombie in two checks is reaped, each by its own id.
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
