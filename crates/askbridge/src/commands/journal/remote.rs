//! The commands on a journal on NATS: verify, export, backup, and moving one there and back.

use std::io::{BufWriter, IsTerminal, stdout};
use std::path::Path;

use anyhow::{Context, Error};
use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::Clock;
use askbridge_bridge::cluster::FIRST;
use askbridge_bridge::runtime::{Location, belongs_to_one_node};
use askbridge_bridge::stable_node_id;
use askbridge_journal::migrate::{Migrated, Moving, Phase, Place, copy_shelf, migrate};
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use askbridge_journal::{ExportError, Memory, Nats, Report, Sqlite, backup, sqlite};
use serde_json::json;

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{counted, print, tell};
use crate::progress::Progress;
use crate::settings::Settings;

#[derive(Debug, clap::Args)]
pub(crate) struct Migrate {
    /// Where the journal is: `sqlite` for that of the data folder, `sqlite:FOLDER`, or `nats://HOST:PORT,…`
    from: String,
    /// Where it is to be, written in the same way; empty, or what an interrupted migration left there
    to: String,
    /// Print JSON: {"sessions", "entries", "resumed", "forgotten", "items"}
    #[arg(long)]
    json: bool,
}

/// Connects to the journal on NATS that the settings name. `None`: they name another kind.
pub(super) async fn connect(settings: &Settings) -> Result<Option<Nats>, Failure> {
    match &settings.location()? {
        location @ Location::Nats { .. } => reach(location).await.map(Some),
        Location::Sqlite { .. } | Location::Memory => Ok(None),
    }
}

async fn reach(location: &Location) -> Result<Nats, Failure> {
    let options = location.nats_options(&Chance::System).context("this journal is not on NATS")?;
    Nats::connect(&options).await.map_err(|error| {
        Failure::from(Error::from(error)).hint(format!("are the servers of `{location}` running, and let you in?"))
    })
}

/// Checks every entry and the chains.
pub(super) async fn verify(nats: &Nats) -> Result<Report, Failure> {
    let scratch = tempfile::tempdir().context("could not make a temporary folder")?;
    let mut progress = Progress::new("checking");
    let report = nats.verify(None, &scratch.path().join("index.db"), &mut |done, all| progress.show(done, all)).await;
    report.map_err(|error| Failure::from(Error::from(error)))
}

pub(super) async fn export(nats: &Nats) -> Result<u64, ExportError> {
    let mut progress = if stdout().is_terminal() { Progress::none() } else { Progress::new("exporting") };
    nats.export(BufWriter::new(stdout()), &mut |done, all| progress.show(done, all)).await
}

/// Copies the journal to one file, through a journal in a temporary folder beside it.
pub(super) async fn copy_to(nats: &Nats, file: &Path) -> Result<Report, Failure> {
    let beside = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let scratch = tempfile::tempdir_in(beside)
        .with_context(|| format!("could not make a temporary folder in `{}`", beside.display()))?;
    let options = sqlite::Options::new(scratch.path(), Chance::System.u64());
    move_all(Place::Nats(nats), Place::Sqlite(&options)).await?;
    backup(scratch.path(), file, |_| {}).map_err(|error| Failure::from(Error::from(error)))
}

pub(super) async fn run(settings: &Settings, args: &Migrate) -> Result<Exit, Failure> {
    let (from, to) = (place(settings, &args.from)?, place(settings, &args.to)?);
    let moved = match (&from, &to) {
        (Location::Sqlite { folder }, remote @ Location::Nats { .. }) => {
            if !folder.join("askbridge.db").is_file() {
                return Err(Failure::new(format!("there is no journal in `{}`", folder.display())));
            }
            let options = sqlite::Options::new(folder, Chance::System.u64());
            let nats = reach(remote).await?;
            let moved = move_all(Place::Sqlite(&options), Place::Nats(&nats)).await?;
            if *folder == settings.data {
                keep_own(settings, &options).await?;
                stay_the_host(settings, &nats).await?;
            }
            moved
        }
        (remote @ Location::Nats { .. }, Location::Sqlite { folder }) => {
            let options = sqlite::Options::new(folder, Chance::System.u64());
            move_all(Place::Nats(&reach(remote).await?), Place::Sqlite(&options)).await?
        }
        _ => {
            let hint = "askbridge journal migrate sqlite nats://a:4222,b:4222,c:4222";
            return Err(Failure::usage("a journal is moved between SQLite and NATS").hint(hint));
        }
    };
    if args.json {
        let Migrated { sessions, entries, resumed, forgotten, items } = moved;
        let shown = json!({"sessions": sessions, "entries": entries, "resumed": resumed, "forgotten": forgotten, "items": items});
        print(&shown.to_string())?;
    } else {
        let entries = counted(moved.entries, "entry", "entries");
        let sessions = counted(moved.sessions, "session", "sessions");
        print(&format!("{entries} of {sessions} are in `{to}`, compared one by one with those in `{from}`"))?;
        tell(&format!(
            "start the server on it: `askbridge serve --journal {}`. The former journal is as it was",
            args.to
        ));
    }
    Ok(Exit::Good)
}

fn place(settings: &Settings, text: &str) -> Result<Location, Failure> {
    let location = Location::read(text, &settings.data).map_err(|error| Failure::usage(error.to_string()))?;
    // The settings say how to be let in.
    settings.with_access(location)
}

async fn move_all(from: Place<'_>, to: Place<'_>) -> Result<Migrated, Failure> {
    let (mut progress, mut phase) = (Progress::new("moving"), None);
    let mut show = |moving: Moving| {
        if phase.replace(moving.phase) != Some(moving.phase) {
            progress = Progress::new(match moving.phase {
                Phase::Resuming => "looking for what is there",
                Phase::Entries => "moving",
                Phase::Shelf => "moving what people keep",
                Phase::Verifying => "comparing",
            });
        }
        progress.show(moving.done, moving.of);
    };
    let moved = migrate(from, to, &|key| !belongs_to_one_node(key), Clock::System.now(), &mut show).await;
    moved.map_err(|error| {
        Failure::from(Error::from(error)).hint("nothing is lost: type it again, and it goes on where it stopped")
    })
}

/// Writes down that the agents of the journal that was moved are on this machine, whichever node starts first.
async fn stay_the_host(settings: &Settings, nats: &Nats) -> Result<(), Failure> {
    let here = stable_node_id(&settings.data, &Chance::System).map_err(Error::from)?.to_string();
    match nats.put(FIRST, here.as_bytes(), Expect::Absent, None, Clock::System.now()).await {
        // Written by an earlier attempt, or by a node that has started on it already.
        Ok(_) | Err(ShelfError::Conflict { .. }) => Ok(()),
        Err(error) => Err(Failure::from(Error::from(error))),
    }
}

/// Copies what belongs to this machine alone to the node's own shelf: process ids of agents, and the token of the token
/// file, which counts nowhere else.
async fn keep_own(settings: &Settings, options: &sqlite::Options) -> Result<(), Failure> {
    let now = Clock::System.now();
    // In between, because only one of the two can hold the lock of the folder.
    let between = Memory::new(0).map_err(Error::from)?;
    let source = Sqlite::open(options).map_err(Error::from)?;
    copy_shelf(&source, &between, now, &belongs_to_one_node).await.map_err(Error::from)?;
    drop(source);
    let own = sqlite::OwnShelf::open(&settings.data).map_err(Error::from)?;
    copy_shelf(&between, &own, now, &|_| true).await.map_err(Error::from)?;
    Ok(())
}
