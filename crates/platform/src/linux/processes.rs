//! Information about processes, from `/proc`.

use std::fs;
use std::path::{Path, PathBuf};

/// A process id with its start time, which tells it apart from a later process with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessId {
    pub pid: u32,
    /// In clock ticks since boot.
    pub started: u64,
}

/// One process, from `/proc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kin {
    pub id: ProcessId,
    pub parent: u32,
    /// The process id of its session's leader.
    pub session: u32,
    /// The device of its terminal; 0 if it has none.
    pub terminal: u32,
    pub is_dead: bool,
}

/// The source of information about processes: the system, or a table in a test.
pub trait Processes {
    fn kin(&self, pid: u32) -> Option<Kin>;
    /// The real, effective and saved user id of a process.
    fn users(&self, pid: u32) -> Option<[u32; 3]>;
}

/// The processes of this machine.
#[derive(Debug, Clone, Copy)]
pub struct System;

impl Processes for System {
    fn kin(&self, pid: u32) -> Option<Kin> {
        look_up(pid)
    }

    fn users(&self, pid: u32) -> Option<[u32; 3]> {
        users_in(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?)
    }
}

impl ProcessId {
    /// Finds the process that has this id now, unless it is a zombie.
    pub fn of(pid: u32) -> Option<Self> {
        look_up(pid).filter(|kin| !kin.is_dead).map(|kin| kin.id)
    }

    pub fn is_alive(self) -> bool {
        Self::of(self.pid) == Some(self)
    }

    /// Writes it as one word, for keys.
    pub fn written(self) -> String {
        format!("{}-{}", self.pid, self.started)
    }

    /// Reads what [`ProcessId::written`] wrote.
    pub fn read(text: &str) -> Option<Self> {
        let (pid, started) = text.split_once('-')?;
        Some(Self { pid: pid.parse().ok()?, started: started.parse().ok()? })
    }
}

impl Kin {
    pub fn has_terminal(&self) -> bool {
        self.terminal != 0
    }

    pub fn leads_a_session(&self) -> bool {
        self.session == self.id.pid
    }

    /// The usual name of its terminal: `pts/3`, `tty1`.
    pub fn terminal_name(&self) -> Option<String> {
        let (major, minor) = ((self.terminal >> 8) & 0xfff, (self.terminal & 0xff) | ((self.terminal >> 12) & 0xfff00));
        match (self.terminal, major) {
            (0, _) => None,
            (_, 4) => Some(format!("tty{minor}")),
            (_, 136..=143) => Some(format!("pts/{}", minor + (major - 136) * 256)),
            _ => Some(format!("{major}:{minor}")),
        }
    }
}

/// Returns the arguments of a process, its own name first. Empty if it cannot be read.
pub fn command_line(pid: u32) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    if bytes.is_empty() {
        // Also for a zombie.
        return Vec::new();
    }
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    bytes.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}

/// Returns the program that a process runs.
pub fn program(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// Is a process's output a terminal?
pub fn shows_on_a_terminal(pid: u32) -> bool {
    let output = fs::read_link(format!("/proc/{pid}/fd/1"));
    output.is_ok_and(|path| path.starts_with("/dev/pts") || is_console(&path))
}

fn is_console(path: &Path) -> bool {
    path.parent() == Some(Path::new("/dev"))
        && path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"tty"))
}

/// The first process of a machine or a container. It adopts orphans, so being its descendant proves nothing.
pub const FIRST_PROCESS: u32 = 1;
/// The control group of systemd's managers, of the machine and of each user, separate from everything they start.
const MANAGERS_PLACE: &str = "/init.scope";

/// Is this the first process, or a service manager in a control group of its own?
pub fn is_manager(pid: u32) -> bool {
    let groups = || fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    pid <= FIRST_PROCESS || groups().lines().any(|group| group.ends_with(MANAGERS_PLACE))
}

/// Looks up the process that has this id now.
pub fn look_up(pid: u32) -> Option<Kin> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Parses `/proc/PID/stat`. The command's name is in parentheses and may contain anything, so the fields begin after
/// the last one.
fn parse(pid: u32, stat: &str) -> Option<Kin> {
    let rest = &stat[stat.rfind(')')? + 1..];
    let mut fields = rest.split_ascii_whitespace();
    let is_dead = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    // Signed: none is 0 or, on some systems, -1.
    let terminal: i64 = fields.next()?.parse().ok()?;
    let started = fields.nth(14)?.parse().ok()?;
    Some(Kin {
        id: ProcessId { pid, started },
        parent,
        session,
        terminal: u32::try_from(terminal).unwrap_or(0),
        is_dead,
    })
}

/// Parses the line `Uid:` of `/proc/PID/status`.
fn users_in(status: &str) -> Option<[u32; 3]> {
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    let mut users = line.split_ascii_whitespace().map(|user| user.parse().ok());
    Some([users.next()??, users.next()??, users.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_a_misleading_name_is_read_right() {
        let stat = "42 (evil) S 1 0 ) S 7 42 40 34819 42 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 0 0";
        let id = ProcessId { pid: 42, started: 987_654 };
        let kin = Kin { id, parent: 7, session: 40, terminal: 34819, is_dead: false };
        assert_eq!(parse(42, stat), Some(kin));
        assert_eq!(kin.terminal_name().as_deref(), Some("pts/3"));
        assert_eq!(Kin { terminal: 1025, ..kin }.terminal_name().as_deref(), Some("tty1"));
        assert_eq!(Kin { terminal: 0, ..kin }.terminal_name(), None);
    }

    #[test]
    fn the_users_of_a_process_are_read() {
        assert_eq!(users_in("Name:\tsshd\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n"), Some([0, 0, 0]));
        assert_eq!(users_in("Name:\tx\nUid:\t1000\t0\n"), None);
        let own = rustix::process::getuid().as_raw();
        assert_eq!(System.users(std::process::id()).unwrap()[0], own);
    }

    #[test]
    fn a_process_is_written_and_read_again() {
        let id = ProcessId { pid: 7, started: 12 };
        assert_eq!(ProcessId::read(&id.written()), Some(id));
        assert_eq!(ProcessId::read(""), None);
    }
}
