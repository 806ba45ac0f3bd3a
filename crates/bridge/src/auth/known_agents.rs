//! Keeps known agents, and shells that a tap was given for, on the shelf across restarts of the server.

use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use askbridge_platform::ourselves;
use askbridge_platform::processes::ProcessId;

use super::ancestry::{Agents, Announced};
use crate::runtime::Own;

const PREFIX: &str = "agent/";
const VOUCHED: &str = "taps/shell/";
/// The boot of this machine that the remembered shells belong to.
const BOOT: &str = "taps/boot";

/// How long a process is remembered across restarts. Beyond: only until the server stops.
const REMEMBERED: Duration = Duration::from_secs(366 * 24 * 60 * 60);

impl Agents {
    /// Remembers a process as an agent, across restarts too. Returns `false` if there is no such process.
    pub async fn announce_for_good(&self, pid: u32, store: &Own, now: Timestamp) -> Result<bool, ShelfError> {
        let Some(Announced { id, leader }) = self.take_in(pid) else { return Ok(false) };
        // The leader of its session: a terminal there proves nothing from now on, even after the agent has exited.
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

    /// Remembers across restarts that a person gave a tap for this shell.
    pub(crate) async fn vouch_for_good(
        &self,
        shell: ProcessId,
        leader: Option<ProcessId>,
        store: &Own,
        now: Timestamp,
    ) -> Result<(), ShelfError> {
        // In memory first, in case the shelf fails.
        self.take_for_proven(shell, leader);
        let place = leader.map(ProcessId::written).unwrap_or_default();
        let until = Some(now.plus(REMEMBERED));
        store.put(&format!("{VOUCHED}{}", shell.written()), place.as_bytes(), Expect::Any, until, now).await?;
        Ok(())
    }

    /// Restores the agents and shells that earlier servers knew and that still run.
    pub async fn recall(&self, store: &Own, now: Timestamp) -> Result<(), ShelfError> {
        for item in store.list(PREFIX, now).await? {
            let process = item.key.strip_prefix(PREFIX).and_then(ProcessId::read);
            // Agents that no longer run stay on the shelf until they expire.
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

/// Has the machine not rebooted since the last server ran? Start times count from the boot, so a tap given before a
/// reboot could match another process after it.
async fn is_same_boot(store: &Own, now: Timestamp) -> Result<bool, ShelfError> {
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
