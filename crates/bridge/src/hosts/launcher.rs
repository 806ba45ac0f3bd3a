//! The steps between fork and exec of an agent. Runs in the new process, which then becomes the agent.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use askbridge_platform::{launch, orphans};

use super::agent_folder::write_process;
use crate::auth::ProcessId;

/// The hidden command of the binary that runs this: `PARENT PREFIX PROGRAM ARGUMENTS…`.
pub const LAUNCH_COMMAND: &str = "launch-agent";

/// Becomes the agent. Returns only if that failed.
///
/// Until the process has written its id into the folder, it dies with its parent, since no later server could find it.
/// From then on it outlives its parent.
pub fn become_agent(args: &[OsString]) -> io::Error {
    match prepare(args) {
        Ok(mut command) => command.exec(),
        Err(error) => error,
    }
}

fn prepare(args: &[OsString]) -> io::Result<Command> {
    let bad = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why);
    let [parent, prefix, program, args @ ..] = args else {
        return Err(bad("this command is for askbridge itself"));
    };
    let parent: u32 = parent.to_str().and_then(|pid| pid.parse().ok()).ok_or_else(|| bad("the parent is a number"))?;
    if !launch::die_with(parent)? {
        return Err(bad("the process that started this is gone"));
    }
    launch::lead_a_session()?;
    // Makes the process a subreaper: its orphans stay below it, even after exec.
    orphans::adopt()?;
    let prefix = Path::new(prefix);
    let file = |end: &str| PathBuf::from(format!("{}.{end}", prefix.display()));
    // Open for reading and writing: the process never reads the end of its input, even if the server goes away.
    let stdin = OpenOptions::new().read(true).write(true).open(file("in"))?;
    let stdout = OpenOptions::new().append(true).open(file("out"))?;
    let stderr = OpenOptions::new().append(true).create(true).mode(0o600).open(file("err"))?;
    let me = ProcessId::of(std::process::id()).ok_or_else(|| bad("the system does not show this process"))?;
    write_process(prefix, me)?;
    launch::outlive_parent()?;
    let mut command = Command::new(program);
    command.args(args).stdin(stdin).stdout(stdout).stderr(stderr);
    Ok(command)
}
