//! Is the process that calls a descendant of an agent?
//!
//! An agent runs as the same user and may run any command, `askbridge answer` among them. Callers on the local socket
//! are known by process id; if the line of their parents reaches a process that we know as an agent, they may not
//! decide. Agents are known by process id and start time, never guessed by name.

use std::collections::HashSet;
use std::fs;

use askbridge_core::limits;
use parking_lot::Mutex;

/// A process, told apart from a later one with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessId {
    pub pid: u32,
    /// In clock ticks since boot.
    pub started: u64,
}

/// What `/proc` says about a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kin {
    pub id: ProcessId,
    pub parent: u32,
    /// The process that leads the session it belongs to, by number.
    pub session: u32,
    pub has_terminal: bool,
    pub is_dead: bool,
}

impl Kin {
    pub(super) fn leads_a_session(&self) -> bool {
        self.session == self.id.pid
    }
}

impl ProcessId {
    /// Finds the process that has this id now, unless it has ended and only waits to be buried.
    pub fn of(pid: u32) -> Option<Self> {
        look_up(pid).filter(|kin| !kin.is_dead).map(|kin| kin.id)
    }

    pub fn is_alive(self) -> bool {
        Self::of(self.pid) == Some(self)
    }
}

/// The processes that we know as agents: spawned by us, or announced themselves.
#[derive(Debug, Default)]
pub struct Agents(Mutex<HashSet<ProcessId>>);

/// What was found above a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ancestry {
    /// No agent, and a terminal to sit at.
    AtATerminal,
    /// No agent, but no terminal either: a script, a service.
    NoTerminal,
    BelowAnAgent,
    /// The line of parents could not be followed to its end. When in doubt, it is an agent's.
    Unknown,
}

impl Agents {
    /// Remembers a process as an agent. Returns `None` if there is no such process.
    pub fn announce(&self, pid: u32) -> Option<ProcessId> {
        let kin = look_up(pid)?;
        let mut agents = self.0.lock();
        agents.retain(|agent| look_up(agent.pid).is_some_and(|kin| kin.id == *agent));
        agents.insert(kin.id);
        Some(kin.id)
    }

    /// Is this process known as an agent?
    pub(crate) fn knows(&self, process: ProcessId) -> bool {
        self.0.lock().contains(&process)
    }

    /// Remembers a process that was an agent before, if it is still there.
    pub(super) fn recognise(&self, process: ProcessId) {
        if look_up(process.pid).is_some_and(|kin| kin.id == process) {
            self.0.lock().insert(process);
        }
    }

    /// Follows the line of parents of `pid` up to the first process.
    pub fn ancestry(&self, pid: u32) -> Ancestry {
        let agents = self.0.lock();
        let mut has_terminal = false;
        let mut next = pid;
        for generation in 0..limits::ANCESTRY_MAX {
            let Some(kin) = look_up(next) else { return Ancestry::Unknown };
            if generation == 0 {
                has_terminal = kin.has_terminal;
            }
            if agents.contains(&kin.id) {
                return Ancestry::BelowAnAgent;
            }
            if kin.parent == 0 {
                return if has_terminal { Ancestry::AtATerminal } else { Ancestry::NoTerminal };
            }
            next = kin.parent;
        }
        Ancestry::Unknown
    }
}

pub(super) fn look_up(pid: u32) -> Option<Kin> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads `/proc/PID/stat`. The command's name is in parentheses and may contain anything, so what counts begins after
/// the last one.
fn parse(pid: u32, stat: &str) -> Option<Kin> {
    let rest = &stat[stat.rfind(')')? + 1..];
    let mut fields = rest.split_ascii_whitespace();
    let is_dead = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    let terminal: i64 = fields.next()?.parse().ok()?;
    let started = fields.nth(14)?.parse().ok()?;
    Some(Kin { id: ProcessId { pid, started }, parent, session, has_terminal: terminal != 0, is_dead })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_a_misleading_name_is_read_right() {
        let stat = "42 (evil) S 1 0 ) S 7 42 42 34816 42 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 0 0";
        let kin = Kin {
            id: ProcessId { pid: 42, started: 987_654 },
            parent: 7,
            session: 42,
            has_terminal: true,
            is_dead: false,
        };
        assert_eq!(parse(42, stat), Some(kin));
    }

    #[test]
    fn we_ourselves_are_below_an_agent_once_our_parent_is_one() {
        let agents = Agents::default();
        let me = std::process::id();
        assert_ne!(agents.ancestry(me), Ancestry::BelowAnAgent);
        let parent = look_up(me).unwrap().parent;
        assert!(agents.announce(parent).is_some());
        assert_eq!(agents.ancestry(me), Ancestry::BelowAnAgent);
    }

    #[test]
    fn a_process_that_does_not_exist_is_not_trusted() {
        assert_eq!(Agents::default().ancestry(u32::MAX), Ancestry::Unknown);
        assert_eq!(Agents::default().announce(u32::MAX), None);
    }
}
