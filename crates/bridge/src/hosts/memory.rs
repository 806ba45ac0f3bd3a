//! How much memory agents take, and what happens when that is too much.
//!
//! Measured from `/proc`, for everything that runs in an agent's session of processes: its commands are its own affair,
//! but their memory is not. What a command starts in a session of its own is not seen.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use askbridge_core::event::Level;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::sleep;
use tracing::{info, warn};

use super::desk::Inner;
use super::host::{Host, Step};

/// How often to look. An agent may take more than it may for so long.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// So many times of what it may take, and an agent is not even left its turn.
const AT_ONCE: u64 = 2;

/// What each agent takes, by the id of its process.
#[derive(Debug, Default)]
pub(super) struct Scales(Mutex<HashMap<u32, Arc<Scale>>>);

#[derive(Debug, Default)]
pub(super) struct Scale {
    bytes: AtomicU64,
    pub(super) changed: Notify,
}

impl Scales {
    pub(super) fn on(&self, pid: u32) -> Arc<Scale> {
        Arc::clone(self.0.lock().entry(pid).or_default())
    }

    pub(super) fn off(&self, pid: u32) {
        self.0.lock().remove(&pid);
    }

    fn weigh(&self, taken: &HashMap<u32, u64>) {
        for (pid, scale) in &*self.0.lock() {
            let bytes = taken.get(pid).copied().unwrap_or_default();
            if scale.bytes.swap(bytes, Ordering::Relaxed) != bytes {
                scale.changed.notify_one();
            }
        }
    }
}

/// Looks until we end.
pub(super) async fn watch(desk: Arc<Inner>) {
    loop {
        tokio::select! {
            () = desk.stop.cancelled() => return,
            () = sleep(LOOK_EVERY) => {}
        }
        match tokio::task::spawn_blocking(taken).await {
            Ok(Ok(taken)) => desk.scales.weigh(&taken),
            Ok(Err(error)) => warn!(%error, "Could not see how much memory agents take"),
            Err(_) => return,
        }
    }
}

/// Adds up what is in memory, by session of processes.
fn taken() -> std::io::Result<HashMap<u32, u64>> {
    let page = rustix::param::page_size() as u64;
    let mut taken = HashMap::new();
    let names = fs::read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    for name in names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())) {
        // Whoever has ended meanwhile takes nothing.
        let Ok(stat) = fs::read_to_string(format!("/proc/{name}/stat")) else { continue };
        if let Some((session, pages)) = session_and_pages(&stat) {
            *taken.entry(session).or_default() += pages * page;
        }
    }
    Ok(taken)
}

/// Reads the 6th and the 24th field. The 2nd is a name in brackets, which may contain anything.
fn session_and_pages(stat: &str) -> Option<(u32, u64)> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let session = fields.nth(3)?.parse().ok()?;
    let pages = fields.nth(17)?.parse().ok()?;
    Some((session, pages))
}

impl Host {
    /// Does the process take more than it may? Between turns it is let go; before that, what can be parked is parked, and
    /// only an agent that takes far too much is not even left its turn.
    pub(super) fn weigh(&mut self) -> Option<Step> {
        let max = self.desk.options.memory_max?;
        let bytes = self.scale.as_ref()?.bytes.load(Ordering::Relaxed);
        if bytes <= max || self.hang_up.is_some() {
            return None;
        }
        let rests = self.claude.rest().is_some() && self.pipe.is_empty() && self.rulings.is_empty();
        let (taken, may) = (spoken(bytes), spoken(max));
        let much = format!("The agent takes {taken} of memory, more than the {may} that it may (`agents.memory`).");
        if !rests && bytes <= max.saturating_mul(AT_ONCE) {
            if !std::mem::replace(&mut self.hurried, true) {
                let then = "Its process ends with this turn, or as soon as its question can be parked.";
                self.notice(Level::Warning, &format!("{much} {then}"));
                self.with_claude(|claude, cx| claude.hurry(cx));
            }
            return None;
        }
        let then = match rests {
            true => "Its process was stopped between two turns, and starts again with the next message.",
            false => "Its process was stopped in the middle of its turn. Say something, and it goes on from there.",
        };
        info!(session.id = %self.session, bytes, "Agent takes too much memory and is stopped");
        self.notice(Level::Warning, &format!("{much} {then}"));
        self.too_heavy = true;
        Some(Step::LetGo)
    }
}

/// Writes bytes as people say them.
fn spoken(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)];
    let unit = UNITS.into_iter().find(|(_, unit)| bytes >= *unit);
    let Some((name, unit)) = unit else { return format!("{bytes} bytes") };
    let tenths = bytes * 10 / unit;
    if tenths % 10 == 0 || tenths >= 1000 {
        format!("{} {name}", tenths / 10)
    } else {
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_an_odd_name_is_read() {
        let stat = "12 (a) b (c) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 8 0 99 1000000 4321 18446744073709551615";
        assert_eq!(session_and_pages(stat), Some((7, 4321)));
        assert_eq!(session_and_pages("12 (cut) S 1"), None);
    }

    #[test]
    fn we_take_something_ourselves() {
        let session = fs::read_to_string("/proc/self/stat").unwrap();
        let (session, pages) = session_and_pages(&session).unwrap();
        assert!(pages > 0 && taken().unwrap()[&session] > 0);
    }

    #[test]
    fn bytes_are_said_in_words() {
        assert_eq!(
            [spoken(900), spoken(1536), spoken(2 << 30), spoken(168 << 20)],
            ["900 bytes", "1.5 kB", "2 GB", "168 MB"]
        );
    }
}
