//! Which files of a repository are changed. git is asked, as gobby asks it, but runs no program that a file of the repository
//! names: an agent can write those files.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use askbridge_core::limits;
use askbridge_workflows::DirtyFiles;
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::debug;

/// Settings that could name a program, or lead to one.
const SAFE: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=keep",
    "status.submoduleSummary=false",
    "core.quotePath=false",
    "core.pager=cat",
];
/// The filters of a repository: each names a program that git runs to compare a file.
const FILTERS: &str = r"^filter\..*\.(clean|smudge|process|required)$";
/// Filters that are switched off one by one. With more of them, nothing is asked.
const FILTERS_MAX: usize = 64;

/// Asks git about one folder at a time, and a few at once.
#[derive(Debug, Clone)]
pub(super) struct Repositories(Arc<Semaphore>);

impl Default for Repositories {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(limits::GIT_LOOKS_MAX)))
    }
}

impl Repositories {
    /// The changed files of a folder's repository. None if there is no repository, no git, or no answer in time: so does gobby.
    pub(super) async fn dirty(&self, folder: Option<&str>) -> DirtyFiles {
        let Some(folder) = folder.map(Path::new).filter(|folder| folder.is_absolute()) else {
            return DirtyFiles::default();
        };
        let look = async {
            let _turn = self.0.acquire().await.ok()?;
            let filters = names(&git(folder, &[], &["config", "-z", "--name-only", "--get-regexp", FILTERS]).await?)?;
            let off: Vec<String> = filters.iter().map(|name| format!("{name}=")).collect();
            let status = ["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--ignore-submodules=all"];
            git(folder, &off, &status).await
        };
        match timeout(limits::GIT_LOOK_MAX, look).await {
            Ok(Some(output)) => read_status(&output),
            Ok(None) => DirtyFiles::default(),
            Err(_) => {
                debug!("git did not say in time what is changed; nothing counts as changed");
                DirtyFiles::default()
            }
        }
    }
}

/// Runs git in a folder, with settings of ours. `None` if it cannot be run or says too much. Status 1 of `config` is an empty list.
async fn git(folder: &Path, off: &[String], arguments: &[&str]) -> Option<Vec<u8>> {
    let mut command = Command::new("git");
    command.arg("--no-pager").arg("--no-optional-locks");
    for setting in SAFE.iter().copied().chain(off.iter().map(String::as_str)) {
        command.arg("-c").arg(setting);
    }
    command.args(arguments).current_dir(folder).env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
    // A repository that says that it is partial would have git start a program of its choice to fetch the rest.
    command.env("GIT_ALLOW_PROTOCOL", "").env("GIT_NO_LAZY_FETCH", "1");
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS"] {
        command.env_remove(variable);
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

/// The names of filters. `None`: there are too many, or they could not be named on a command line.
fn names(output: &[u8]) -> Option<Vec<String>> {
    let text = std::str::from_utf8(output).ok()?;
    let names: Vec<_> = text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let can_be_named = |name: &String| !name.contains(['=', '\n']);
    (names.len() <= FILTERS_MAX && names.iter().all(can_be_named)).then_some(names)
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

    #[tokio::test]
    async fn where_there_is_no_repository_nothing_is_changed() {
        let scratch = tempfile::tempdir().unwrap();
        assert_eq!(Repositories::default().dirty(scratch.path().to_str()).await, DirtyFiles::default());
        assert_eq!(Repositories::default().dirty(Some("relative")).await, DirtyFiles::default());
        assert_eq!(Repositories::default().dirty(None).await, DirtyFiles::default());
    }
}
