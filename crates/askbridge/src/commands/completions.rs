//! `askbridge completions`: shell completions for our commands and flags.

use std::io::stdout;

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use crate::cli::Cli;
use crate::exit_codes::Exit;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  askbridge completions bash > ~/.local/share/bash-completion/completions/askbridge
  askbridge completions zsh > ~/.zfunc/_askbridge          with ~/.zfunc in your fpath
  askbridge completions fish > ~/.config/fish/completions/askbridge.fish";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    // Rendered to memory first: clap_complete panics when the reader closes the pipe.
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "askbridge", &mut script);
    std::io::Write::write_all(&mut stdout().lock(), &script)?;
    Ok(Exit::Good)
}
