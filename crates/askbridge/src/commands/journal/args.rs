//! The subcommands of `askbridge journal`. All but `restore` work beside a running server.

use std::io::{BufWriter, ErrorKind, IsTerminal, stdout};
use std::path::PathBuf;

use anyhow::Error;
use askbridge_journal::{ExportError, Nats, Report, export_and_tell, verify_and_tell};

use super::report::{as_json, as_text};
use super::{copies, prune, remote};
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
  askbridge journal migrate sqlite nats://a:4222,b:4222,c:4222    with the server stopped

All of them work on the files of the data folder themselves, or on the servers that `journal` names. The server may go on working, except
for `restore`, `accept` and `migrate`. `prune` is done by the running server, and needs a terminal or an operator's token.";

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
    /// Move the journal from SQLite to NATS or back; it goes on where it was interrupted, and compares everything
    Migrate(super::remote::Migrate),
    /// Go on with the journal as it is, although it was longer before or is another one
    Accept,
}

pub(crate) async fn run(settings: &Settings, args: &Args) -> Result<Exit, Failure> {
    if let Verb::Prune(args) = &args.verb {
        return prune::run(settings, args).await;
    }
    if let Verb::Migrate(args) = &args.verb {
        return remote::run(settings, args).await;
    }
    if let Some(nats) = remote::connect(settings).await? {
        return on_nats(&nats, &args.verb).await;
    }
    if let Verb::Restore { file, replace, json } = &args.verb {
        return copies::restore(settings, file, *replace, *json);
    }
    if !settings.data.is_dir() {
        let why = format!("there is no journal in `{}`", settings.data.display());
        return Err(Failure::new(why).hint("`--data`, $ASKBRIDGE_DATA or `data` in the settings names the folder"));
    }
    match &args.verb {
        Verb::Restore { .. } | Verb::Prune(_) | Verb::Migrate(_) => unreachable!("done above"),
        Verb::Backup { file, json } => copies::backup(settings, file, *json),
        Verb::Accept => copies::accept(settings),
        Verb::Verify { json } => {
            let mut progress = Progress::new("checking");
            let report = verify_and_tell(&settings.data, &mut |done, all| progress.show(done, all));
            drop(progress);
            verified(&report.map_err(|error| Failure::from(Error::from(error)))?, *json)
        }
        Verb::Export { json: _ } => told(exported(settings)),
    }
}

/// The commands on a journal on NATS. The nodes may go on working.
async fn on_nats(nats: &Nats, verb: &Verb) -> Result<Exit, Failure> {
    match verb {
        Verb::Verify { json } => verified(&remote::verify(nats).await?, *json),
        Verb::Export { json: _ } => told(remote::export(nats).await),
        Verb::Backup { file, json } => copies::shown(&remote::copy_to(nats, file).await?, *json),
        Verb::Restore { .. } | Verb::Accept | Verb::Prune(_) | Verb::Migrate(_) => {
            let hint = "put a copy into an empty folder with `askbridge journal restore FILE --data FOLDER --journal sqlite`, \
                        and move it: `askbridge journal migrate sqlite:FOLDER nats://…`";
            Err(Failure::new("this is done to a journal of SQLite, and the settings name one on NATS").hint(hint))
        }
    }
}

fn verified(report: &Report, json: bool) -> Result<Exit, Failure> {
    print(&if json { as_json(report) } else { as_text(report) })?;
    if report.is_good() {
        return Ok(Exit::Good);
    }
    let hint =
        "save what can be read with `askbridge journal export`, and put back a copy with `askbridge journal restore`";
    Err(Failure::new("the journal is not as it should be").hint(hint))
}

fn told(exported: Result<u64, ExportError>) -> Result<Exit, Failure> {
    match exported {
        Ok(entries) => {
            tell(&format!("{entries} entries"));
            Ok(Exit::Good)
        }
        Err(ExportError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Err(error.into()),
        Err(error) => Err(Failure::from(Error::from(error))),
    }
}

fn exported(settings: &Settings) -> Result<u64, ExportError> {
    // If the export itself goes to the terminal, progress is not shown.
    let mut progress = if stdout().is_terminal() { Progress::none() } else { Progress::new("exporting") };
    let out = BufWriter::new(stdout().lock());
    export_and_tell(&settings.data, out, &mut |done, all| progress.show(done, all))
}
