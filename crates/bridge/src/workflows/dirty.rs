//! Which files of a repository are changed. git is asked, as gobby asks it, but runs no program that a file of the repository
//! names: an agent can write those files, also while git runs. So the git that compares files is given a folder of ours
//! (`private_git`) in place of the repository's own.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use askbridge_core::limits;
use askbridge_workflows::DirtyFiles;
use parking_lot::Mutex;
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::debug;

use super::private_git::{Found, PrivateGit};

/// Settings that could name a program, or lead to one.
const SAFE: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=keep",
    "status.submoduleSummary=false",
    "core.quotePath=false",
    "core.pager=cat",
];
/// Where git finds a repository and its settings, if the environment says so.
const VARIABLES: &[&str] = &[
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_EXTERNAL_DIFF",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
];

/// Asks git about one folder at a time, and a few at once.
#[derive(Debug, Clone)]
pub(super) struct Repositories {
    turns: Arc<Semaphore>,
    /// Where private git folders are made. `None`: beside other temporary files.
    scratch: Arc<Mutex<Option<PathBuf>>>,
}

impl Default for Repositories {
    fn default() -> Self {
        Self { turns: Arc::new(Semaphore::new(limits::GIT_LOOKS_MAX)), scratch: Arc::default() }
    }
}

impl Repositories {
    /// Makes private git folders in this one, which no agent's sandbox may write to.
    pub(super) fn keep_in(&self, scratch: PathBuf) {
        // What a killed server left there.
        let _ = std::fs::remove_dir_all(&scratch);
        *self.scratch.lock() = Some(scratch);
    }

    /// The changed files of a folder's repository. None if there is no repository, no git, or no answer in time: so does gobby.
    pub(super) async fn dirty(&self, folder: Option<&str>) -> DirtyFiles {
        let Some(folder) = folder.map(Path::new).filter(|folder| folder.is_absolute()) else {
            return DirtyFiles::default();
        };
        match timeout(limits::GIT_LOOK_MAX, self.look(folder)).await {
            Ok(Some(output)) => read_status(&output),
            Ok(None) => DirtyFiles::default(),
            Err(_) => {
                debug!("git did not say in time what is changed; nothing counts as changed");
                DirtyFiles::default()
            }
        }
    }

    async fn look(&self, folder: &Path) -> Option<Vec<u8>> {
        let _turn = self.turns.acquire().await.ok()?;
        // Neither of these runs a program, whatever the repository says.
        let places = git(folder, None, Found::PLACES).await?;
        let settings = git(folder, None, Found::SETTINGS).await?;
        let found = Found::read(&places, &settings)?;
        let scratch = self.scratch.lock().clone();
        let private = tokio::task::spawn_blocking(move || PrivateGit::make(found, scratch));
        let private =
            private.await.ok()?.inspect_err(|error| debug!(%error, "Could not make a private git folder")).ok()?;
        let status = ["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--ignore-submodules=all"];
        git(private.work_tree(), Some(&private), &status).await
    }
}

/// Runs git in a folder, with settings of ours. `None` if it cannot be run or says too much. Status 1 of `config` is an empty list.
async fn git(folder: &Path, private: Option<&PrivateGit>, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut command = Command::new("git");
    command.arg("--no-pager").arg("--no-optional-locks");
    for setting in SAFE.iter().copied().chain(private.into_iter().flat_map(PrivateGit::settings)) {
        command.arg("-c").arg(setting);
    }
    command.args(arguments).current_dir(folder).env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
    // A repository that says that it is partial would have git start a program of its choice to fetch the rest.
    command.env("GIT_ALLOW_PROTOCOL", "").env("GIT_NO_LAZY_FETCH", "1");
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    if let Some(private) = private {
        command.env("GIT_DIR", private.folder()).env("GIT_WORK_TREE", private.work_tree());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().ok()?;
    let mut output = Vec::new();
    let mut stdout = child.stdout.take()?.take(limits::GIT_OUTPUT_BYTES_MAX + 1);
    stdout.read_to_end(&mut output).await.ok()?;
    if output.len() as u64 > limits::GIT_OUTPUT_BYTES_MAX {
        return None;
    }
    let status = child.wait().await.ok()?;
    let is_empty_list = arguments.first() == Some(&"config") && status.code() == Some(1);
    (status.success() || is_empty_list).then_some(output)
}

/// Reads `XY path`, each ended by a zero byte; after a renamed path comes its old one, which counts, as in gobby.
fn read_status(output: &[u8]) -> DirtyFiles {
    let text = String::from_utf8_lossy(output);
    let mut parts = text.split('\0');
    let mut dirty = DirtyFiles::default();
    while let Some(part) = parts.next() {
        let Some((state, path)) = part.split_at_checked(3) else { continue };
        let path = match state.contains(['R', 'C']) {
            true => parts.next().unwrap_or(path),
            false => path,
        };
        if path.is_empty() || path.starts_with(".gobby/") {
            continue;
        }
        let files = if state.starts_with("??") { &mut dirty.untracked } else { &mut dirty.tracked };
        files.insert(path.to_owned());
    }
    dirty
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn what_git_prints_is_read_with_renames_and_without_gobbys_own_files() {
        let dirty = read_status(b" M a b.txt\0?? new.txt\0R  now.txt\0was.txt\0 M .gobby/tasks.jsonl\0");
        assert_eq!((dirty.tracked, dirty.untracked), (set(&["a b.txt", "was.txt"]), set(&["new.txt"])));
        assert_eq!(read_status(b""), DirtyFiles::default());
    }

    fn run(folder: &Path, arguments: &[&str]) {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(folder);
        let output = command.env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    #[tokio::test]
    async fn git_says_what_is_changed_and_runs_nothing_that_the_repository_names() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        let ran = folder.join("ran");
        run(folder, &["init", "-q"]);
        fs::write(folder.join("kept.txt"), "one\n").unwrap();
        fs::write(folder.join("filtered.txt"), "one\n").unwrap();
        run(folder, &["add", "."]);
        run(folder, &["commit", "-qm", "first"]);
        let touch = format!("touch {}; cat", ran.display());
        run(folder, &["config", "filter.evil.clean", &touch]);
        run(folder, &["config", "filter.evil.required", "true"]);
        run(folder, &["config", "core.fsmonitor", &format!("touch {}", ran.display())]);
        fs::write(folder.join(".gitattributes"), "filtered.txt filter=evil\n").unwrap();
        fs::write(folder.join("filtered.txt"), "two\n").unwrap();
        fs::create_dir(folder.join(".gobby")).unwrap();
        fs::write(folder.join(".gobby/x.yaml"), "").unwrap();
        let dirty = Repositories::default().dirty(folder.to_str()).await;
        assert_eq!((dirty.tracked, dirty.untracked), (set(&["filtered.txt"]), set(&[".gitattributes"])));
        assert!(!ran.exists(), "a filter or a monitor of the repository was run");
        // The same, asked without care, does run it.
        std::process::Command::new("git").arg("status").current_dir(folder).output().unwrap();
        assert!(ran.exists());
    }

    #[tokio::test]
    async fn nothing_is_fetched_for_a_repository_that_says_that_it_is_partial() {
        let scratch = tempfile::tempdir().unwrap();
        let (folder, ran) = (scratch.path().join("work"), scratch.path().join("ran"));
        fs::create_dir(&folder).unwrap();
        run(&folder, &["init", "-q"]);
        fs::create_dir(folder.join("sub")).unwrap();
        fs::write(folder.join("sub/a.txt"), "one\n").unwrap();
        run(&folder, &["add", "."]);
        run(&folder, &["commit", "-qm", "first"]);
        let tree = std::process::Command::new("git").args(["rev-parse", "HEAD^{tree}"]).current_dir(&folder).output();
        let tree = String::from_utf8(tree.unwrap().stdout).unwrap();
        let (first, rest) = tree.trim().split_at(2);
        fs::remove_file(folder.join(".git/objects").join(first).join(rest)).unwrap();
        let program = format!("touch {}; git-upload-pack", ran.display());
        for (name, value) in [
            ("core.repositoryformatversion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.url", folder.to_str().unwrap()),
            ("remote.origin.uploadpack", &program),
        ] {
            run(&folder, &["config", name, value]);
        }
        Repositories::default().dirty(folder.to_str()).await;
        assert!(!ran.exists(), "a program that the repository names was run");
        // The same, asked without care, does run it.
        std::process::Command::new("git").arg("status").current_dir(&folder).output().unwrap();
        assert!(ran.exists());
    }

    /// An agent swaps the settings and the attributes for ones with a filter of another name, again and again.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_filter_that_comes_while_git_runs_is_not_run() {
        let scratch = tempfile::tempdir().unwrap();
        let (folder, ran) = (scratch.path().join("work"), scratch.path().join("ran"));
        fs::create_dir(&folder).unwrap();
        run(&folder, &["init", "-q"]);
        fs::write(folder.join("a.txt"), "one\n").unwrap();
        run(&folder, &["add", "."]);
        run(&folder, &["commit", "-qm", "first"]);
        // As long as before, so that git has to compare what is in it.
        fs::write(folder.join("a.txt"), "two\n").unwrap();
        let plain = fs::read_to_string(folder.join(".git/config")).unwrap();
        let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let swapping = std::thread::spawn({
            let (folder, ran, stop) = (folder.clone(), ran.clone(), Arc::clone(&stop));
            move || {
                let put = |path: &str, text: String| {
                    fs::write(folder.join("../new"), text).unwrap();
                    fs::rename(folder.join("../new"), folder.join(path)).unwrap();
                };
                let mut swaps = 0;
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    swaps += 1;
                    let touch = format!("\"touch {}; cat\"", ran.display());
                    put(".git/config", format!("{plain}[filter \"f{swaps}\"]\n\tclean = {touch}\n"));
                    put(".gitattributes", format!("a.txt filter=f{swaps}\n"));
                }
                swaps
            }
        });
        let repositories = Repositories::default();
        repositories.keep_in(scratch.path().join("ours"));
        for _ in 0..40 {
            let dirty = repositories.dirty(folder.to_str()).await;
            assert_eq!(dirty.tracked, set(&["a.txt"]));
            assert!(!ran.exists(), "a filter was run that the repository named while git ran");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(swapping.join().unwrap() > 40);
        let left: Vec<_> = fs::read_dir(scratch.path().join("ours")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
        // The same, asked without care, does run it.
        std::process::Command::new("git").arg("status").current_dir(&folder).output().unwrap();
        assert!(ran.exists());
    }

    #[tokio::test]
    async fn settings_ignored_files_sparse_checkouts_and_other_work_trees_count_as_git_says() {
        let scratch = tempfile::tempdir().unwrap();
        let (folder, other) = (scratch.path().join("work"), scratch.path().join("other"));
        fs::create_dir(&folder).unwrap();
        for format in ["sha1", "sha256"] {
            run(&folder, &["init", "-q", &format!("--object-format={format}")]);
            for (file, text) in [("a.txt", "one\n"), ("b.sh", "b\n"), ("c/c.txt", "c\n")] {
                fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
                fs::write(folder.join(file), text).unwrap();
            }
            run(&folder, &["add", "."]);
            run(&folder, &["commit", "-qm", "first"]);
            run(&folder, &["worktree", "add", "-q", other.to_str().unwrap()]);
            run(&folder, &["update-index", "--split-index"]);
            run(&folder, &["sparse-checkout", "set", "--no-cone", "/*", "!/c/"]);
            run(&folder, &["config", "core.fileMode", "false"]);
            fs::write(folder.join(".git/info/exclude"), "left/\n").unwrap();
            fs::create_dir(folder.join("left")).unwrap();
            fs::write(folder.join("left/x"), "").unwrap();
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(folder.join("b.sh"), fs::Permissions::from_mode(0o755)).unwrap();
            fs::write(folder.join("a.txt"), "two\n").unwrap();
            fs::write(other.join("new"), "").unwrap();
            fs::write(other.join("b.sh"), "other\n").unwrap();
            let repositories = Repositories::default();
            for asked in [&folder, &other] {
                let without_care = std::process::Command::new("git")
                    .args(["status", "--porcelain=v1", "-z", "--untracked-files=normal"])
                    .current_dir(asked)
                    .output();
                let expected = read_status(&without_care.unwrap().stdout);
                assert_ne!(expected, DirtyFiles::default());
                assert_eq!(repositories.dirty(asked.to_str()).await, expected, "{format} {}", asked.display());
            }
            fs::remove_dir_all(&folder).unwrap();
            fs::remove_dir_all(&other).unwrap();
            fs::create_dir(&folder).unwrap();
        }
    }

    #[tokio::test]
    async fn where_there_is_no_repository_nothing_is_changed() {
        let scratch = tempfile::tempdir().unwrap();
        assert_eq!(Repositories::default().dirty(scratch.path().to_str()).await, DirtyFiles::default());
        assert_eq!(Repositories::default().dirty(Some("relative")).await, DirtyFiles::default());
        assert_eq!(Repositories::default().dirty(None).await, DirtyFiles::default());
    }
}
