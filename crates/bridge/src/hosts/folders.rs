//! Lists the folders that a person may choose for an agent: the roots, and what is in them.

use std::fs;
use std::path::{Path, PathBuf};

use super::options::{HostOptions, RootError};

/// Entries of a folder that are read. Beyond: they are not shown.
const LOOKED_AT_MAX: usize = 5_000;
/// Folders that are shown, in the order of their names.
const SHOWN_MAX: usize = 200;

/// A folder, or the list of roots, and the folders in it.
#[derive(Debug, PartialEq, Eq)]
pub struct Folders {
    /// The folder that is listed. `None`: these are the roots.
    pub folder: Option<PathBuf>,
    /// The folder above, if agents may work there too.
    pub parent: Option<PathBuf>,
    /// What `~` means, if agents may work there.
    pub home: Option<PathBuf>,
    pub items: Vec<Folder>,
    /// There are more than are shown.
    pub more: bool,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Folder {
    pub path: PathBuf,
    /// It is a git repository.
    pub is_project: bool,
}

impl HostOptions {
    /// Lists the subfolders of a folder, or the roots. Blocks on the disk, so not for an async task.
    ///
    /// Links are left out, wherever they lead, and so are hidden folders.
    pub fn browse(&self, below: Option<&str>) -> Result<Folders, RootError> {
        let home = self.allow("~").ok();
        let Some(below) = below else {
            let mut items: Vec<_> = self.roots.iter().filter_map(|root| root.canonicalize().ok()).map(shown).collect();
            items.sort();
            items.dedup();
            return Ok(Folders { folder: None, parent: None, home, items, more: false });
        };
        let folder = self.allow(below)?;
        let parent = folder.parent().and_then(|parent| self.allow(parent.to_str()?).ok());
        let (mut items, mut more) = (Vec::new(), false);
        // A folder that cannot be read is shown as empty.
        for (at, entry) in fs::read_dir(&folder).into_iter().flatten().enumerate() {
            if at >= LOOKED_AT_MAX {
                more = true;
                break;
            }
            let Ok(entry) = entry else { continue };
            // The type of the entry itself: a link is not a folder, even if it leads to one.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && entry.file_name().to_str().is_some_and(|name| !name.starts_with('.')) {
                items.push(entry.path());
            }
        }
        items.sort();
        more |= items.len() > SHOWN_MAX;
        items.truncate(SHOWN_MAX);
        Ok(Folders { folder: Some(folder), parent, home, items: items.into_iter().map(shown).collect(), more })
    }
}

fn shown(path: PathBuf) -> Folder {
    Folder { is_project: is_project(&path), path }
}

fn is_project(path: &Path) -> bool {
    // A file in a worktree, a folder otherwise.
    fs::symlink_metadata(path.join(".git")).is_ok()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::hosts::options::tests::options;

    fn named(found: &Folders) -> Vec<&str> {
        found.items.iter().filter_map(|item| item.path.file_name()?.to_str()).collect()
    }

    #[test]
    fn folders_below_a_root_are_listed_and_links_files_and_hidden_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, outside) = (base.join("root"), base.join("outside"));
        for path in ["root/shop/.git", "root/shop/src", "root/blog", "root/.cache", "outside/secret"] {
            fs::create_dir_all(base.join(path)).unwrap();
        }
        fs::write(root.join("file"), "").unwrap();
        std::os::unix::fs::symlink(&outside, root.join("way-out")).unwrap();
        std::os::unix::fs::symlink(root.join("shop"), root.join("same")).unwrap();
        let options = options(vec![root.clone(), base.join("missing")]);

        let roots = options.browse(None).unwrap();
        assert_eq!((roots.folder.clone(), named(&roots)), (None, vec!["root"]));
        let found = options.browse(root.to_str()).unwrap();
        assert_eq!(named(&found), ["blog", "shop"]);
        assert_eq!(found.items.iter().map(|item| item.is_project).collect::<Vec<_>>(), [false, true]);
        // The parent of a root is not shown; the parent of a folder below it is.
        assert_eq!(found.parent, None);
        assert_eq!(options.browse(root.join("shop").to_str()).unwrap().parent, Some(root.clone()));
        for path in ["outside", "root/way-out", "root/way-out/secret", "root/../outside", "."] {
            let refused = options.browse(base.join(path).to_str());
            assert!(matches!(refused, Err(RootError::Outside { .. })), "{path}: {refused:?}");
        }
        assert!(matches!(options.browse(root.join("file").to_str()), Err(RootError::NoFolder(_))));
    }

    #[test]
    fn home_is_where_agents_find_it_and_only_if_they_may_work_there() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        fs::create_dir(home.join("shop")).unwrap();
        let mut options = options(vec![home.clone()]);
        assert!(matches!(options.allow("~/shop"), Err(RootError::NotAbsolute(_))));
        options.environment = vec![(OsString::from("HOME"), home.clone().into_os_string())];
        assert_eq!(options.allow("~").unwrap(), home);
        assert_eq!(options.allow("~/shop").unwrap(), home.join("shop"));
        assert_eq!(options.browse(Some("~")).unwrap().home, Some(home.clone()));
        assert!(matches!(options.allow("~ada/shop"), Err(RootError::NotAbsolute(_))));
        options.roots = vec![home.join("shop")];
        assert!(matches!(options.allow("~/../"), Err(RootError::Outside { .. })));
        assert_eq!(options.browse(None).unwrap().home, None);
    }

    #[test]
    fn a_folder_of_very_many_shows_the_first_and_says_that_there_are_more() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..=SHOWN_MAX {
            fs::create_dir(folder.path().join(format!("f{n:04}"))).unwrap();
        }
        let found = options(vec![folder.path().to_path_buf()]).browse(folder.path().to_str()).unwrap();
        assert_eq!((found.items.len(), found.more), (SHOWN_MAX, true));
        assert_eq!(named(&found)[0], "f0000");
    }
}
