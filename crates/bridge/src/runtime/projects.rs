//! The rule files of projects: found from a session's folder upwards, read aside, and kept until they change.
//!
//! An ask waits for its file at most [`limits::PROJECT_LOOK_MAX`], and a folder that was looked at within the last
//! second is not looked at again. A version that cannot be read leaves the last good one in force.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_core::rules::asks::{ProjectRules, RuleSet};
use askbridge_policy::{PROJECT_FILE, Problem, read_project};
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tracing::{info, warn};

use crate::regular::read_short;

/// The project files that are known.
#[derive(Debug)]
pub(crate) struct Projects {
    /// `None` until the server reads rule files.
    options: Mutex<Option<Arc<ProjectOptions>>>,
    is_on: AtomicBool,
    known: Mutex<KnownProjects>,
    /// So that a file system that hangs cannot take all threads.
    looks: Arc<Semaphore>,
}

/// How project files are read.
#[derive(Debug, Default)]
pub(crate) struct ProjectOptions {
    /// For `~/` in rules.
    pub(crate) home: Option<String>,
    /// The operator's own rule files: one in `~/.askbridge` is not a project's.
    pub(crate) not_these: Vec<PathBuf>,
}

#[derive(Debug, Default)]
struct KnownProjects {
    /// By the session's folder: when it was looked at, and which file counts.
    folders: HashMap<String, (Timestamp, Option<PathBuf>)>,
    files: HashMap<PathBuf, (Timestamp, Arc<ProjectFile>)>,
}

/// A project file, as it was last read.
#[derive(Debug)]
pub(crate) struct ProjectFile {
    /// The folder that `.askbridge` is in.
    pub(crate) folder: String,
    pub(crate) file: String,
    /// The last good version.
    tightening: ProjectRules,
    trusted: ProjectRules,
    /// What is wrong with the file as it is now.
    problems: Vec<Problem>,
    /// The places that loosen. In a folder that is trusted, they are no problem.
    loosening: Vec<Problem>,
    stamp: Stamp,
}

/// What tells one version of a file from the next.
type Stamp = (u64, Option<SystemTime>);

impl Default for Projects {
    fn default() -> Self {
        Self {
            options: Mutex::default(),
            is_on: AtomicBool::new(false),
            known: Mutex::default(),
            looks: Arc::new(Semaphore::new(limits::PROJECT_LOOKS_MAX)),
        }
    }
}

impl ProjectFile {
    /// The rules that count, by whether the operator trusts the folder.
    pub(crate) fn rules(&self, ours: &RuleSet) -> &ProjectRules {
        if ours.trusts(&self.folder) { &self.trusted } else { &self.tightening }
    }

    pub(crate) fn problems(&self, ours: &RuleSet) -> impl Iterator<Item = &Problem> {
        let loosening = if ours.trusts(&self.folder) { &[][..] } else { &self.loosening };
        self.problems.iter().chain(loosening)
    }
}

impl Projects {
    /// Begins to read project files.
    pub(crate) fn switch_on(&self, options: ProjectOptions) {
        *self.options.lock() = Some(Arc::new(options));
        self.is_on.store(true, Ordering::Release);
    }

    /// Returns the file that counts in a folder. `None`: it has to be looked for first, with [`Self::look`].
    pub(crate) fn after(
        &self,
        look: &mut ProjectLook,
        folder: Option<&str>,
        now: Timestamp,
    ) -> Option<Option<Arc<ProjectFile>>> {
        if let ProjectLook::Done(found) = look {
            return Some(found.clone());
        }
        match self.known(folder, now) {
            Ok(found) => Some(found),
            Err(first) => {
                *look = ProjectLook::First(Box::new(first));
                None
            }
        }
    }

    fn known(&self, folder: Option<&str>, now: Timestamp) -> Result<Option<Arc<ProjectFile>>, LookFirst> {
        let Some(folder) = folder.filter(|_| self.is_on.load(Ordering::Acquire)) else { return Ok(None) };
        let mut known = self.known.lock();
        match known.folders.get(folder) {
            Some((at, file)) if now.since(*at) < limits::RULES_LOOK_EVERY && *at <= now => {
                let file = file.clone();
                Ok(file.and_then(|file| known.file(&file, now)))
            }
            _ => Err(LookFirst(folder.to_owned())),
        }
    }

    /// Looks for the file that was wanted.
    pub(crate) async fn look(&self, look: &mut ProjectLook, now: Timestamp) {
        if let ProjectLook::First(first) = std::mem::replace(look, ProjectLook::NotYet) {
            *look = ProjectLook::Done(self.look_for(*first, now).await);
        }
    }

    /// Looks for the file of a folder, and reads it if it has changed. If that takes too long, the last good version
    /// counts.
    async fn look_for(&self, LookFirst(folder): LookFirst, now: Timestamp) -> Option<Arc<ProjectFile>> {
        let before = self.last(&folder, now);
        let options = self.options.lock().clone()?;
        let looks = Arc::clone(&self.looks);
        let (looking, old) = (folder.clone(), before.clone());
        let look = async move {
            let turn = looks.acquire_owned().await.ok()?;
            let read = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                look_and_read(&looking, &options, old)
            });
            read.await.ok()
        };
        let Ok(Some(found)) = tokio::time::timeout(limits::PROJECT_LOOK_MAX, look).await else {
            warn!(
                "The rule file of a project could not be looked at in time; the last good version counts, if there is one"
            );
            return before;
        };
        self.known.lock().put(folder, found.clone(), now);
        found
    }

    /// The files that are known, in order.
    pub(crate) fn files(&self) -> Vec<Arc<ProjectFile>> {
        let mut files: Vec<_> = self.known.lock().files.values().map(|(_, file)| Arc::clone(file)).collect();
        files.sort_by(|a, b| a.file.cmp(&b.file));
        files
    }

    /// Does a project's rule ask whether a person is present?
    pub(crate) fn look_at_presence(&self) -> bool {
        self.known.lock().files.values().any(|(_, file)| file.trusted.set().looks_at_presence())
    }

    fn last(&self, folder: &str, now: Timestamp) -> Option<Arc<ProjectFile>> {
        let mut known = self.known.lock();
        let file = known.folders.get(folder)?.1.clone()?;
        known.file(&file, now)
    }
}

/// How far an ask has come with its project's file.
#[derive(Debug)]
pub(crate) enum ProjectLook {
    NotYet,
    /// It has to be looked for. Boxed, because every ask carries this along.
    First(Box<LookFirst>),
    Done(Option<Arc<ProjectFile>>),
}

impl ProjectLook {
    pub(crate) fn is_wanted(&self) -> bool {
        matches!(self, Self::First(_))
    }
}

/// A folder that has to be looked at.
#[derive(Debug)]
pub(crate) struct LookFirst(String);

impl KnownProjects {
    fn file(&mut self, file: &Path, now: Timestamp) -> Option<Arc<ProjectFile>> {
        let (used, found) = self.files.get_mut(file)?;
        *used = now;
        Some(Arc::clone(found))
    }

    fn put(&mut self, folder: String, found: Option<Arc<ProjectFile>>, now: Timestamp) {
        let path = found.as_ref().map(|found| PathBuf::from(&found.file));
        if let (Some(path), Some(found)) = (&path, found) {
            make_room(&mut self.files, path, limits::PROJECT_FILES_MAX, |(used, _)| *used);
            self.files.insert(path.clone(), (now, found));
        }
        make_room(&mut self.folders, &folder, limits::PROJECT_FOLDERS_MAX, |(at, _)| *at);
        self.folders.insert(folder, (now, path));
        let folders = &self.folders;
        self.files.retain(|file, _| folders.values().any(|(_, of_folder)| of_folder.as_ref() == Some(file)));
    }
}

/// Drops the oldest entry if a new key would be one too many.
fn make_room<K: Clone + Eq + std::hash::Hash, V>(
    map: &mut HashMap<K, V>,
    new: &K,
    max: usize,
    age: fn(&V) -> Timestamp,
) {
    if map.len() < max || map.contains_key(new) {
        return;
    }
    if let Some(oldest) = map.iter().min_by_key(|(_, value)| age(value)).map(|(key, _)| key.clone()) {
        map.remove(&oldest);
    }
}

/// Finds the file that counts in a folder, and reads it unless it is as it was.
fn look_and_read(folder: &str, options: &ProjectOptions, before: Option<Arc<ProjectFile>>) -> Option<Arc<ProjectFile>> {
    let (in_folder, path) = find(Path::new(folder))?;
    if options.not_these.contains(&path) {
        return None;
    }
    let name = path.display().to_string();
    let before = before.filter(|before| before.file == name);
    let metadata = path.symlink_metadata();
    let stamp = metadata.as_ref().map_or((0, None), |found| (found.len(), found.modified().ok()));
    if before.as_ref().is_some_and(|before| before.stamp == stamp) {
        return before;
    }
    let is_regular = metadata.is_ok_and(|found| found.is_file());
    let text = match is_regular {
        true => read_short(&path, limits::PROJECT_RULES_BYTES_MAX as u64),
        // A link could lead to any file of the user as whom the server runs.
        false => Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file")),
    };
    let failed = |error: io::Error| {
        let what = format!("could not read the project's rules: {error}");
        vec![Problem { file: name.clone(), line: 1, column: 1, what, hint: None }]
    };
    let read = text.map_err(failed).and_then(|text| read_project(&name, &text, options.home.as_deref()));
    let folder = in_folder.display().to_string();
    Some(Arc::new(match read {
        Ok(read) => {
            info!(file = name, rules = read.loaded.rules.len(), "The rules of a project are in force");
            ProjectFile {
                folder,
                file: name,
                tightening: ProjectRules::tightening(read.loaded.rules.clone()),
                trusted: ProjectRules::trusted(read.loaded.rules),
                problems: Vec::new(),
                loosening: read.loosening,
                stamp,
            }
        }
        Err(problems) => {
            if let Some(first) = problems.first() {
                warn!(problem = %first, "The rules of a project cannot be read; the last good ones stay in force");
            }
            let none = || ProjectRules::tightening(Vec::new());
            let (tightening, trusted) =
                before.map_or_else(|| (none(), none()), |before| (before.tightening.clone(), before.trusted.clone()));
            ProjectFile { folder, file: name, tightening, trusted, problems, loosening: Vec::new(), stamp }
        }
    }))
}

/// Reads the project file that counts in a folder now. For commands: it blocks.
pub(crate) fn read_now(folder: &str, home: Option<String>, not_these: Vec<PathBuf>) -> Option<Arc<ProjectFile>> {
    look_and_read(folder, &ProjectOptions { home, not_these }, None)
}

/// Finds the nearest project file, from a folder up to the root of its repository. Outside of a repository only the
/// folder itself counts: further up is not the project's.
fn find(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let is_plain = folder.is_absolute() && !folder.components().any(|part| part == std::path::Component::ParentDir);
    let is_there = |path: &Path| match path.symlink_metadata() {
        Ok(_) => true,
        // What cannot be looked at will be a problem when it is read.
        Err(error) => {
            !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename)
        }
    };
    let mut nearest = None;
    for (height, at) in folder.ancestors().take(limits::PROJECT_DEPTH_MAX).enumerate().filter(|_| is_plain) {
        let file = at.join(PROJECT_FILE);
        if nearest.is_none() && is_there(&file) {
            nearest = Some((at.to_owned(), file));
            if height == 0 {
                return nearest;
            }
        }
        if is_there(&at.join(".git")) {
            return nearest;
        }
    }
    None
}

#[cfg(test)]
mod tests;
