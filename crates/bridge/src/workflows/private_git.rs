//! A git folder of our own for a repository: its files, its index and its objects, and none of its settings.
//!
//! The settings of a repository name programs that git starts (filters, monitors, hooks), and an agent can change them at
//! any moment, also between a look at them and the git that is started after it. So git gets settings that only we write.
//! What is linked from the repository is data to git: objects, references, the index, and lists of ignored files.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use askbridge_core::limits;

use crate::regular::read_short;

/// Settings of a repository that say how its files are compared. None of them names a program.
const KEPT: &[&str] = &[
    "core.attributesfile",
    "core.autocrlf",
    "core.checkstat",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.safecrlf",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.trustctime",
];
/// How the repository is stored, and the ways that git knows.
const FORMATS: &[(&str, &[&str])] =
    &[("extensions.objectformat", &["sha1", "sha256"]), ("extensions.refstorage", &["files", "reftable"])];

/// What git says of a repository.
#[derive(Debug)]
pub(super) struct Found {
    work_tree: PathBuf,
    /// Of this work tree, and of all work trees of the repository.
    git: PathBuf,
    common: PathBuf,
    /// Names, in lower case, and values.
    settings: Vec<(String, String)>,
}

impl Found {
    /// The arguments with which git says where a repository is, and what its settings are.
    pub(super) const PLACES: &[&str] =
        &["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"];
    pub(super) const SETTINGS: &[&str] = &["config", "-z", "--get-regexp", r"^(core|extensions)\.[a-z]*$"];

    /// Reads what git printed. `None` if that is no repository with files.
    pub(super) fn read(places: &[u8], settings: &[u8]) -> Option<Self> {
        let places = std::str::from_utf8(places).ok()?;
        let places: Vec<_> = places.lines().map(PathBuf::from).filter(|path| path.is_absolute()).collect();
        let [work_tree, git, common] = <[PathBuf; 3]>::try_from(places).ok()?;
        let settings = String::from_utf8_lossy(settings);
        // A name without a value is a flag that is set.
        let pairs = settings.split('\0').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('\n').unwrap_or((pair, "true")));
        let settings = pairs.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        Some(Self { work_tree, git, common, settings })
    }

    /// The value that counts: the last.
    fn setting(&self, wanted: &str) -> Option<&str> {
        self.settings.iter().rev().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }
}

/// A private git folder. It is removed when this is dropped.
#[derive(Debug)]
pub(super) struct PrivateGit {
    folder: PathBuf,
    work_tree: PathBuf,
    /// Settings, for `-c`.
    settings: Vec<String>,
}

impl PrivateGit {
    /// Makes one in a folder of ours. Without one, beside other temporary files.
    pub(super) fn make(found: Found, scratch: Option<PathBuf>) -> io::Result<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let scratch = scratch.unwrap_or_else(std::env::temp_dir);
        let name = format!("git-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let folder = scratch.join(name);
        let private = |path: &Path, all| DirBuilder::new().mode(0o700).recursive(all).create(path);
        private(&scratch, true)?;
        // Fails if it is there: another one's folder is never used.
        private(&folder, false)?;
        let made = Self { work_tree: found.work_tree.clone(), settings: kept(&found), folder };
        made.fill(&found)?;
        Ok(made)
    }

    fn fill(&self, found: &Found) -> io::Result<()> {
        let at = |name: &str| self.folder.join(name);
        let formats = FORMATS.iter().filter_map(|(name, known)| {
            let value = found.setting(name).filter(|value| known.contains(value))?;
            Some(format!("\t{} = {value}\n", name.trim_start_matches("extensions.")))
        });
        let formats: String = formats.collect();
        let version = if formats.is_empty() { 0 } else { 1 };
        let core = format!("[core]\n\trepositoryformatversion = {version}\n\tbare = false\n");
        fs::write(at("config"), format!("{core}[extensions]\n{formats}"))?;
        // A link to it would not be a head to git.
        fs::write(at("HEAD"), read_short(&found.git.join("HEAD"), limits::GIT_HEAD_BYTES_MAX)?)?;
        fs::create_dir(at("info"))?;
        let link = |from: &Path, name: &str| match from.join(name).try_exists()? {
            true => symlink(from.join(name), at(name)),
            false => Ok(()),
        };
        for name in ["objects", "refs", "packed-refs", "reftable", "info/exclude", "info/attributes"] {
            link(&found.common, name)?;
        }
        link(&found.git, "index")?;
        link(&found.git, "info/sparse-checkout")?;
        // An index may be in two files.
        let shared = fs::read_dir(&found.git)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let shared = shared.filter(|name| name.starts_with("sharedindex.")).take(limits::GIT_SHARED_INDEXES_MAX);
        shared.into_iter().try_for_each(|name| link(&found.git, &name))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    pub(super) fn settings(&self) -> impl Iterator<Item = &str> {
        self.settings.iter().map(String::as_str)
    }
}

impl Drop for PrivateGit {
    fn drop(&mut self) {
        // Links are removed, and not what they lead to.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn kept(found: &Found) -> Vec<String> {
    let kept = KEPT.iter().filter_map(|name| Some((name, found.setting(name)?)));
    let kept = kept.filter(|(_, value)| value.len() <= limits::GIT_SETTING_BYTES_MAX);
    kept.map(|(name, value)| format!("{name}={value}")).collect()
}
