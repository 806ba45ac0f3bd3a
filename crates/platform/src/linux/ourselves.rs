//! This process, its user and the machine.

use std::fs;
use std::time::Duration;

/// The program that this process runs, even if its file was replaced since.
pub const PROGRAM: &str = "/proc/self/exe";

/// Returns the real user id of this process.
pub fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Does this process have the rights of root?
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns an id that changes at each boot. Empty if the system does not say.
pub fn boot_id() -> Vec<u8> {
    fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default()
}

/// Returns what this machine is called. `None`: the system does not say.
pub fn machine_name() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty() && name != "(none)")
}

/// Returns the machine's own name, without a domain. `None`: it has none that a network could know.
pub fn host_name() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let name = name.trim().split('.').next().unwrap_or_default().to_ascii_lowercase();
    (!name.is_empty() && name != "localhost" && name != "(none)").then_some(name)
}

/// Memory of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryBytes {
    /// Virtual memory.
    pub reserved: u64,
    /// Resident memory.
    pub resident: u64,
}

pub fn memory() -> Option<MemoryBytes> {
    let page_bytes = rustix::param::page_size() as u64;
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = text.split_whitespace().map_while(|number| number.parse::<u64>().ok());
    Some(MemoryBytes { reserved: pages.next()? * page_bytes, resident: pages.next()? * page_bytes })
}

/// Returns the processor time that this process has used.
pub fn cpu_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name is in parentheses and may contain anything; the rest is numbers, and these are the 14th and 15th.
    let mut numbers = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: u64 = numbers.next()?.parse::<u64>().ok()? + numbers.next()?.parse::<u64>().ok()?;
    let per_second = rustix::param::clock_ticks_per_second();
    Some(Duration::from_secs(ticks / per_second) + Duration::from_millis(ticks % per_second * 1000 / per_second))
}

/// Returns how many files and sockets are open.
pub fn open_files() -> Option<usize> {
    // One of them is the directory that is being read.
    fs::read_dir("/proc/self/fd").ok().map(|open| open.count().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_knows_what_it_has() {
        let memory = memory().unwrap();
        assert!(memory.resident > 0 && memory.resident <= memory.reserved);
        assert!(cpu_time().is_some() && open_files().unwrap() >= 3);
        assert_eq!(boot_id(), boot_id());
    }
}
