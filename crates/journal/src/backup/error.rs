//! Errors of making and restoring copies.

use std::io;
use std::path::{Path, PathBuf};

use crate::sqlite::Error;
use crate::verify::Problem;

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Store(#[from] Error),
    #[error("`{}` is there already", path.display())]
    Exists { path: PathBuf },
    #[error("there is a store in `{}` already", dir.display())]
    StoreExists { dir: PathBuf },
    #[error("`{}` is not a copy that can be trusted: {first}", path.display())]
    NotGood { path: PathBuf, first: Problem },
}

impl BackupError {
    /// For [`Result::map_err`]: says what was attempted with which file.
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Store(Error::Io { what, path, source })
    }
}
