//! Reads the context of an agent's question: the end of its transcript, and the git branch of its folder.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use askbridge_core::limits::{HOOK_LOOK_MAX, HOOK_RECORD_BYTES_MAX};
use askbridge_peers::doors::hook::{Agent, Around, HookEvent, ToolCall, Version, read_record};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tracing::debug;

use super::handler::Hooks;
use crate::regular;

/// How many parent folders are searched for a repository. Beyond: there is none.
const PARENTS_MAX: usize = 64;
/// Size limit for a file that holds only a name or path. Beyond: it is something else.
const NAME_BYTES_MAX: u64 = 4096;

/// How long to wait until the agent has written the call to its transcript: it says why just before. Beyond: the ask
/// carries the text before that.
const WRITTEN_MAX: Duration = Duration::from_secs(1);
const BREATH: Duration = Duration::from_millis(20);

/// Reads the context of an agent's event. Only for callers on the local socket: they name the files, and could read
/// them themselves.
///
/// Files are read on a separate thread, since a file system may hang (one over a network, or one served by the agent
/// itself). A thread that hangs is abandoned at the timeout. A semaphore bounds their number, and neither the runtime
/// nor its shutdown waits for them.
pub(super) async fn look_around(
    hooks: &Hooks,
    heard: &HookEvent,
    asked: Option<&ToolCall>,
) -> (Around, Option<Version>) {
    let (looked, about) = (heard.clone(), asked.cloned());
    let looking = async {
        let place = hooks.looking.clone().acquire_owned().await.ok()?;
        let (done, found) = oneshot::channel();
        let look = move || {
            // The receiver may have timed out.
            let _ = done.send(look(&looked, about.as_ref()));
            drop(place);
        };
        thread::Builder::new().name("hook-around".to_owned()).spawn(look).ok()?;
        found.await.ok()
    };
    match timeout(HOOK_LOOK_MAX, looking).await {
        Ok(found) => found.unwrap_or_default(),
        Err(_) => {
            debug!("What lies around an agent could not be read in time; its ask goes without");
            Default::default()
        }
    }
}

pub(super) fn look(heard: &HookEvent, asked: Option<&ToolCall>) -> (Around, Option<Version>) {
    let path = heard.record.as_deref().map(Path::new);
    let read = || path.and_then(|path| end_of(path).ok()).map(|end| read_record(&end)).unwrap_or_default();
    let mut record = read();
    // A subagent's conversation is written to another file.
    let is_here = heard.agent == Agent::Claude
        && !heard.in_subagent
        && path.is_some_and(|path| path.parent().is_some_and(Path::is_dir));
    if let Some(call) = asked.filter(|_| is_here) {
        let mut waited = Duration::ZERO;
        while !record.has(call) && waited < WRITTEN_MAX {
            thread::sleep(BREATH);
            waited += BREATH;
            record = read();
        }
    }
    let branch = heard.folder.as_deref().and_then(|folder| branch_of(Path::new(folder)));
    (Around { text: record.text, title: record.title, branch, ..Around::default() }, record.version)
}

/// The end of a file as text; the whole of a short one.
fn end_of(path: &Path) -> io::Result<String> {
    let (_, end) = regular::read_end(path, HOOK_RECORD_BYTES_MAX)?;
    Ok(String::from_utf8_lossy(&end).into_owned())
}

/// The branch checked out in a folder, or a commit id as short as git shows it. Read from files, since git may not be
/// installed.
///
/// In a worktree and in a submodule, `.git` is a file that names the real folder.
pub fn branch_of(folder: &Path) -> Option<String> {
    let git = folder.ancestors().take(PARENTS_MAX).map(|parent| parent.join(".git")).find(|git| git.exists())?;
    let git = match git.is_dir() {
        true => git,
        false => {
            let place = PathBuf::from(short(&git)?.trim().strip_prefix("gitdir:")?.trim());
            git.parent()?.join(place)
        }
    };
    let head = short(&git.join("HEAD"))?;
    let head = head.trim();
    match head.strip_prefix("ref:") {
        Some(name) => Some(name.trim().trim_start_matches("refs/heads/").to_owned()),
        None => head.get(..12).map(str::to_owned),
    }
}

fn short(path: &Path) -> Option<String> {
    regular::read_short(path, NAME_BYTES_MAX).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_branch_is_found_from_a_folder_within_and_from_a_worktree() {
        let scratch = tempfile::tempdir().unwrap();
        let (main, tree) = (scratch.path().join("main"), scratch.path().join("tree"));
        let within = main.join("src/deep");
        fs::create_dir_all(&within).unwrap();
        fs::create_dir_all(main.join(".git/worktrees/tree")).unwrap();
        fs::create_dir(&tree).unwrap();
        fs::write(main.join(".git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
        fs::write(main.join(".git/worktrees/tree/HEAD"), "0123456789abcdef0123456789abcdef01234567\n").unwrap();
        fs::write(tree.join(".git"), "gitdir: ../main/.git/worktrees/tree\n").unwrap();
        assert_eq!(branch_of(&within).as_deref(), Some("feature/x"));
        assert_eq!(branch_of(&tree).as_deref(), Some("0123456789ab"));
    }

    #[test]
    fn only_the_end_of_a_long_record_is_read() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("record.jsonl");
        let length = usize::try_from(HOOK_RECORD_BYTES_MAX).unwrap();
        fs::write(&path, format!("{}end", "é".repeat(length))).unwrap();
        let end = end_of(&path).unwrap();
        assert!(end.ends_with("end") && end.len() <= length + 8, "{}", end.len());
        assert!(end_of(scratch.path()).is_err(), "a folder is no record");
    }
}
