//! The binary: starts the bridge, or is a client of one.

mod cli;
mod client;
mod commands;
mod encrypted;
mod exit_codes;
mod failure;
mod further;
mod handover;
mod logging;
mod notify;
mod output;
mod private;
mod progress;
mod reach;
mod scratch;
mod served;
mod settings;
mod speaking;

use std::process::ExitCode;

use askbridge_bridge::hosts::{LAUNCH_COMMAND, become_agent};
use clap::Parser;
use tokio::runtime::Builder;

use crate::cli::{Cli, Command, SettingsPage};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::settings::Settings;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Internal, and before anything else: this process becomes an agent.
    let args: Vec<_> = std::env::args_os().collect();
    if args.get(1).is_some_and(|command| command == LAUNCH_COMMAND) {
        let error = become_agent(&args[2..]);
        output::tell(&format!("error: could not become the agent: {error}"));
        return Exit::Failed.into();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // An agent would take this exit code of a hook for a no, which no person has said.
        Err(error) if error.use_stderr() && args.iter().any(|arg| arg == "hook") => return Exit::Good.into(),
        Err(error) => error.exit(),
    };
    match run(cli) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            if !failure.is_closed_pipe() {
                output::tell(&failure.to_string());
            }
            failure.exit.into()
        }
    }
}

fn run(cli: Cli) -> Result<Exit, Failure> {
    let (command, line) = cli.split()?;
    // These must work with invalid settings: they report them, or need none.
    let command = match command {
        Command::Config(args) => return commands::config::run(&line, &args),
        Command::Completions(args) => return commands::completions::run(&args),
        Command::Settings(_) => return Ok(SettingsPage::print().map(|()| Exit::Good)?),
        Command::Hook(args) => return commands::hook::run(&line, &args),
        Command::Doctor(args) => {
            // It may start a temporary server, which has to run while a check waits for it.
            let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
            return runtime.block_on(commands::doctor::run(&line, &args));
        }
        command => command,
    };
    let settings = Settings::read(&line)?;
    match command {
        Command::Serve(serve) => {
            logging::start(&settings);
            // Before any threads: it changes the environment.
            let handed = handover::take();
            // One core is left to the journal's thread, which a worker on the same core would only delay.
            let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            let workers = cores.saturating_sub(1).max(1);
            let runtime = Builder::new_multi_thread().worker_threads(workers).enable_all().build()?;
            runtime.block_on(commands::serve::run(settings, &serve.args, handed))
        }
        Command::Demo(args) => {
            // As for the doctor: a temporary server has to run while we wait for a person's input.
            let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
            runtime.block_on(commands::demo::run(&settings, args))
        }
        Command::Expose(args) => {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(commands::expose::run(&line, &settings, *args))
        }
        Command::Init(args) => commands::init::run(&settings, &args),
        Command::Uninstall(args) => commands::init::uninstall(&settings, &args),
        command => client(&settings, command),
    }
}

/// Runs a client command, which waits more than it works: one thread is enough, and starts faster.
fn client(settings: &Settings, command: Command) -> Result<Exit, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async move {
        match command {
            Command::Ask(args) => commands::ask::run(settings, args).await,
            Command::Wait(args) => commands::ask::later::run(settings, args).await,
            Command::Inbox(args) => commands::inbox::run(settings, args).await,
            Command::Answer(args) => commands::answer::run(settings, *args).await,
            Command::Pair(args) => commands::pair::run(settings, args).await,
            Command::Connect(args) => commands::connect::run(settings, args).await,
            Command::Disconnect => commands::connect::off(settings).await,
            Command::Taps(args) => commands::taps::run(settings, args).await,
            Command::Token(args) => commands::token::run(settings, args).await,
            Command::Cluster(args) => commands::cluster::run(settings, args).await,
            Command::Journal(args) => commands::journal::run(settings, &args).await,
            Command::Run(args) => commands::run::run(settings, args).await,
            Command::Mcp(args) => commands::mcp::run(settings, args).await,
            Command::Away(args) => commands::away::run(settings, args).await,
            Command::Channel(args) => commands::channel::run(settings, args).await,
            Command::Notify(args) => commands::notify::run(settings, args).await,
            Command::Digest(args) => commands::digest::run(settings, args).await,
            Command::Policy(args) => commands::policy::run(settings, args).await,
            Command::Resume(args) => commands::resume::run(settings, args).await,
            Command::Serve(_)
            | Command::Demo(_)
            | Command::Expose(_)
            | Command::Init(_)
            | Command::Uninstall(_)
            | Command::Config(_)
            | Command::Doctor(_)
            | Command::Hook(_)
            | Command::Settings(_)
            | Command::Completions(_) => {
                unreachable!("run before there was a client")
            }
        }
    })
}
