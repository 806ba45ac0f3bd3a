//! Reads the operator's rule file at start, and again when it has changed. A broken one at start is refused; a broken
//! one later leaves the last good version in force, and says so.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use askbridge_core::limits;
use askbridge_core::rules::asks::{ProjectRules, RuleFile, RuleSet};
use askbridge_core::terms::Rules;
use askbridge_platform::files::open_regular;
use askbridge_platform::local_time::Zone;
use askbridge_policy::{Loaded, Problem};
use tracing::{info, warn};

use crate::hooks::presence;
use crate::regular::read_short;
use crate::rule_trust::{self, Pending};
use crate::runtime::{ProjectOptions, RulesState, read_now};
use crate::server::App;
use crate::when_down;

/// Where rules come from.
#[derive(Debug, Clone, Default)]
pub struct RuleSource {
    /// The terms and rules of the settings: the first file.
    pub settings: Rules,
    /// The rule file: the first of these that exists.
    pub files: Vec<PathBuf>,
    /// Did the operator name the file? Then it has to exist.
    pub is_named: bool,
    /// For `~/` in rules.
    pub home: Option<String>,
    /// Where a copy of the remembered decisions is kept for people to read.
    pub remembered: Option<PathBuf>,
    /// Where the rules that deny calls in terminals while the server is down are copied to.
    pub when_down: Option<PathBuf>,
    /// The zone for times of day, as `TZ` names it. `None`: the machine's own.
    pub zone: Option<String>,
}

/// The rules as they were read.
#[derive(Debug)]
pub struct RulesRead {
    pub set: RuleSet,
    pub file: Option<PathBuf>,
    /// The text of the file.
    pub(crate) text: String,
    /// The rules that do not say yes.
    without_yes: RuleSet,
    pub examples: Vec<askbridge_policy::Example>,
    /// Folders whose project files may say yes.
    pub trusted: Vec<String>,
    when_down: Option<WhenDownCopy>,
    stamp: Stamp,
}

/// Where the rules for terminals without a server are copied to, and what `~` is in them.
#[derive(Debug, Clone)]
struct WhenDownCopy {
    path: PathBuf,
    home: Option<String>,
}

/// What tells one version of a file from the next. `None`: there is no file.
type Stamp = Option<(PathBuf, u64, Option<SystemTime>)>;

impl RuleSource {
    /// Reads the rules, or says everything that is wrong with them.
    pub fn read(&self) -> Result<RulesRead, Vec<Problem>> {
        let stamp = self.stamp();
        let (file, loaded) = match &stamp {
            Some((path, ..)) => (Some(path.clone()), Some(self.read_file(path)?)),
            None => match self.files.first() {
                Some(path) if self.is_named => return Err(vec![problem(path, "there is no such file".to_owned())]),
                _ => (None, None),
            },
        };
        let otherwise = self.settings.otherwise.clone();
        let mut files: Vec<RuleFile> = vec![self.settings.clone().into()];
        let (mut examples, mut trusted, mut text) = (Vec::new(), Vec::new(), String::new());
        if let Some((mut loaded, read)) = loaded {
            examples = std::mem::take(&mut loaded.examples);
            trusted = std::mem::take(&mut loaded.trusted);
            files.push(loaded.into_file());
            text = read;
        }
        let without_yes = files.iter().map(|file| {
            let rules = file.rules.iter().filter(|rule| !rule.needs_a_tap()).cloned().collect();
            RuleFile { terms: file.terms, rules }
        });
        let without_yes = RuleSet::new(without_yes.collect(), otherwise.clone());
        let set = RuleSet::new(files, otherwise).trusting(trusted.clone());
        let home = self.home.clone();
        let when_down = self.when_down.clone().map(|path| WhenDownCopy { path, home });
        Ok(RulesRead { set, file, text, without_yes, examples, trusted, when_down, stamp })
    }

    /// The rules of the project that a folder belongs to, as they count beside `ours`, and what is wrong with them.
    pub fn project(&self, folder: &str, ours: &RuleSet) -> Option<(ProjectRules, Vec<Problem>)> {
        let found = read_now(folder, self.home.clone(), self.files.clone())?;
        Some((found.rules(ours).clone(), found.problems(ours).cloned().collect()))
    }

    /// Reads a file as a project's: its rules and examples, or everything that is wrong with it.
    pub fn read_as_project(&self, path: &Path) -> Result<Loaded, Vec<Problem>> {
        let failed = |error: std::io::Error| vec![problem(path, format!("could not read the rules: {error}"))];
        let text = read_short(path, limits::PROJECT_RULES_BYTES_MAX as u64).map_err(failed)?;
        let read = askbridge_policy::read_project(&path.display().to_string(), &text, self.home.as_deref())?;
        if read.loosening.is_empty() { Ok(read.loaded) } else { Err(read.loosening) }
    }

    fn read_file(&self, path: &Path) -> Result<(Loaded, String), Vec<Problem>> {
        let failed = |error: std::io::Error| vec![problem(path, format!("could not read the rules: {error}"))];
        let mut text = String::new();
        // A FIFO would be waited for, at a start and at every stop.
        let file = open_regular(path).map_err(failed)?;
        file.take(limits::RULES_BYTES_MAX as u64 + 1).read_to_string(&mut text).map_err(failed)?;
        let loaded = askbridge_policy::read(&path.display().to_string(), &text, self.home.as_deref())?;
        Ok((loaded, text))
    }

    fn stamp(&self) -> Stamp {
        self.files.iter().find_map(|path| match path.metadata() {
            Ok(found) => Some((path.clone(), found.len(), found.modified().ok())),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            // Reading it will say what is wrong.
            Err(_) => Some((path.clone(), 0, None)),
        })
    }
}

impl RulesRead {
    /// What is wrong if no person agreed to these rules.
    pub(crate) fn not_agreed(&self, why: &str) -> Problem {
        let path = self.file.clone().unwrap_or_default();
        let hint = Some("save the file again to ask again".to_owned());
        Problem { hint, ..problem(&path, format!("these rules are not in force: {why}")) }
    }
}

fn problem(path: &Path, what: String) -> Problem {
    Problem { file: path.display().to_string(), line: 1, column: 1, what, hint: None }
}

/// Puts rules in force, and reads them again when their file has changed, until the server stops.
pub async fn follow(app: &App, source: RuleSource, read: RulesRead) {
    let zone = Zone::find(source.zone.as_deref());
    if zone.is_none() && read.set.looks_at_the_time() {
        warn!("The time zone of this machine cannot be read; rules with hours or days match nothing");
    }
    app.handle.rules.set_zone(zone);
    let options = ProjectOptions { home: source.home.clone(), not_these: source.files.clone() };
    app.handle.rules.projects.switch_on(options);
    if let Some(file) = source.remembered.clone() {
        app.handle.rules.remembered.keep_copy_in(file);
    }
    if let Err(error) = app.handle.load_unattended().await {
        warn!(%error, "Could not read which runs no person attends; their asks wait for one");
    }
    if let Err(error) = app.handle.load_remembered().await {
        warn!(%error, "Could not read the remembered decisions; they are not in force");
    }
    if let Err(error) = app.handle.load_history().await {
        warn!(%error, "Could not read how often people decided the same; `decided_before` begins anew");
    }
    let seen = read.stamp.clone();
    let pending = rule_trust::take_over(app, read, true).await;
    app.tasks.spawn(look_again(app.clone(), source, seen, pending));
}

/// Puts rules in force.
pub(crate) fn put(app: &App, read: RulesRead) {
    keep_copy(&read, &read.set);
    put_set(app, read.file.as_deref(), read.set);
}

/// Puts those of the rules in force that do not say yes.
pub(crate) fn put_without_yes(app: &App, read: &RulesRead) {
    keep_copy(read, &read.without_yes);
    put_set(app, read.file.as_deref(), read.without_yes.clone());
}

/// Copies the rules for terminals without a server.
fn keep_copy(read: &RulesRead, set: &RuleSet) {
    let Some(WhenDownCopy { path, home }) = &read.when_down else { return };
    if let Err(error) = when_down::keep_copy(path, set, read.file.as_deref(), &read.text, home.as_deref()) {
        warn!(%error, "Could not copy the rules for terminals; while askbridge is down, their calls go on as before");
    }
}

fn put_set(app: &App, file: Option<&Path>, set: RuleSet) {
    let file = file.map(|file| file.display().to_string());
    let before = app.handle.rules.state().file;
    match (&file, before) {
        (Some(file), _) => info!(file, rules = set.len(), "Rules are in force"),
        (None, Some(before)) => warn!(file = before, "The rule file is gone; none of its rules is in force"),
        (None, None) => {}
    }
    let since = Some(app.handle.now());
    app.handle.rules.set_state(RulesState { file, since, waits_for_tap: false, problems: Vec::new() });
    app.handle.rules.replace(set);
}

async fn look_again(app: App, source: RuleSource, mut seen: Stamp, mut pending: Option<Pending>) {
    // An editor may write a file in several steps: it is read when two looks in a row find the same.
    let mut changed: Option<Stamp> = None;
    loop {
        let rules = &app.handle.rules;
        let looks = rules.now().looks_at_presence() || rules.projects.look_at_presence();
        let present = if looks { presence(&app).await.ok().map(|presence| !presence.is_away) } else { None };
        app.handle.rules.set_present(present);
        tokio::select! {
            biased;
            () = app.stop.cancelled() => {
                app.handle.write_uses().await;
                app.handle.write_history().await;
                return;
            }
            () = tokio::time::sleep(limits::RULES_LOOK_EVERY) => {}
        }
        app.handle.write_uses().await;
        app.handle.write_history().await;
        let stamp = source.stamp();
        if stamp == seen {
            changed = None;
            continue;
        }
        if changed.as_ref() != Some(&stamp) {
            changed = Some(stamp);
            continue;
        }
        (seen, changed) = (stamp, None);
        let reading = source.clone();
        match tokio::task::spawn_blocking(move || reading.read()).await {
            Ok(Ok(read)) => {
                // A version that still waits for its tap is superseded first.
                drop(pending.take());
                pending = rule_trust::take_over(&app, read, false).await;
            }
            Ok(Err(problems)) => {
                drop(pending.take());
                if let Some(first) = problems.first() {
                    warn!(problem = %first, "The rules have changed and cannot be read; the last good ones stay in force");
                }
                let state = app.handle.rules.state();
                app.handle.rules.set_state(RulesState { problems, waits_for_tap: false, ..state });
            }
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_named_has_to_exist_and_a_usual_one_need_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("rules.toml");
        let usual = RuleSource { files: vec![file.clone()], ..RuleSource::default() };
        assert!(usual.read().is_ok_and(|read| read.set.is_empty() && read.file.is_none()));
        let named = RuleSource { is_named: true, ..usual.clone() };
        assert_eq!(named.read().expect_err("there is none")[0].what, "there is no such file");
        std::fs::write(&file, "[[rules]]\nname = \"a\"\ndo = \"ask\"\n").expect("it can be written");
        assert!(usual.read().is_ok_and(|read| read.set.len() == 1 && read.file == Some(file)));
    }

    #[test]
    fn what_is_no_regular_file_is_refused_and_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let fifo = folder.path().join("rules.toml");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs").success());
        for file in [fifo, folder.path().to_owned(), "/dev/zero".into()] {
            let source = RuleSource { files: vec![file], is_named: true, ..RuleSource::default() };
            let problems = source.read().expect_err("it is no file");
            assert_eq!(problems[0].what, "could not read the rules: it is not a regular file");
        }
    }
}
