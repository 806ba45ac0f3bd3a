//! `askbridge journal backup` and `restore`.

use std::io::{IsTerminal, Write, stderr};
use std::path::Path;

use anyhow::Error;
use askbridge_bridge::chance::Chance;
use askbridge_journal::backup::{BackupError, Existing, Progress};
use askbridge_journal::{Report, sqlite};
use serde_json::json;

use super::report::summary;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::settings::Settings;

/// The page size of SQLite, in bytes.
const PAGE_BYTES: u64 = 4096;

pub(super) fn backup(settings: &Settings, file: &Path, json: bool) -> Result<Exit, Failure> {
    let bar = Bar::new();
    let made = askbridge_journal::backup(&settings.data, file, |progress| bar.show(progress));
    bar.end();
    shown(&made.map_err(|error| failure(settings, file, error))?, json)
}

/// Prints what a copy holds, and complains if that is not as it should be.
pub(super) fn shown(report: &Report, json: bool) -> Result<Exit, Failure> {
    if json {
        print(&as_json(report, None))?;
    } else {
        print(&summary(report))?;
    }
    match report.problems.first() {
        None => Ok(Exit::Good),
        Some(first) => {
            let why =
                format!("the copy is not as it should be, because the journal is not: {}", visible(&first.to_string()));
            Err(Failure::new(why).hint("`askbridge journal verify` tells everything that is wrong with it"))
        }
    }
}

pub(super) fn restore(settings: &Settings, file: &Path, replace: bool, json: bool) -> Result<Exit, Failure> {
    let existing = if replace { Existing::SetAside } else { Existing::Refuse };
    let bar = Bar::new();
    let identity = Chance::System.u64();
    let restored = askbridge_journal::restore(file, &settings.data, identity, existing, |progress| bar.show(progress));
    bar.end();
    let restored = restored.map_err(|error| failure(settings, file, error))?;
    if json {
        print(&as_json(&restored.report, restored.aside.as_deref()))?;
        return Ok(Exit::Good);
    }
    print(&summary(&restored.report))?;
    if let Some(aside) = &restored.aside {
        tell(&format!("the former journal is in {}", aside.display()));
    }
    tell("start the server with `askbridge`; clients that come back get a snapshot");
    Ok(Exit::Good)
}

pub(super) fn accept(settings: &Settings) -> Result<Exit, Failure> {
    let accepted = askbridge_journal::accept(&settings.data, Chance::System.u64());
    accepted.map_err(|error| failure(settings, &settings.data, error))?;
    tell("the journal is taken as it is; start the server with `askbridge`, and clients that come back get a snapshot");
    Ok(Exit::Good)
}

fn failure(settings: &Settings, file: &Path, error: BackupError) -> Failure {
    let hint = match &error {
        BackupError::Exists { .. } => Some("choose another name, or remove it first".to_owned()),
        BackupError::StoreExists { .. } => {
            Some(format!("set it aside with `askbridge journal restore --replace {}`", file.display()))
        }
        BackupError::NotGood { .. } => Some("take an older copy; nothing was changed".to_owned()),
        BackupError::Store(sqlite::Error::InUse { .. }) => {
            Some("a server works on this folder; stop it, then try again".to_owned())
        }
        BackupError::Store(sqlite::Error::Forbidden { path, .. }) if !path.exists() => {
            Some(format!("there is no journal in `{}`; ASKBRIDGE_DATA names its folder", settings.data.display()))
        }
        BackupError::Store(_) => None,
    };
    let failure = Failure::from(Error::from(error));
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn as_json(report: &Report, aside: Option<&Path>) -> String {
    let mut shown = json!({
        "path": report.path.display().to_string(),
        "entries": report.entries,
        "sessions": report.sessions,
        "open_asks": report.open_asks,
        "good": report.is_good(),
    });
    if let Some(aside) = aside {
        shown["aside"] = json!(aside.display().to_string());
    }
    shown.to_string()
}

/// Progress on one line of a terminal; hidden from scripts.
struct Bar {
    on: bool,
}

impl Bar {
    fn new() -> Self {
        Self { on: stderr().is_terminal() }
    }

    fn show(&self, progress: Progress) {
        if self.on {
            let mib = |pages: u64| pages * PAGE_BYTES / (1024 * 1024);
            let _ = write!(stderr(), "\rcopied {} of {} MiB", mib(progress.pages), mib(progress.of));
        }
    }

    /// Clears the line for the output that follows.
    fn end(&self) {
        if self.on {
            let _ = write!(stderr(), "\r\x1b[2K");
        }
    }
}
