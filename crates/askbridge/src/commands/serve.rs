//! `askbridge serve`: runs the server in the foreground.

use std::io::{IsTerminal, Write, stdout};

use anyhow::Result;
use askbridge_bridge::server::Handed;
use askbridge_platform::limits;
use tokio::signal::unix::{SignalKind, signal};
use tracing::{info, warn};

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::notify;
use crate::output::tell;
use crate::served::Served;
use crate::settings::Settings;

#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// End the agents that run when the server ends, instead of leaving them to the next one
    #[arg(long)]
    stop_agents: bool,
    /// If another askbridge works on this data folder, wait until it stops, and go on in its place
    #[arg(long)]
    wait_for_lock: bool,
}

pub(crate) async fn run(settings: Settings, args: &Args, handed: Handed) -> Result<Exit, Failure> {
    raise_file_limit();
    outlive_the_size_limit();
    let served = Served::start(&settings, handed, args.wait_for_lock).await?;
    served.adopt_orphans();
    greet(&settings, &served).await?;
    notify::tell("READY=1");
    wait_for_the_end().await?;
    notify::tell("STOPPING=1");
    served.leaving();
    info!("Stopping: finishing what is in hand");
    served.stop(args.stop_agents).await;
    Ok(Exit::Good)
}

/// Raises the soft limit of open files: every connection is one, shells often set 1024, and the hard limit is higher.
fn raise_file_limit() {
    if let Err(error) = limits::raise_open_files() {
        info!(%error, "Could not raise the limit of open files; it stays as it was");
    }
}

/// Handles SIGXFSZ: beyond `ulimit -f` it would end the process, while everything can still be read. With a handler the
/// write fails instead, and that is treated like a full disk. Child processes do not inherit it.
fn outlive_the_size_limit() {
    if let Err(error) = signal(SignalKind::from_raw(limits::file_bytes_signal())) {
        warn!(%error, "Could not prepare for a limit on the size of files; reaching it would end this server");
    }
}

/// Prints one link. Only a terminal gets one that pairs a device, and only for the first device: an agent could read it
/// anywhere else, and a further device needs a tap.
async fn greet(settings: &Settings, served: &Served) -> Result<()> {
    let address = served.address;
    let reach = served.reach();
    let link = match stdout().is_terminal() && !served.someone_was_paired() {
        true => served.link(settings).await?,
        false => format!("{}/", reach.base),
    };
    if stdout().is_terminal() && served.someone_was_paired() {
        tell(
            "Open it on a paired device. To pair another one: `askbridge pair`, or Settings on a device that is paired.",
        );
    }
    // The parent process may have closed its end of stdout; we serve all the same.
    let _ = writeln!(stdout(), "{link}");
    if let Some(hint) = reach.hint.filter(|_| reach.is_guessed) {
        tell(&format!("hint: {hint}"));
    }
    info!(%address, data = %settings.data.display(), "askbridge {} serves", env!("CARGO_PKG_VERSION"));
    Ok(())
}

async fn wait_for_the_end() -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
