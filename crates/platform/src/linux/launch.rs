//! What a new process does before it executes another program.

use std::io;

use rustix::process::{Signal, getppid, set_parent_process_death_signal, setsid};

/// From now on this process is killed when its parent exits. Returns `false` if `parent` is not its parent: then that
/// one has exited already.
pub fn die_with(parent: u32) -> io::Result<bool> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let now = getppid().map(|pid| pid.as_raw_nonzero().get());
    Ok(now.and_then(|pid| u32::try_from(pid).ok()) == Some(parent))
}

/// From now on this process outlives its parent.
pub fn outlive_parent() -> io::Result<()> {
    Ok(set_parent_process_death_signal(None)?)
}

/// Starts a new session, with this process as leader.
pub fn lead_a_session() -> io::Result<()> {
    setsid()?;
    Ok(())
}
