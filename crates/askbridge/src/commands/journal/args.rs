//! The subcommands of `askbridge journal`. All but `restore` work beside a running server.

use std::io::{BufWriter, ErrorKind, IsTerminal, stdout};
use std::path::PathBuf;

use anyhow::Error;
use askbridge_journal::{ExportError, export_and_tell, verify_and_tell};

use super::report::{as_json, as_text};
use super::{copies, prune};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell};
use crate::progress::Progress;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge journal verify
  askbridge journal export > journal.jsonl    one entry on each line, in order
  askbridge journal backup monday.db          a copy of this moment, checked
  askbridge journal restore monday.db         with the server stopped
  askbridge journal accept                    with the server stopped, after putting back a copy by hand
  askbridge journal prune --older-than 90d --dry-run    how much would go

All of them work on the files of the data folder themselves. The server may go on working, except for `restore` and `accept`. `prune`
is done by the running server, and needs a terminal or an operator's token.";

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
    /// Copy the journal to one file and check the copy; everything acknowledged before is in it
    Backup {
        /// The file to make
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Forget conversations that were quiet for long; what is unfinished stays
    Prune(super::prune::Args),
    /// Put a copy where the server looks for its journal
    Restore {
        /// A file that `askbridge journal backup` made
        file: PathBuf,
        /// Set the journal that is there aside, into a folder beside it
        #[arg(long)]
        replace: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Go on with the journal as it is, although it was longer before or is another one
    Accept,
}

pub(crate) async fn run(settings: &Settings, args: &Args) -> Result<Exit, Failure> {
    if let Verb::Prune(args) = &args.verb {
        return prune::run(settings, args).await;
    }
    if let Verb::Restore { file, replace, json } = &args.verb {
        return copies::restore(settings, file, *replace, *json);
    }
    if !settings.data.is_dir() {
        let why = format!("there is no journal in `{}`", settings.data.display());
        return Err(Failure::new(why).hint("`--data`, $ASKBRIDGE_DATA or `data` in the settings names the folder"));
    }
    match &args.verb {
        Verb::Restore { .. } | Verb::Prune(_) => unreachable!("done above"),
        Verb::Backup { file, json } => copies::backup(settings, file, *json),
        Verb::Accept => copies::accept(settings),
        Verb::Verify { json } => {
            let mut progress = Progress::new("checking");
            let report = verify_and_tell(&settings.data, &mut |done, all| progress.show(done, all));
            drop(progress);
            let report = report.map_err(|error| Failure::from(Error::from(error)))?;
            print(&if *json { as_json(&report) } else { as_text(&report) })?;
            if report.is_good() {
                return Ok(Exit::Good);
            }
            let hint = "save what can be read with `askbridge journal export`, and put back a copy with `askbridge journal restore`";
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
    // If the export itself goes to the terminal, progress is not shown.
    let mut progress = if stdout().is_terminal() { Progress::none() } else { Progress::new("exporting") };
    let out = BufWriter::new(stdout().lock());
    export_and_tell(&settings.data, out, &mut |done, all| progress.show(done, all))
}
