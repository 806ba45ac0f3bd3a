//! `askbridge init` without a program: lists the installed programs, and what would be done.

use askbridge_edits::install;
use serde_json::json;

use super::door::doors;
use super::program::{PROGRAMS, Scope, Wish};
use super::report::failed;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell};
use crate::settings::{Settings, Surroundings};

pub(super) fn list(settings: &Settings, around: &Surroundings, json: bool) -> Result<Exit, Failure> {
    let doors = doors(settings, around);
    let mut any = false;
    for program in PROGRAMS {
        let word = program.word();
        let found = program.is_found(around);
        let installed = doors.iter().flatten().any(|door| door.program == program);
        any |= found && !installed;
        let wish = Wish::default();
        for job in program.install(Scope::Person, &wish, settings, around)? {
            let file = job.target.file.display().to_string();
            let planned = install(&job.target, true).map_err(|error| failed(error, &job).what());
            let state = match (&planned, found) {
                (_, false) => "absent",
                (Err(_), true) => "blocked",
                (Ok(change), true) if change.is_none() => "installed",
                (Ok(_), true) if installed => "outdated",
                (Ok(_), true) => "available",
            };
            let why = planned.as_ref().err().filter(|_| found);
            if json {
                print(&json!({"program": word, "name": program.name(), "state": state, "file": file, "adds": job.what, "why": why}).to_string())?;
                continue;
            }
            print(&match state {
                "absent" => format!("{word:<15}  not found"),
                "installed" => format!("{word:<15}  installed: {} in {file}", job.what),
                "outdated" => format!("{word:<15}  installed otherwise; `askbridge init {word}` would change {file}"),
                "available" => format!("{word:<15}  found; `askbridge init {word}` adds {} to {file}", job.what),
                _ => {
                    format!("{word:<15}  found, and cannot be changed: {}", why.map(String::as_str).unwrap_or_default())
                }
            })?;
        }
    }
    if !json && any {
        tell("add `--dry-run` to see a change before it is made; `askbridge uninstall` takes it back");
    }
    Ok(Exit::Good)
}
