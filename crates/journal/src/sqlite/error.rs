//! What can go wrong with the file, and what to do about it.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no space is left for `{}`; free some, nothing that was acknowledged is lost", path.display())]
    Full {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error("`{}` cannot be written; check the permissions of the file and its folder", path.display())]
    Forbidden {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error("`{}` is damaged; put back a copy of it, or export what can still be read", path.display())]
    Damaged {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error("`{}` is not a journal of askbridge; choose another folder", path.display())]
    NotOurs { path: PathBuf },
    #[error("`{}` is held by process {pid}; stop it, or choose another folder", path.display())]
    InUse {
        path: PathBuf,
        pid: String,
        /// It has said that it is about to let go.
        leaving: bool,
    },
    #[error("`{}` was written by a newer release (format {found}, this one writes {ours})", path.display())]
    TooNew { path: PathBuf, found: u32, ours: u32 },
    #[error("could not {what} `{}`; check the permissions of its folder", path.display())]
    Io {
        what: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("could not work with `{}`", path.display())]
    Sqlite {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error("the journal `{}` was closed", path.display())]
    Closed { path: PathBuf },
}

impl Error {
    /// Says of an error of SQLite which file it is about, and sorts out those that a person can do something about.
    pub(crate) fn of(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full { path, source },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::Forbidden { path, source }
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { path, source },
            _ => Self::Sqlite { path, source },
        }
    }
}
