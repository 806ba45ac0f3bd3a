//! The id by which a node is known across restarts: made once, kept in its data folder.
//!
//! It is a file of its own, outside of the journal, so that a backup does not carry it: a journal that is restored in
//! another folder belongs to another node.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use askbridge_core::ids::StableNodeId;

use crate::chance::Chance;

/// The file in the data folder.
pub const NODE_ID_FILE: &str = "node-id";

#[derive(Debug, thiserror::Error)]
pub enum NodeIdError {
    #[error("could not {what} the node's id in `{}`", path.display())]
    Io {
        what: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{}` does not hold the id of a node; delete it, and the next start makes a new one", path.display())]
    Malformed { path: PathBuf },
}

/// Returns the id of the node whose data folder this is, and makes one if there is none. If two processes do so at
/// once, both get the id of the first.
pub fn stable_node_id(folder: &Path, chance: &Chance) -> Result<StableNodeId, NodeIdError> {
    let path = folder.join(NODE_ID_FILE);
    if let Some(id) = read(&path)? {
        return Ok(id);
    }
    let id = StableNodeId(chance.u64());
    // Written to a second file and hard-linked, so that the file is complete when it appears and is never replaced.
    let beside = folder.join(format!("{NODE_ID_FILE}.{id}"));
    let made = write(&beside, id).and_then(|()| match fs::hard_link(&beside, &path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    });
    let _ = fs::remove_file(&beside);
    let synced = made.and_then(|()| File::open(folder)?.sync_all());
    synced.map_err(|source| NodeIdError::Io { what: "keep", path: path.clone(), source })?;
    read(&path)?.ok_or(NodeIdError::Malformed { path })
}

/// Gives the node another id than `old`. Returns it.
pub(crate) fn replace_node_id(folder: &Path, old: StableNodeId, chance: &Chance) -> Result<StableNodeId, NodeIdError> {
    let path = folder.join(NODE_ID_FILE);
    let id = StableNodeId(chance.u64());
    // Renamed over the old one, so that the folder has one of the two at any time.
    let beside = folder.join(format!("{NODE_ID_FILE}.{id}"));
    let replaced = write(&beside, id).and_then(|()| fs::rename(&beside, &path));
    let synced = replaced.and_then(|()| File::open(folder)?.sync_all());
    synced.map_err(|source| NodeIdError::Io { what: "replace", path, source })?;
    debug_assert_ne!(id, old, "64 random bits do not come again");
    Ok(id)
}

fn read(path: &Path) -> Result<Option<StableNodeId>, NodeIdError> {
    match fs::read_to_string(path) {
        Ok(text) => match text.trim().parse() {
            Ok(id) => Ok(Some(id)),
            Err(_) => Err(NodeIdError::Malformed { path: path.to_owned() }),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(NodeIdError::Io { what: "read", path: path.to_owned(), source }),
    }
}

fn write(path: &Path, id: StableNodeId) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(file, "{id}")?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::thread;

    use askbridge_journal::backup::Existing;
    use askbridge_journal::{Sqlite, backup, restore, sqlite};

    use super::*;

    #[test]
    fn it_is_made_once_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let first = stable_node_id(folder.path(), &Chance::seeded(1)).unwrap();
        assert_eq!(stable_node_id(folder.path(), &Chance::seeded(2)).unwrap(), first);
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [NODE_ID_FILE]);
        let mode = fs::metadata(folder.path().join(NODE_ID_FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_node_that_takes_another_id_keeps_that_one() {
        let folder = tempfile::tempdir().unwrap();
        let first = stable_node_id(folder.path(), &Chance::seeded(1)).unwrap();
        let second = replace_node_id(folder.path(), first, &Chance::seeded(2)).unwrap();
        assert_ne!(first, second);
        assert_eq!(stable_node_id(folder.path(), &Chance::seeded(3)).unwrap(), second);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn of_many_that_make_it_at_once_all_get_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let ids = thread::scope(|scope| {
            let make = |seed| stable_node_id(folder.path(), &Chance::seeded(seed)).unwrap();
            let makers: Vec<_> = (0..16).map(|seed| scope.spawn(move || make(seed))).collect();
            makers.into_iter().map(|maker| maker.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    }

    #[test]
    fn what_is_no_id_is_said_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NODE_ID_FILE);
        for text in ["", "node_1", "node_000000000000000g", "ses_0000000000000000"] {
            fs::write(&path, text).unwrap();
            let refused = stable_node_id(folder.path(), &Chance::seeded(1));
            assert!(matches!(refused, Err(NodeIdError::Malformed { .. })), "{text}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_backup_does_not_carry_it_and_restoring_one_does_not_change_it() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let id = |folder: &tempfile::TempDir, seed| stable_node_id(folder.path(), &Chance::seeded(seed)).unwrap();
        drop(Sqlite::open(&sqlite::Options::new(here.path(), 7)).unwrap());
        let first = id(&here, 1);
        let copy = there.path().join("monday.db");
        backup(here.path(), &copy, |_| {}).unwrap();
        assert!(!fs::read(&copy).unwrap().windows(21).any(|text| text == first.to_string().as_bytes()));

        let restored = there.path().join("data");
        restore(&copy, &restored, 8, Existing::Refuse, |_| {}).unwrap();
        assert!(!restored.join(NODE_ID_FILE).exists());
        let second = stable_node_id(&restored, &Chance::seeded(2)).unwrap();
        assert_ne!(first, second);
        restore(&copy, &restored, 9, Existing::SetAside, |_| {}).unwrap();
        assert_eq!(
            stable_node_id(&restored, &Chance::seeded(3)).unwrap(),
            second,
            "the folder is still the same node's"
        );
    }
}
