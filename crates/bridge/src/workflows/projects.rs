//! A project's own rules, where gobby finds them: below `.gobby`, in the session's folder or above it, up to the root of the
//! repository. They only tighten, unless the operator trusts the folder.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Semaphore;
use tracing::{info, warn};

use super::folder::stamp;
use super::loaded::{Bounds, Loaded};
use super::own_hooks::{self, Sources};
use crate::regular::read_short;

/// gobby's folder in a project.
const GOBBY: &str = ".gobby";
/// Its folders with rules, workflows and agents' definitions.
const PLACES: &[&str] = &["workflows", "rules", "agents"];
/// gobby's description of a project, for its name.
const PROJECT: &str = ".gobby/project.json";
const PROJECT_BYTES_MAX: u64 = 64 * 1024;

/// The projects that sessions work in.
#[derive(Debug)]
pub(crate) struct GobbyProjects {
    is_on: AtomicBool,
    options: Mutex<ProjectOptions>,
    known: Mutex<Known>,
    /// So that a file system that hangs cannot take all threads.
    looks: Arc<Semaphore>,
}

/// What is no project's.
#[derive(Debug, Clone, Default)]
pub(super) struct ProjectOptions {
    /// `~/.gobby` is gobby's own.
    pub(super) home: Option<PathBuf>,
    /// The operator's folder: rules that are in force already are not a project's as well.
    pub(super) operator: Option<PathBuf>,
    /// Are the rules of projects looked for?
    pub(super) rules: bool,
}

/// What is known of the folder that a session works in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    /// The project's name: as gobby knows it, else the name of its folder.
    pub(crate) name: Option<String>,
    /// Its own rules, if it has any.
    pub(crate) rules: Option<Arc<ProjectRules>>,
    /// gobby's own hooks run in this session.
    pub(crate) has_own_hooks: bool,
}

/// The rules of one project.
#[derive(Debug)]
pub(crate) struct ProjectRules {
    /// The folder that `.gobby` is in.
    pub(crate) folder: PathBuf,
    pub(crate) loaded: Loaded,
    /// Why the files as they are now are not in force.
    pub(crate) problem: Option<String>,
}

#[derive(Debug, Default)]
struct Known {
    places: HashMap<(String, Sources), (Timestamp, Place)>,
    rules: HashMap<PathBuf, (Timestamp, Arc<ProjectRules>)>,
}

impl Default for GobbyProjects {
    fn default() -> Self {
        Self {
            is_on: AtomicBool::new(false),
            options: Mutex::default(),
            known: Mutex::default(),
            looks: Arc::new(Semaphore::new(limits::PROJECT_LOOKS_MAX)),
        }
    }
}

impl GobbyProjects {
    pub(super) fn switch_on(&self, options: ProjectOptions) {
        self.is_on.store(options.rules, Ordering::Release);
        *self.options.lock() = options;
    }

    /// Are the rules of projects looked for?
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Acquire)
    }

    /// What is known of a folder; it is looked at again after a while. If that takes too long, what was known last counts.
    pub(super) async fn place(&self, folder: Option<&str>, sources: Sources, now: Timestamp) -> Place {
        let Some(folder) = folder.filter(|folder| Path::new(folder).is_absolute()) else { return Place::default() };
        let key = (folder.to_owned(), sources);
        let before = self.known.lock().places.get(&key).cloned();
        if let Some((at, place)) = &before
            && *at <= now
            && now.since(*at) < limits::RULES_LOOK_EVERY
        {
            return place.clone();
        }
        let (folder, options) = (PathBuf::from(folder), self.options.lock().clone());
        let last = before.map(|(_, place)| place).unwrap_or_default();
        let earlier = last.rules.clone();
        let looks = Arc::clone(&self.looks);
        let look = async move {
            let turn = looks.acquire_owned().await.ok()?;
            let looked = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                look(&folder, &options, sources, earlier)
            });
            looked.await.ok()
        };
        let Ok(Some(place)) = tokio::time::timeout(limits::PROJECT_LOOK_MAX, look).await else {
            warn!(
                "gobby's rules of a project could not be looked at in time; the last good ones count, if there are any"
            );
            return last;
        };
        self.known.lock().put(key, place.clone(), now);
        place
    }

    /// The rules of projects that were read lately, in order.
    pub(crate) fn all(&self) -> Vec<Arc<ProjectRules>> {
        let mut all: Vec<_> = self.known.lock().rules.values().map(|(_, rules)| Arc::clone(rules)).collect();
        all.sort_by(|a, b| a.folder.cmp(&b.folder));
        all
    }
}

impl Known {
    fn put(&mut self, key: (String, Sources), place: Place, now: Timestamp) {
        if let Some(rules) = &place.rules {
            if self.rules.len() >= limits::GOBBY_PROJECTS_MAX && !self.rules.contains_key(&rules.folder) {
                let oldest = self.rules.iter().min_by_key(|(_, (at, _))| *at).map(|(folder, _)| folder.clone());
                self.drop_project(oldest);
            }
            self.rules.insert(rules.folder.clone(), (now, Arc::clone(rules)));
        }
        if self.places.len() >= limits::PROJECT_FOLDERS_MAX {
            self.places.clear();
        }
        self.places.insert(key, (now, place));
    }

    fn drop_project(&mut self, folder: Option<PathBuf>) {
        let Some(folder) = folder else { return };
        self.rules.remove(&folder);
        self.places.retain(|_, (_, place)| place.rules.as_ref().is_none_or(|rules| rules.folder != folder));
    }
}

fn look(folder: &Path, options: &ProjectOptions, sources: Sources, before: Option<Arc<ProjectRules>>) -> Place {
    let has_own_hooks = own_hooks::are_installed(Some(folder), options.home.as_deref(), sources);
    let root = find(folder, options);
    let name = root.as_deref().and_then(name).or_else(|| Some(folder.file_name()?.to_str()?.to_owned()));
    // Where gobby's own daemon applies them, they are not even read.
    let is_operators = |root: &PathBuf| {
        let top = root.join(GOBBY);
        options.operator.as_ref().is_some_and(|operator| operator.starts_with(&top) || top.starts_with(operator))
    };
    let root = root.filter(|root| options.rules && !has_own_hooks && !is_operators(root));
    let rules = root.and_then(|root| read(root, before));
    Place { name, rules, has_own_hooks }
}

fn name(root: &Path) -> Option<String> {
    let described = read_short(&root.join(PROJECT), PROJECT_BYTES_MAX).ok();
    let described = described.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let named = described.and_then(|it| it["name"].as_str().map(str::to_owned)).filter(|name| !name.is_empty());
    named.or_else(|| Some(root.file_name()?.to_str()?.to_owned()))
}

/// The nearest folder with `.gobby` in it, up to the root of the repository. Outside of one only the folder itself counts.
fn find(folder: &Path, options: &ProjectOptions) -> Option<PathBuf> {
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let is_plain = !folder.components().any(|part| part == std::path::Component::ParentDir);
    let mut nearest: Option<PathBuf> = None;
    for (height, at) in folder.ancestors().take(limits::PROJECT_DEPTH_MAX).enumerate().filter(|_| is_plain) {
        if nearest.is_none() && options.home.as_deref() != Some(at) && is_folder(&at.join(GOBBY)) {
            nearest = Some(at.to_owned());
            if height == 0 {
                return nearest;
            }
        }
        if at.join(".git").symlink_metadata().is_ok() {
            return nearest;
        }
    }
    None
}

fn read(root: PathBuf, before: Option<Arc<ProjectRules>>) -> Option<Arc<ProjectRules>> {
    let before = before.filter(|before| before.folder == root);
    let top = root.join(GOBBY);
    let places: Vec<_> = PLACES.iter().map(|place| top.join(place)).filter(|place| is_real(place)).collect();
    if places.is_empty() {
        return None;
    }
    let stamp = stamp(&places);
    if let (Some(before), Ok(stamp)) = (&before, &stamp)
        && before.loaded.stamp == *stamp
        && before.problem.is_none()
    {
        return Some(Arc::clone(before));
    }
    let earlier = before.as_ref().map(|before| &before.loaded);
    match Loaded::read(&top, &places, Bounds::PROJECT, earlier) {
        Ok(loaded) => {
            info!(folder = %root.display(), rules = loaded.report.totals.active, "gobby's rules of a project are in force");
            Some(Arc::new(ProjectRules { folder: root, loaded, problem: None }))
        }
        Err(error) => {
            warn!(folder = %root.display(), %error, "gobby's rules of a project cannot be read; the last good ones count");
            before
        }
    }
}

fn is_real(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "rules:\n  no-push:\n    event: before_tool\n    enabled: true\n    effects: [{type: block, tools: [Bash], reason: No.}]\n";

    fn write(folder: &Path, file: &str, text: &str) {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn on() -> ProjectOptions {
        ProjectOptions { rules: true, ..ProjectOptions::default() }
    }

    #[test]
    fn a_project_has_the_rules_of_its_repository_and_the_name_that_gobby_gave_it() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("shop-folder");
        write(&root, ".gobby/workflows/rules/no-push.yaml", RULE);
        write(&root, ".gobby/project.json", r#"{"name": "shop"}"#);
        fs::create_dir_all(root.join("src/deep")).unwrap();
        let within = root.join("src/deep");
        assert!(
            look(&within, &on(), Sources::ALL, None).rules.is_none(),
            "outside of a repository, nothing above counts"
        );
        fs::create_dir(root.join(".git")).unwrap();
        let place = look(&within, &on(), Sources::ALL, None);
        let rules = place.rules.unwrap();
        assert_eq!((place.name.as_deref(), rules.folder.as_path()), (Some("shop"), root.as_path()));
        assert_eq!(rules.loaded.report.totals.active, 1);
        let again = look(&within, &on(), Sources::ALL, Some(Arc::clone(&rules))).rules.unwrap();
        assert!(Arc::ptr_eq(&rules, &again), "it is not read again while it is as it was");
        let home = ProjectOptions { home: Some(root.clone()), ..on() };
        assert!(look(&root, &home, Sources::ALL, None).rules.is_none(), "what is in the home folder is gobby's own");
        assert!(look(&root, &ProjectOptions::default(), Sources::ALL, None).rules.is_none(), "switched off");
        let operator = ProjectOptions { operator: Some(root.join(".gobby/workflows")), ..on() };
        assert!(look(&root, &operator, Sources::ALL, None).rules.is_none(), "they are the operator's");
    }

    #[test]
    fn where_gobbys_own_hooks_run_its_rules_are_not_read() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        write(root, ".gobby/workflows/rules/no-push.yaml", RULE);
        let hook =
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "ghook --gobby-owned --cli=claude"}]}]}}"#;
        write(root, ".claude/settings.json", hook);
        let place = look(root, &on(), Sources::ALL, None);
        assert!(place.has_own_hooks && place.rules.is_none());
        let without = Sources { project: false, ..Sources::ALL };
        assert!(look(root, &on(), without, None).rules.is_some(), "this session does not read the project's settings");
    }

    #[test]
    fn links_are_not_followed() {
        let scratch = tempfile::tempdir().unwrap();
        let (root, other) = (scratch.path().join("a"), scratch.path().join("b"));
        write(&other, "workflows/x.yaml", RULE);
        fs::create_dir(&root).unwrap();
        std::os::unix::fs::symlink(&other, root.join(".gobby")).unwrap();
        assert!(look(&root, &on(), Sources::ALL, None).rules.is_none());
        fs::remove_file(root.join(".gobby")).unwrap();
        fs::create_dir(root.join(".gobby")).unwrap();
        std::os::unix::fs::symlink(other.join("workflows"), root.join(".gobby/workflows")).unwrap();
        assert!(look(&root, &on(), Sources::ALL, None).rules.is_none());
    }
}
