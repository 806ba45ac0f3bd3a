//! `askbridge journal`: looks the journal over, or writes all of it as text. Works beside a running server.

use std::io::{BufWriter, ErrorKind, IsTerminal, stdout};

use anyhow::Error;
use askbridge_journal::{ExportError, Report, export_and_tell, verify_and_tell};
use serde_json::json;

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::progress::Progress;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge journal verify
  askbridge journal export > journal.jsonl    one entry on each line, in order

Both read the files of the data folder themselves; the server may go on working.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Check every entry, the chain that ties them together, and the index
    Verify {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print every entry as a line of JSON
    Export {
        /// Changes nothing: an export is JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(settings: &Settings, args: &Args) -> Result<Exit, Failure> {
    if !settings.data.is_dir() {
        let why = format!("there is no journal in `{}`", settings.data.display());
        return Err(Failure::new(why).hint("`--data`, $ASKBRIDGE_DATA or `data` in the settings names the folder"));
    }
    match args.verb {
        Verb::Verify { json } => {
            let mut progress = Progress::new("checking");
            let report = verify_and_tell(&settings.data, &mut |done, all| progress.show(done, all));
            drop(progress);
            let report = report.map_err(|error| Failure::from(Error::from(error)))?;
            print(&if json { as_json(&report) } else { as_text(&report) })?;
            if report.is_good() {
                return Ok(Exit::Good);
            }
            let hint = "save what can be read with `askbridge journal export`, and put back a copy of the data folder";
            Err(Failure::new("the journal is not as it should be").hint(hint))
        }
        Verb::Export { json: _ } => match exported(settings) {
            Ok(entries) => {
                tell(&format!("{entries} entries"));
                Ok(Exit::Good)
            }
            Err(ExportError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Err(error.into()),
            Err(error) => Err(Failure::from(Error::from(error))),
        },
    }
}

fn exported(settings: &Settings) -> Result<u64, ExportError> {
    // Where the export itself scrolls by, nobody needs to be told that it does.
    let mut progress = if stdout().is_terminal() { Progress::none() } else { Progress::new("exporting") };
    let out = BufWriter::new(stdout().lock());
    export_and_tell(&settings.data, out, &mut |done, all| progress.show(done, all))
}

fn as_text(report: &Report) -> String {
    let mut lines = vec![format!(
        "{}: {} entries, {} sessions, {} open asks",
        report.path.display(),
        report.entries,
        report.sessions,
        report.open_asks
    )];
    lines.extend(report.problems.iter().map(|problem| format!("problem: {}", visible(&problem.to_string()))));
    if report.more_problems > 0 {
        lines.push(format!("problem: and {} more", report.more_problems));
    }
    if report.is_good() {
        lines.push("all is as it should be".to_owned());
    }
    lines.join("\n")
}

fn as_json(report: &Report) -> String {
    let problems: Vec<_> = report.problems.iter().map(ToString::to_string).collect();
    let shown = json!({
        "path": report.path.display().to_string(),
        "format": report.format,
        "entries": report.entries,
        "sessions": report.sessions,
        "open_asks": report.open_asks,
        "good": report.is_good(),
        "problems": problems,
        "more_problems": report.more_problems,
    });
    shown.to_string()
}
