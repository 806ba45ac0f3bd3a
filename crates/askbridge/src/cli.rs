//! What can be typed.

use clap::{Parser, Subcommand};

/// Carries a coding agent's question to a person, waits as long as it takes, and carries the answer back.
#[derive(Debug, Parser)]
#[command(name = "askbridge", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server in the foreground (the default).
    Serve,
}
