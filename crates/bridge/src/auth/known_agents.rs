//! Agents outlive the server; so does the knowledge of them.

use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};

use super::ancestry::{Agents, ProcessId};
use crate::runtime::Store;

const PREFIX: &str = "agent/";

/// How long a process is remembered across restarts. Beyond: only until the server stops.
const REMEMBERED: Duration = Duration::from_secs(366 * 24 * 60 * 60);

impl Agents {
    /// Remembers a process as an agent, also for the next server. Returns `false` if there is no such process.
    pub async fn announce_for_good(&self, pid: u32, store: &Store, now: Timestamp) -> Result<bool, ShelfError> {
        let Some(ProcessId { pid, started }) = self.announce(pid) else { return Ok(false) };
        store.put(&format!("{PREFIX}{pid}-{started}"), b"", Expect::Any, Some(now.plus(REMEMBERED)), now).await?;
        Ok(true)
    }

    /// Recalls the agents that earlier servers knew and that are still there.
    pub async fn recall(&self, store: &Store, now: Timestamp) -> Result<(), ShelfError> {
        for item in store.list(PREFIX, now).await? {
            let process = item.key.strip_prefix(PREFIX).and_then(|name| {
                let (pid, started) = name.split_once('-')?;
                Some(ProcessId { pid: pid.parse().ok()?, started: started.parse().ok()? })
            });
            // What is gone stays on the shelf until it expires: it may run on another machine that shares it.
            if let Some(process) = process {
                self.recognise(process);
            }
        }
        Ok(())
    }
}
