//! Where a script runs: its folder and its branch. Read from files, since git may not be installed.

use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Whereabouts {
    pub(crate) folder: Option<String>,
    pub(crate) branch: Option<String>,
}

impl Whereabouts {
    pub(crate) fn here() -> Self {
        match std::env::current_dir() {
            Ok(folder) => Self { branch: branch(&folder), folder: Some(folder.display().to_string()) },
            Err(_) => Self::default(),
        }
    }
}

fn branch(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let git = if git.is_file() { linked(&git)? } else { git };
    let head = fs::read_to_string(git.join("HEAD")).ok()?;
    let head = head.trim();
    match head.strip_prefix("ref: ") {
        Some(name) => Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
        // No branch: the commit, as short as git shows it.
        None => head.get(..12).map(str::to_owned),
    }
}

/// A worktree and a submodule have a file that says where the repository is.
fn linked(file: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let path = text.trim().strip_prefix("gitdir: ")?;
    Some(file.parent()?.join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_is_found_from_a_folder_within() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("src/deep");
        fs::create_dir_all(&inner).unwrap();
        fs::create_dir(dir.path().join(".git")).unwrap();
        fs::write(dir.path().join(".git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
        assert_eq!(branch(&inner).as_deref(), Some("feature/x"));
        fs::write(dir.path().join(".git/HEAD"), "0123456789abcdef0123456789abcdef01234567\n").unwrap();
        assert_eq!(branch(&inner).as_deref(), Some("0123456789ab"));
    }

    #[test]
    fn a_worktree_knows_its_own_branch() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("repo/.git/worktrees/w")).unwrap();
        fs::write(dir.path().join("repo/.git/worktrees/w/HEAD"), "ref: refs/heads/w\n").unwrap();
        fs::create_dir(dir.path().join("w")).unwrap();
        fs::write(dir.path().join("w/.git"), "gitdir: ../repo/.git/worktrees/w\n").unwrap();
        assert_eq!(branch(&dir.path().join("w")).as_deref(), Some("w"));
    }
}
