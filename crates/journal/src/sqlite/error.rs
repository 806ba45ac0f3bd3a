//! Errors of the journal's file, and what to do about them.

use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, ffi};

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
        /// Its holder has said that it is about to release it.
        leaving: bool,
    },
    #[error("`{}` was written by a newer release (format {found}, this one writes {ours})", path.display())]
    TooNew { path: PathBuf, found: u32, ours: u32 },
    #[error(
        "`{}` ends at entry {found}, although entry {known} was stored there: its end was removed, or an older copy is in its place",
        path.display()
    )]
    Lost { path: PathBuf, found: u64, known: u64 },
    #[error("`{}` is another journal than the one that was here", path.display())]
    Replaced { path: PathBuf },
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

/// Is there no room for the file to grow? Either the disk is full, or the process has a file size limit (`ulimit -f`),
/// which SQLite reports as an ordinary write error. Without such a limit a write error is just that, and it is unknown
/// what was written.
pub(crate) fn is_full(error: &rusqlite::Error) -> bool {
    says_full(error, || askbridge_platform::limits::file_bytes().is_some())
}

fn says_full(error: &rusqlite::Error, files_are_limited: impl FnOnce() -> bool) -> bool {
    let rusqlite::Error::SqliteFailure(error, _) = error else { return false };
    match (error.code, error.extended_code) {
        (ErrorCode::DiskFull, _) => true,
        (_, ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_TRUNCATE | ffi::SQLITE_IOERR_SHMSIZE) => files_are_limited(),
        _ => false,
    }
}

impl Error {
    /// The same without file names, for clients.
    pub fn told(&self) -> String {
        match self {
            Self::Full { .. } => "no space is left; nothing that was acknowledged is lost".to_owned(),
            Self::Forbidden { .. } => "the file cannot be written".to_owned(),
            Self::Damaged { .. } => "the file is damaged".to_owned(),
            Self::NotOurs { .. } => "the file is not a journal of askbridge".to_owned(),
            Self::InUse { .. } => "another process holds the file".to_owned(),
            Self::TooNew { found, ours, .. } => {
                format!("the file was written by a newer release (format {found}, this one writes {ours})")
            }
            Self::Lost { found, known, .. } => format!("the journal ends at entry {found}, entry {known} was stored"),
            Self::Replaced { .. } => "the journal is another one than before".to_owned(),
            Self::Io { what, .. } => format!("could not {what} a file"),
            Self::Sqlite { .. } => "could not work with the file".to_owned(),
            Self::Closed { .. } => "it was closed".to_owned(),
        }
    }

    /// Adds the path to an SQLite error, and classifies the errors that a person can do something about.
    pub(crate) fn of(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            _ if is_full(&source) => Self::Full { path, source },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::Forbidden { path, source }
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { path, source },
            _ => Self::Sqlite { path, source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_fails_means_no_space_only_where_files_may_not_grow() {
        let failure = |code| rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        for (code, unlimited, limited) in [
            (ffi::SQLITE_FULL, true, true),
            (ffi::SQLITE_IOERR_WRITE, false, true),
            (ffi::SQLITE_IOERR_SHMSIZE, false, true),
            (ffi::SQLITE_IOERR_FSYNC, false, false),
            (ffi::SQLITE_CORRUPT, false, false),
        ] {
            assert_eq!(says_full(&failure(code), || false), unlimited, "{code} without a limit");
            assert_eq!(says_full(&failure(code), || true), limited, "{code} with a limit");
        }
    }
}
