//! What lies around an agent: the end of its own record of the conversation, and the branch of its folder.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use askbridge_core::limits::HOOK_RECORD_BYTES_MAX;
use askbridge_peers::doors::hook::{Agent, Around, Call, Heard, Version, read_record};

/// How far up from its folder a repository is looked for. Beyond: there is none.
const PARENTS_MAX: usize = 64;
/// Bytes of a file that only names something. Beyond: it is something else.
const NAME_BYTES_MAX: u64 = 4096;

/// How long to wait until an agent has written down what it asks about: it says why just before. Beyond: what it said earlier
/// goes along.
const WRITTEN_MAX: Duration = Duration::from_secs(1);
const BREATH: Duration = Duration::from_millis(20);

/// Looks around an agent that asks about a call, or only passes by. Reads files, and may wait for them, so not on a thread
/// that others wait for.
pub(super) fn look_around(heard: &Heard, asked: Option<&Call>) -> (Around, Option<Version>) {
    let path = heard.record.as_deref().map(Path::new);
    let read = || path.and_then(|path| end_of(path).ok()).map(|end| read_record(&end)).unwrap_or_default();
    let mut record = read();
    // A subagent's conversation is written elsewhere.
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
    (Around { text: record.text, title: record.title, branch }, record.version)
}

/// The end of a file, as text. A whole one if it is short.
fn end_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    file.seek(SeekFrom::Start(meta.len().saturating_sub(HOOK_RECORD_BYTES_MAX)))?;
    let mut end = Vec::new();
    file.take(HOOK_RECORD_BYTES_MAX).read_to_end(&mut end)?;
    Ok(String::from_utf8_lossy(&end).into_owned())
}

/// The branch that a folder is on, or a commit as short as git shows it. Read from files, since git may not be installed.
///
/// In a worktree and in a submodule, `.git` is a file that says where to look.
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
    let meta = fs::metadata(path).ok()?;
    (meta.is_file() && meta.len() <= NAME_BYTES_MAX).then(|| fs::read_to_string(path).ok())?
}

#[cfg(test)]
mod tests {
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
