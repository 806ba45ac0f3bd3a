//! Claude Code as an agent that we run: its program, its command line, its transcript.

mod argv;
mod cli;
mod conversation;
mod kind;
mod machine;
mod recover;
mod start;
mod transcript;

pub use argv::{HoldLimit, Launch, LaunchError};
pub use cli::{Cli, CliError, find, is_root_without_a_sandbox};

pub(super) use kind::ClaudeCode;
