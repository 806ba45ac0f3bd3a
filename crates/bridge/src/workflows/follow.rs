//! Reads the operator's folder at start, and again when something in it has changed.
//!
//! Rules that allow or change a call count once a person has agreed to the files as they are, as for `rules.toml`: an agent runs
//! as the user whose files they are. All other rules count at once.

use std::path::PathBuf;
use std::sync::Arc;

use askbridge_core::limits;
use askbridge_journal::shelf::{Expect, Shelf};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::advised::Trust;
use super::folder::{Stamp, stamp};
use super::loaded::{Bounds, Loaded, load};
use super::projects::ProjectOptions;
use crate::runtime::chain;
use crate::server::{App, Purpose, TapRequest, tapped, withdraw_tap};

/// Where the digest of the files that were agreed to is stored.
const ACCEPTED: &str = "workflows-accepted";

/// Where gobby's rules come from.
#[derive(Debug, Clone, Default)]
pub struct GobbySource {
    /// The operator's folder.
    pub folder: Option<PathBuf>,
    /// Are projects' own files used?
    pub projects: bool,
    pub home: Option<PathBuf>,
    /// A folder of our own for git folders that no repository's settings are in. `None`: beside other temporary files.
    pub scratch: Option<PathBuf>,
}

/// A version that waits for a tap. Dropped when a newer one comes.
struct Pending(CancellationToken);

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl GobbySource {
    /// Reads the operator's folder. `None` if none is named.
    pub fn read(&self) -> std::io::Result<Option<Loaded>> {
        self.folder.as_ref().map(|folder| load(folder, Bounds::OPERATOR)).transpose()
    }
}

/// Puts gobby's rules in force, and reads them again when they have changed, until the server stops.
pub async fn follow(app: &App, source: GobbySource, read: Option<Loaded>) {
    let workflows = &app.handle.workflows;
    *workflows.home.lock() = source.home.clone();
    if let Some(scratch) = source.scratch.clone() {
        workflows.repositories.keep_in(scratch);
    }
    let operator = source.folder.clone();
    workflows.projects.switch_on(ProjectOptions { home: source.home.clone(), operator, rules: source.projects });
    let (Some(folder), Some(read)) = (source.folder, read) else { return };
    workflows.set_state(|state| state.folder = Some(folder.display().to_string()));
    let read = Arc::new(read);
    let pending = take_over(app, Arc::clone(&read)).await;
    app.tasks.spawn(look_again(app.clone(), folder, read, pending));
}

/// Puts a version in force: all of it, or what needs no agreement. Returns what waits for a tap.
async fn take_over(app: &App, loaded: Arc<Loaded>) -> Option<Pending> {
    let workflows = &app.handle.workflows;
    let yes = loaded.loosening();
    let totals = loaded.report.totals;
    let is_agreed = yes.is_empty() || !app.tokens.taps_are_needed() || is_accepted(app, loaded.digest()).await;
    if is_agreed && !yes.is_empty() {
        accept(app, loaded.digest()).await;
    }
    let trust = if is_agreed { Trust::Whole } else { Trust::Tightens };
    workflows.put(Arc::clone(&loaded), trust);
    info!(
        files = totals.files,
        rules = totals.active,
        inactive = totals.inactive,
        wrong = totals.wrong,
        "gobby's rules are in force"
    );
    let since = Some(app.handle.now());
    workflows.set_state(|state| {
        (state.since, state.waits_for_tap, state.problem) = (since, !is_agreed, None);
    });
    if is_agreed {
        return None;
    }
    info!(rules = yes.len(), "The rules of gobby's that allow or change calls wait for a tap on a paired device");
    let superseded = CancellationToken::new();
    let (waiting, task_app) = (superseded.clone(), app.clone());
    app.tasks.spawn(async move { wait(&task_app, loaded, yes, waiting).await });
    Some(Pending(superseded))
}

async fn wait(app: &App, loaded: Arc<Loaded>, yes: Vec<String>, superseded: CancellationToken) {
    let file = loaded.folder.display().to_string();
    let request = TapRequest::by_a_file(Purpose::Rules { digest: loaded.digest().to_owned(), file, yes });
    let agreed = tokio::select! {
        biased;
        () = superseded.cancelled() => {
            withdraw_tap(app, &request, "the rules have changed again").await;
            return;
        }
        agreed = tapped(app, request.clone(), limits::TAP_WAIT) => agreed,
    };
    let workflows = &app.handle.workflows;
    match agreed {
        Ok(()) => {
            accept(app, loaded.digest()).await;
            workflows.put(loaded, Trust::Whole);
            workflows.set_state(|state| state.waits_for_tap = false);
        }
        Err(_) if app.stop.is_cancelled() => {}
        Err(why) => {
            warn!(why = why.0.detail, "The rules of gobby's that allow or change calls are not in force");
            let problem = format!("the rules that allow or change calls are not in force: {}", why.0.detail);
            workflows.set_state(|state| (state.waits_for_tap, state.problem) = (false, Some(problem)));
        }
    }
}

async fn look_again(app: App, folder: PathBuf, mut read: Arc<Loaded>, mut pending: Option<Pending>) {
    // An editor may write in several steps: a folder is read when two looks in a row find the same.
    let (mut seen, mut changed): (Option<Stamp>, Option<Stamp>) = (Some(read.stamp.clone()), None);
    loop {
        tokio::select! {
            biased;
            () = app.stop.cancelled() => return,
            () = tokio::time::sleep(limits::RULES_LOOK_EVERY) => {}
        }
        let looking = folder.clone();
        let looked = tokio::task::spawn_blocking(move || stamp(&[looking]));
        let stamp = match looked.await {
            Ok(Ok(stamp)) => stamp,
            Ok(Err(error)) => {
                if seen.take().is_some() {
                    warn!(%error, "The folder of gobby's rules cannot be read; the last good ones stay in force");
                    let problem = format!("the folder cannot be read ({error}); what was in it stays in force");
                    app.handle.workflows.set_state(|state| state.problem = Some(problem));
                }
                continue;
            }
            Err(_) => return,
        };
        if seen.as_ref() == Some(&stamp) {
            changed = None;
            continue;
        }
        if changed.as_ref() != Some(&stamp) {
            changed = Some(stamp);
            continue;
        }
        (seen, changed) = (Some(stamp), None);
        let (reading, before) = (folder.clone(), Arc::clone(&read));
        let again = tokio::task::spawn_blocking(move || {
            Loaded::read(&reading, std::slice::from_ref(&reading), Bounds::OPERATOR, Some(&before))
        });
        match again.await {
            Ok(Ok(loaded)) => {
                // A version that still waits for its tap is superseded first.
                drop(pending.take());
                read = Arc::new(loaded);
                pending = take_over(&app, Arc::clone(&read)).await;
            }
            // The next look says so.
            Ok(Err(_)) => {}
            Err(_) => return,
        }
    }
}

async fn is_accepted(app: &App, digest: &str) -> bool {
    let kept = app.handle.store.own().get(ACCEPTED, app.handle.clock.now()).await;
    kept.is_ok_and(|kept| kept.is_some_and(|kept| *kept.value == *digest.as_bytes()))
}

async fn accept(app: &App, digest: &str) {
    let now = app.handle.clock.now();
    if let Err(error) = app.handle.store.own().put(ACCEPTED, digest.as_bytes(), Expect::Any, None, now).await {
        warn!(error = chain(&error), "Could not remember that gobby's rules were agreed to; the next start asks again");
    }
}
