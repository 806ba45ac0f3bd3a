//! All descendants of a process, including those in a session or a process group of their own.

use std::collections::HashMap;
use std::fs;
use std::io;

use super::processes::ProcessId;

/// One process, from `/proc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    pub id: ProcessId,
    parent: u32,
    session: u32,
    /// It has exited, and its parent has not reaped it yet.
    is_dead: bool,
    resident_pages: u64,
}

impl Member {
    /// Its resident memory.
    pub fn resident_bytes(&self) -> u64 {
        self.resident_pages * rustix::param::page_size() as u64
    }
}

/// A snapshot of all processes.
#[derive(Debug)]
pub struct Families(HashMap<u32, Member>);

impl Families {
    pub fn look() -> io::Result<Self> {
        let names = fs::read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let pids = names.filter_map(|name| name.parse().ok());
        // Processes that have exited meanwhile are skipped.
        let members = pids.filter_map(|pid: u32| read(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?));
        Ok(Self(members.map(|member| (member.id.pid, member)).collect()))
    }

    /// Returns a process with all its descendants, and all processes of its session.
    pub fn of(&self, pid: u32) -> impl Iterator<Item = &Member> {
        self.0.values().filter(move |member| member.session == pid || self.descends(member, pid))
    }

    /// Returns the children of a process that have exited.
    pub fn dead_children(&self, of: u32) -> impl Iterator<Item = &Member> {
        self.0.values().filter(move |member| member.parent == of && member.is_dead)
    }

    fn descends(&self, member: &Member, from: u32) -> bool {
        let mut at = member.id.pid;
        // Bounded, because an id that is reused while we read can make a cycle.
        for _ in 0..self.0.len() {
            if at == from {
                return true;
            }
            match self.0.get(&at) {
                Some(member) => at = member.parent,
                None => return false,
            }
        }
        false
    }
}

/// Parses the fields after the name, which is in parentheses and may contain anything.
fn read(pid: u32, stat: &str) -> Option<Member> {
    let fields: Vec<_> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
    let small = |place: usize| u32::try_from(number(place)?).ok();
    Some(Member {
        id: ProcessId { pid, started: number(19)? },
        parent: small(1)?,
        session: small(3)?,
        is_dead: *fields.first()? == "Z",
        resident_pages: number(21)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_an_odd_name_is_read() {
        let stat = "12 (a) b (c) S 3 7 8 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 8 0 99 1000000 4321 18446744073709551615";
        let id = ProcessId { pid: 12, started: 99 };
        assert_eq!(read(12, stat), Some(Member { id, parent: 3, session: 8, is_dead: false, resident_pages: 4321 }));
        assert_eq!(read(12, "12 (cut) S 1"), None);
    }

    #[test]
    fn a_child_in_a_session_of_its_own_belongs_to_us() {
        let mut child = std::process::Command::new("setsid").args(["--wait", "sleep", "600"]).spawn().unwrap();
        let us = std::process::id();
        let families = Families::look().unwrap();
        let has = |pid| families.of(us).any(|member| member.id.pid == pid);
        assert!(has(us) && has(child.id()) && !has(1));
        assert!(families.of(child.id()).all(|member| member.id.pid != us));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
