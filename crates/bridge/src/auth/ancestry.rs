//! Where the process that calls began: below an agent, at a login, or somewhere that proves nothing.
//!
//! An agent runs as the same user and may run any command, `askbridge answer` among them. Callers on the local socket
//! are known by process id; if the line of their parents reaches a process that we know as an agent, they may not
//! decide. Agents are known by process id and start time, never guessed by name. A line without an agent proves little: what
//! lost its parents is adopted, and what a tmux server starts is below that server. So a terminal counts by itself only below a
//! login, which no process of this user can put itself under.

use std::collections::{HashMap, HashSet};

use askbridge_core::limits;
use askbridge_platform::ourselves;
use askbridge_platform::processes::{FIRST_PROCESS, Kin, ProcessId, Processes, System};
use parking_lot::Mutex;

const ROOT: u32 = 0;

/// What was found above a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ancestry {
    /// No agent, and a terminal below a login (sshd, login, a display manager) or below a process that was put into this
    /// container from outside.
    LoginTerminal,
    /// No agent, and a terminal whose person gave a tap for it.
    VouchedTerminal,
    /// No agent to be seen, and a terminal that anything could have opened.
    UnprovenTerminal,
    /// No agent, but no terminal either: a script, a service.
    NoTerminal,
    BelowAnAgent,
    /// The line of parents could not be followed to its end. When in doubt, it is an agent's.
    Unknown,
}

/// Where a caller began, and for whom a tap of theirs would be remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub ancestry: Ancestry,
    /// The shell of the caller: the leader of its session if that is among its parents, else the caller alone. Never a tmux
    /// server, a terminal's program or another parent, which other shells have in common with it.
    pub shell: Option<ProcessId>,
    /// The leader of the caller's session, among its parents or not.
    pub leader: Option<ProcessId>,
    /// The caller and its parents, as far as they could be followed.
    pub line: Vec<ProcessId>,
}

/// The processes that we know as agents: spawned by us, or announced themselves. And the shells that people gave a tap for.
#[derive(Debug, Default)]
pub struct Agents(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    agents: HashSet<ProcessId>,
    /// Leaders of sessions with a terminal in which an agent is or was.
    hosted: HashSet<ProcessId>,
    /// Shells for which a tap was given since, each with the leader of its session.
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

    /// The same. A tap that was given for its session no longer holds: what is typed there may be the agent's.
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

    /// Counts the server itself: what ends up directly below it was started by an agent that has ended.
    pub fn count_ourselves(&self) {
        if let Some(kin) = System.kin(std::process::id()) {
            self.0.lock().agents.insert(kin.id);
        }
    }

    /// Is this process known as an agent?
    pub(crate) fn knows(&self, process: ProcessId) -> bool {
        self.0.lock().agents.contains(&process)
    }

    /// Remembers a process that was an agent before, and where it was, as far as they are still there.
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

    /// Follows the line of parents of `pid` up to the first process.
    pub fn ancestry(&self, pid: u32) -> Ancestry {
        self.origin(pid).ancestry
    }

    /// The same, with what a tap would be remembered for.
    pub fn origin(&self, pid: u32) -> Origin {
        trace(&System, &self.0.lock(), ourselves::user(), pid)
    }
}

fn is_there(process: ProcessId) -> bool {
    System.kin(process.pid).is_some_and(|kin| kin.id == process)
}

/// Follows the line of parents of `pid`, as `processes` tells it. `own` is the user that the server runs as.
fn trace(processes: &impl Processes, known: &Known, own: u32, pid: u32) -> Origin {
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
    // Real, effective and saved: no program of this user has all three, also not one that is run with another's rights, nor
    // one in a user namespace. A server that runs as root tells nothing from this.
    let is_roots = |kin: &Kin| kin.id.pid != FIRST_PROCESS && processes.users(kin.id.pid) == Some([ROOT; 3]);
    // Nothing of this user stands above a login. A program of root's that this user started, such as sudo, runs helpers of the
    // user's choice before it has asked for a password.
    let is_own = |kin: &Kin| processes.users(kin.id.pid).is_none_or(|users| users.contains(&own));
    let is_login = |at: usize| is_roots(&line[at]) && !line[at + 1..].iter().any(is_own);
    let below_a_login = || line.iter().any(from_outside) || (own != ROOT && (1..line.len()).any(is_login));
    // What an agent left behind in this session may look like the person who sits there.
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
