//! Finds where a calling process began: below an agent, at a login, or somewhere that proves nothing.
//!
//! An agent runs as the same user and may run any command, `askbridge answer` among them. Callers on the local socket
//! are identified by process id; if their chain of parents reaches a process that we know as an agent, they may not
//! decide. Agents are known by process id and start time, never guessed by name. A chain without an agent proves
//! little: orphans are adopted, and what a tmux server starts is below that server. So a terminal counts without a tap
//! only below a login, since no process of this user can put itself under one.

use std::collections::{HashMap, HashSet};

use askbridge_core::limits;
use askbridge_platform::ourselves;
use askbridge_platform::processes::{FIRST_PROCESS, Kin, ProcessId, Processes, System};
use parking_lot::Mutex;

const ROOT: u32 = 0;

/// What was found above a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ancestry {
    /// No agent, and a terminal below a login (sshd, login, a display manager) or below a process that was put into
    /// this container from outside.
    LoginTerminal,
    /// No agent, and a terminal whose person gave a tap for it.
    VouchedTerminal,
    /// No agent found, and a terminal that any process could have opened.
    UnprovenTerminal,
    /// No agent, and no terminal either: a script, a service.
    NoTerminal,
    BelowAnAgent,
    /// The chain of parents could not be followed to its end. When in doubt, it is an agent's.
    Unknown,
}

/// Where a caller began, and for which shell a tap would be remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub ancestry: Ancestry,
    /// The caller's shell: the leader of its session if that is among its parents, else the caller alone. Never a tmux
    /// server, a terminal emulator or another parent that other shells share.
    pub shell: Option<ProcessId>,
    /// The leader of the caller's session, among its parents or not.
    pub leader: Option<ProcessId>,
    /// The caller and its parents, as far as they could be followed.
    pub line: Vec<ProcessId>,
}

/// The processes that we know as agents, because we started them or they announced themselves, and the shells that a
/// tap was given for.
#[derive(Debug, Default)]
pub struct Agents(Mutex<KnownProcesses>);

#[derive(Debug, Default)]
struct KnownProcesses {
    agents: HashSet<ProcessId>,
    /// Leaders of sessions with a terminal in which an agent is or was.
    hosted: HashSet<ProcessId>,
    /// Shells for which a tap was given after that, each with the leader of its session.
    vouched: HashMap<ProcessId, Option<ProcessId>>,
}

/// An agent that was announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Announced {
    pub(super) id: ProcessId,
    /// The leader of its session, if that has a terminal.
    pub(super) leader: Option<ProcessId>,
}

impl Agents {
    /// Remembers a process as an agent. Returns `None` if there is no such process.
    pub fn announce(&self, pid: u32) -> Option<ProcessId> {
        self.take_in(pid).map(|announced| announced.id)
    }

    /// The same. Any tap given for its session is void from now on: what is typed there may come from the agent.
    pub(super) fn take_in(&self, pid: u32) -> Option<Announced> {
        let kin = System.kin(pid)?;
        let leader = Some(kin).filter(Kin::has_terminal).and_then(|kin| System.kin(kin.session)).map(|kin| kin.id);
        let mut known = self.0.lock();
        known.agents.retain(|agent| is_there(*agent));
        known.hosted.retain(|leader| is_there(*leader));
        known.agents.insert(kin.id);
        if let Some(leader) = leader {
            known.hosted.insert(leader);
            known.vouched.retain(|shell, led_by| *shell != leader && *led_by != Some(leader));
        }
        Some(Announced { id: kin.id, leader })
    }

    /// Adds the server itself: a process directly below it was orphaned by an agent that has exited.
    pub fn count_ourselves(&self) {
        if let Some(kin) = System.kin(std::process::id()) {
            self.0.lock().agents.insert(kin.id);
        }
    }

    /// Is this process known as an agent?
    pub(crate) fn knows(&self, process: ProcessId) -> bool {
        self.0.lock().agents.contains(&process)
    }

    /// Restores an agent known to an earlier server, and its session's leader, as far as they still run.
    pub(super) fn recognise(&self, process: ProcessId, leader: Option<ProcessId>) {
        let mut known = self.0.lock();
        if is_there(process) {
            known.agents.insert(process);
        }
        if let Some(leader) = leader.filter(|leader| is_there(*leader)) {
            known.hosted.insert(leader);
        }
    }

    /// Remembers that a person gave a tap for this shell.
    pub(super) fn take_for_proven(&self, shell: ProcessId, leader: Option<ProcessId>) {
        let mut known = self.0.lock();
        known.vouched.retain(|shell, _| is_there(*shell));
        if is_there(shell) {
            known.vouched.insert(shell, leader);
        }
    }

    /// Follows the chain of parents of `pid` up to the first process.
    pub fn ancestry(&self, pid: u32) -> Ancestry {
        self.origin(pid).ancestry
    }

    /// The same, with the shell that a tap would be remembered for.
    pub fn origin(&self, pid: u32) -> Origin {
        trace(&System, &self.0.lock(), ourselves::user(), pid)
    }
}

fn is_there(process: ProcessId) -> bool {
    System.kin(process.pid).is_some_and(|kin| kin.id == process)
}

/// Follows the chain of parents of `pid` in `processes`. `own` is the user that the server runs as.
fn trace(processes: &impl Processes, known: &KnownProcesses, own: u32, pid: u32) -> Origin {
    let mut line: Vec<Kin> = Vec::new();
    let mut next = pid;
    let followed = loop {
        let Some(kin) = processes.kin(next).filter(|_| line.len() < limits::ANCESTRY_MAX) else { break false };
        line.push(kin);
        if known.agents.contains(&kin.id) {
            return Origin::plain(Ancestry::BelowAnAgent, &line);
        }
        if kin.parent == 0 {
            break true;
        }
        next = kin.parent;
    };
    let Some(caller) = line.first().copied().filter(|_| followed) else {
        return Origin::plain(Ancestry::Unknown, &line);
    };
    if !caller.has_terminal() {
        return Origin::plain(Ancestry::NoTerminal, &line);
    }
    let among_parents = line.iter().find(|kin| kin.id.pid == caller.session).map(|kin| kin.id);
    let leader = among_parents.or_else(|| processes.kin(caller.session).map(|kin| kin.id));
    let shell = among_parents.unwrap_or(caller.id);
    let from_outside = |kin: &Kin| kin.parent == 0 && kin.id.pid != FIRST_PROCESS;
    // Real, effective and saved id: no program of this user has root in all three, not even a setuid one or one in a
    // user namespace. If the server runs as root, this says nothing.
    let is_roots = |kin: &Kin| kin.id.pid != FIRST_PROCESS && processes.users(kin.id.pid) == Some([ROOT; 3]);
    // No process of this user is above a login. A program of root's that this user started, such as sudo, runs helpers
    // of the user's choice before it has asked for a password.
    let is_own = |kin: &Kin| processes.users(kin.id.pid).is_none_or(|users| users.contains(&own));
    let is_login = |at: usize| is_roots(&line[at]) && !line[at + 1..].iter().any(is_own);
    let below_a_login = || line.iter().any(from_outside) || (own != ROOT && (1..line.len()).any(is_login));
    // A process that an agent left behind in this session may look like the person at the terminal.
    let hosts_an_agent = leader.is_some_and(|leader| known.hosted.contains(&leader));
    let ancestry = if known.vouched.contains_key(&shell) {
        Ancestry::VouchedTerminal
    } else if !hosts_an_agent && below_a_login() {
        Ancestry::LoginTerminal
    } else {
        Ancestry::UnprovenTerminal
    };
    Origin { ancestry, shell: Some(shell), leader, line: line.iter().map(|kin| kin.id).collect() }
}

impl Origin {
    fn plain(ancestry: Ancestry, line: &[Kin]) -> Self {
        Self { ancestry, shell: None, leader: None, line: line.iter().map(|kin| kin.id).collect() }
    }
}

#[cfg(test)]
mod tests;
