//! The binary: starts the bridge, or speaks to one.

mod cli;
mod client;
mod commands;
mod exit_codes;
mod failure;
mod handover;
mod logging;
mod notify;
mod output;
mod settings;
mod spans;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::settings::Settings;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli.command.unwrap_or_else(|| Command::Serve(commands::serve::Args::default()))) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            if !failure.is_closed_pipe() {
                output::tell(&failure.to_string());
            }
            failure.exit.into()
        }
    }
}

fn run(command: Command) -> Result<Exit, Failure> {
    let settings = Settings::read()?;
    if let Command::Serve(args) = command {
        logging::start();
        // Before there are threads: it changes the environment.
        let handed = handover::take();
        // One core belongs to the journal's thread. A worker that shares it would be woken only to get in its way.
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let workers = cores.saturating_sub(1).max(1);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build()?;
        return runtime.block_on(commands::serve::run(settings, args, handed));
    }
    // A client waits more than it works: one thread is enough, and starts faster.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let settings = &settings;
    runtime.block_on(async move {
        match command {
            Command::Serve(_) => unreachable!("served above"),
            Command::Ask(args) => commands::ask::run(settings, args).await,
            Command::Inbox(args) => commands::inbox::run(settings, args).await,
            Command::Answer(args) => commands::answer::run(settings, *args).await,
            Command::Pair(args) => commands::pair::run(settings, args).await,
            Command::Token(args) => commands::token::run(settings, args).await,
            Command::Journal(args) => commands::journal::run(settings, &args),
            Command::Run(args) => commands::run::run(settings, args).await,
        }
    })
}
