//! Agents and the shells that people gave a tap for outlive the server; so does the knowledge of them.

use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use askbridge_platform::ourselves;
use askbridge_platform::processes::ProcessId;

use super::ancestry::{Agents, Announced};
use crate::runtime::Store;

const PREFIX: &str = "agent/";
const VOUCHED: &str = "taps/shell/";
/// Which boot of this machine the shells belong to.
const BOOT: &str = "taps/boot";

/// How long a process is remembered across restarts. Beyond: only until the server stops.
const REMEMBERED: Duration = Duration::from_secs(366 * 24 * 60 * 60);

impl Agents {
    /// Remembers a process as an agent, also for the next server. Returns `false` if there is no such process.
    pub async fn announce_for_good(&self, pid: u32, store: &Store, now: Timestamp) -> Result<bool, ShelfError> {
        let Some(Announced { id, leader }) = self.take_in(pid) else { return Ok(false) };
        // Where it is: that session proves nothing from now on, also when the agent has ended.
        let place = leader.map(ProcessId::written).unwrap_or_default();
        let until = Some(now.plus(REMEMBERED));
        store.put(&format!("{PREFIX}{}", id.written()), place.as_bytes(), Expect::Any, until, now).await?;
        if let Some(leader) = leader {
            for item in store.list(VOUCHED, now).await? {
                let (shell, led_by) = vouch(&item.key, &item.value);
                if shell == Some(leader) || led_by == Some(leader) {
                    store.delete(&item.key, Expect::Any).await?;
                }
            }
        }
        Ok(true)
    }

    /// Remembers that a person gave a tap for this shell, also for the next server.
    pub(crate) async fn vouch_for_good(
        &self,
        shell: ProcessId,
        leader: Option<ProcessId>,
        store: &Store,
        now: Timestamp,
    ) -> Result<(), ShelfError> {
        // For this server at once, whether or not the shelf takes it.
        self.take_for_proven(shell, leader);
        let place = leader.map(ProcessId::written).unwrap_or_default();
        let until = Some(now.plus(REMEMBERED));
        store.put(&format!("{VOUCHED}{}", shell.written()), place.as_bytes(), Expect::Any, until, now).await?;
        Ok(())
    }

    /// Recalls the agents and shells that earlier servers knew and that are still there.
    pub async fn recall(&self, store: &Store, now: Timestamp) -> Result<(), ShelfError> {
        for item in store.list(PREFIX, now).await? {
            let process = item.key.strip_prefix(PREFIX).and_then(ProcessId::read);
            // What is gone stays on the shelf until it expires: it may run on another machine that shares it.
            if let Some(process) = process {
                self.recognise(process, std::str::from_utf8(&item.value).ok().and_then(ProcessId::read));
            }
        }
        let same_boot = is_same_boot(store, now).await?;
        for item in store.list(VOUCHED, now).await? {
            match vouch(&item.key, &item.value) {
                (Some(shell), leader) if same_boot => self.take_for_proven(shell, leader),
                _ => store.delete(&item.key, Expect::Any).await?,
            }
        }
        Ok(())
    }
}

/// Is this still the boot that the last server ran in? Start times count from it, so a tap given before a reboot could fit
/// another process after it.
async fn is_same_boot(store: &Store, now: Timestamp) -> Result<bool, ShelfError> {
    let boot = ourselves::boot_id();
    let known = store.get(BOOT, now).await?;
    if known.is_some_and(|item| *item.value == *boot) {
        return Ok(true);
    }
    store.put(BOOT, &boot, Expect::Any, None, now).await?;
    Ok(false)
}

fn vouch(key: &str, value: &[u8]) -> (Option<ProcessId>, Option<ProcessId>) {
    let shell = key.strip_prefix(VOUCHED).and_then(ProcessId::read);
    (shell, std::str::from_utf8(value).ok().and_then(ProcessId::read))
}
