//! Steps of a new process before it becomes another program.

use std::io;

use rustix::process::{Signal, getppid, set_parent_process_death_signal, setsid};

/// From now on this process is killed when its parent ends. Says `false` if `parent` is not its parent: then that one has
/// ended already.
pub fn die_with(parent: u32) -> io::Result<bool> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let now = getppid().map(|pid| pid.as_raw_nonzero().get());
    Ok(now.and_then(|pid| u32::try_from(pid).ok()) == Some(parent))
}

/// From now on this process outlives its parent.
pub fn outlive_parent() -> io::Result<()> {
    Ok(set_parent_process_death_signal(None)?)
}

/// Leaves the session of its parent and leads one of its own.
pub fn lead_a_session() -> io::Result<()> {
    setsid()?;
    Ok(())
}
