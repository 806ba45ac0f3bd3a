//! `askbridge uninstall`.

use askbridge_edits::uninstall as take_out;

use super::program::{Program, Scope};
use super::report::{failed, tell_change};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::settings::{Settings, Surroundings};

const EXAMPLES: &str = "\
Examples:
  askbridge uninstall claude             out of your own settings
  askbridge uninstall claude --project   out of those of the project in this folder
  askbridge uninstall codex --dry-run    show the change, and write nothing

If nothing else changed since `askbridge init`, the file is again what it was, byte for byte; otherwise only what is
askbridge's is taken out. A file that was made for it is removed.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UninstallArgs {
    /// The program
    program: Program,
    /// The settings of the project in this folder
    #[arg(long, conflicts_with = "local")]
    project: bool,
    /// Your own settings for the project in this folder (Claude Code)
    #[arg(long)]
    local: bool,
    /// Show what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON, one file on each line
    #[arg(long)]
    json: bool,
}

pub(crate) fn uninstall(settings: &Settings, args: &UninstallArgs) -> Result<Exit, Failure> {
    let around = Surroundings::look()?;
    let scope = match (args.project, args.local) {
        (true, _) => Scope::Project,
        (_, true) => Scope::Local,
        _ => Scope::Person,
    };
    // What cannot be changed is no reason to leave the rest.
    let mut first = None;
    for job in args.program.uninstall(scope, settings, &around)? {
        match take_out(&job.target, args.dry_run) {
            Ok(change) => tell_change(args.program, &job, &change, args.dry_run, args.json)?,
            Err(error) => first = first.or(Some(failed(error, &job))),
        }
    }
    first.map_or(Ok(Exit::Good), Err)
}
