//! `askbridge uninstall`: removes our entries from another program's settings.

use std::collections::HashSet;
use std::fs;

use askbridge_edits::uninstall as take_out;
use serde_json::json;

use super::program::{PROGRAMS, Program, Scope};
use super::report::{failed, tell_change};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell};
use crate::settings::{Settings, Surroundings};

const EXAMPLES: &str = "\
Examples:
  askbridge uninstall                    where askbridge is in other programs' settings; changes nothing
  askbridge uninstall claude             out of your own settings
  askbridge uninstall claude --project   out of those of the project in this folder
  askbridge uninstall codex --dry-run    show the change, and write nothing

If nothing else changed since `askbridge init`, the file is again what it was, byte for byte; otherwise only what is
askbridge's is taken out. A file that was made for it is removed.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UninstallArgs {
    /// The program. Without it: list where askbridge is
    program: Option<Program>,
    /// The settings of the project in this folder
    #[arg(long, conflicts_with = "local", requires = "program")]
    project: bool,
    /// Your own settings for the project in this folder (Claude Code)
    #[arg(long, requires = "program")]
    local: bool,
    /// Show what would change, and write nothing
    #[arg(long, requires = "program")]
    dry_run: bool,
    /// Print JSON, one file on each line
    #[arg(long)]
    json: bool,
}

pub(crate) fn uninstall(settings: &Settings, args: &UninstallArgs) -> Result<Exit, Failure> {
    let around = Surroundings::look()?;
    let Some(program) = args.program else { return list(settings, &around, args.json) };
    let scope = Scope::of(args.project, args.local);
    // If one file cannot be changed, the others still are.
    let mut first = None;
    for job in program.uninstall(scope, settings, &around)? {
        match take_out(&job.target, args.dry_run) {
            Ok(change) => tell_change(program, &job, &change, args.dry_run, args.json)?,
            Err(error) => first = first.or(Some(failed(error, &job))),
        }
    }
    first.map_or(Ok(Exit::Good), Err)
}

/// Lists what can be removed, and with which command.
fn list(settings: &Settings, around: &Surroundings, json: bool) -> Result<Exit, Failure> {
    // In the home folder, the project's settings and the person's own are the same file.
    let mut seen = HashSet::new();
    let mut any = false;
    for program in PROGRAMS {
        let word = program.word();
        for scope in program.scopes() {
            let flag = match scope {
                Scope::Person => "",
                Scope::Project => " --project",
                Scope::Local => " --local",
            };
            for job in program.uninstall(*scope, settings, around)? {
                let file = job.target.file.clone();
                if !seen.insert(fs::canonicalize(&file).unwrap_or_else(|_| file.clone())) {
                    continue;
                }
                let (file, command) = (file.display().to_string(), format!("askbridge uninstall {word}{flag}"));
                let why = match take_out(&job.target, true) {
                    Ok(change) if change.is_none() => continue,
                    Ok(_) => None,
                    Err(error) => Some(failed(error, &job).what()),
                };
                any = true;
                print(&match (json, &why) {
                    (true, _) => {
                        json!({"program": word, "name": program.name(), "file": file, "type": command, "why": why})
                            .to_string()
                    }
                    (false, None) => format!("{word:<15}  in {file}; `{command}` takes it out"),
                    (false, Some(why)) => format!("{word:<15}  cannot be told: {why}"),
                })?;
            }
        }
    }
    if !json {
        tell(match any {
            true => {
                "add `--dry-run` to see a change before it is made. Of projects, only the one in this folder is looked at"
            }
            false => {
                "no settings of another program call askbridge. Of projects, only the one in this folder was looked at"
            }
        });
    }
    Ok(Exit::Good)
}
