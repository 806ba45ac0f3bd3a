//! The files of one agent's process, side by side in one folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use askbridge_core::ids::SessionId;
use askbridge_platform::fifo;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::auth::ProcessId;

/// How many bytes at the end of a process's stderr are reported when it exits unexpectedly.
const STDERR_BYTES_MAX: u64 = 2000;

/// The files of one agent's process.
#[derive(Debug, Clone)]
pub(super) struct AgentFolder {
    folder: PathBuf,
    name: String,
}

/// Up to where the output of the process is stored, and what a machine needs to go on from there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rest<C> {
    pub(super) offset: u64,
    pub(super) carry: C,
    /// Did the process resume an earlier conversation?
    pub(super) resumed: bool,
    /// Where in the journal the session was then: what the process says after `offset` is stored after it. `None` in
    /// files of earlier releases.
    #[serde(default)]
    pub(super) position: Option<u64>,
}

/// Creates the folder, accessible to us alone.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Finds the sessions that have a process, or had one when last checked.
pub(super) fn inhabited(folder: &Path) -> io::Result<Vec<SessionId>> {
    with_file(folder, ".pid")
}

/// Finds the sessions that unsaid words are kept for.
pub(super) fn remembered(folder: &Path) -> io::Result<Vec<SessionId>> {
    with_file(folder, ".rest")
}

fn with_file(folder: &Path, end: &str) -> io::Result<Vec<SessionId>> {
    let names = fs::read_dir(folder)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.filter_map(|name| name.strip_suffix(end)?.parse().ok()).collect())
}

/// A running agent's process, hosted by this server or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningAgent {
    pub session: SessionId,
    pub pid: u32,
}

/// Finds every running agent. Changes nothing.
pub fn running_agents(folder: &Path) -> io::Result<Vec<RunningAgent>> {
    let sessions = match inhabited(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        sessions => sessions?,
    };
    let processes = sessions.into_iter().map(|session| (session, AgentFolder::new(folder, session).process()));
    let alive = processes.filter_map(|(session, process)| process.filter(|it| it.is_alive()).map(|it| (session, it)));
    Ok(alive.map(|(session, process)| RunningAgent { session, pid: process.pid }).collect())
}

impl AgentFolder {
    pub(super) fn new(folder: &Path, session: SessionId) -> Self {
        Self { folder: folder.to_owned(), name: session.to_string() }
    }

    fn file(&self, end: &str) -> PathBuf {
        self.folder.join(format!("{}.{end}", self.name))
    }

    /// The path that the launcher is given: the files' names without their extensions.
    pub(super) fn prefix(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    pub(super) fn stdin(&self) -> PathBuf {
        self.file("in")
    }

    pub(super) fn spool(&self) -> PathBuf {
        self.file("out")
    }

    /// The spool's name without its folder, as inotify reports it.
    pub(super) fn spool_name(&self) -> String {
        format!("{}.out", self.name)
    }

    /// Marks that a long line is being written. If we end before it is complete, the process has half a line.
    pub(super) fn writing(&self) -> PathBuf {
        self.file("writing")
    }

    /// Prepares the files for a new process: removes those of an earlier one, except words that were not said.
    pub(super) fn prepare<C: Serialize>(&self, rest: &Rest<C>) -> io::Result<()> {
        for end in ["pid", "in", "out", "err", "writing"] {
            remove(&self.file(end))?;
        }
        fifo::make(&self.stdin())?;
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(self.spool())?;
        self.keep_rest(rest)
    }

    /// Returns the process of these files, if one ever wrote its id.
    pub(super) fn process(&self) -> Option<ProcessId> {
        read_process(&fs::read_to_string(self.file("pid")).ok()?)
    }

    pub(super) fn rest<C: DeserializeOwned>(&self) -> Option<Rest<C>> {
        serde_json::from_str(&fs::read_to_string(self.file("rest")).ok()?).ok()
    }

    /// Writes another file and renames it, so that it is never read half written.
    pub(super) fn keep_rest<C: Serialize>(&self, rest: &Rest<C>) -> io::Result<()> {
        let text = serde_json::to_string(rest).expect("a rest has text keys");
        write_whole(&self.file("rest"), &text)
    }

    /// Returns the end of the process's stderr.
    pub(super) fn complaints(&self) -> String {
        let read = || -> io::Result<String> {
            let mut file = File::open(self.file("err"))?;
            let bytes = file.metadata()?.len();
            file.seek(SeekFrom::Start(bytes.saturating_sub(STDERR_BYTES_MAX)))?;
            let mut end = Vec::new();
            file.read_to_end(&mut end)?;
            Ok(String::from_utf8_lossy(&end).trim().to_owned())
        };
        read().unwrap_or_default()
    }

    /// Removes the files of a process that has exited and whose output is stored. Words that a stop has swallowed stay.
    pub(super) fn clear(&self) -> io::Result<()> {
        for end in ["pid", "in", "out", "err", "writing"] {
            remove(&self.file(end))?;
        }
        Ok(())
    }

    /// Removes all files: the session is over.
    pub(super) fn clear_all(&self) -> io::Result<()> {
        self.clear()?;
        remove(&self.file("rest"))
    }
}

pub(super) fn write_process(prefix: &Path, process: ProcessId) -> io::Result<()> {
    let path = PathBuf::from(format!("{}.pid", prefix.display()));
    write_whole(&path, &format!("{} {}\n", process.pid, process.started))
}

fn read_process(text: &str) -> Option<ProcessId> {
    let (pid, started) = text.trim().split_once(' ')?;
    Some(ProcessId { pid: pid.parse().ok()?, started: started.parse().ok()? })
}

fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    file.write_all(text.as_bytes())?;
    drop(file);
    fs::rename(&beside, path)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
