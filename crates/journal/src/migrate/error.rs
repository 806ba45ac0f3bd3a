//! Why a journal could not be moved, and what to do.

use askbridge_core::ids::SessionId;

use crate::fault::Fault;
use crate::journal::{AppendError, ReadError};
use crate::shelf::ShelfError;
use crate::sqlite;

#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    #[error(transparent)]
    Open(#[from] sqlite::Error),
    #[error("could not read a journal")]
    Read(#[from] ReadError),
    #[error("could not append to {session} in the other journal")]
    Append {
        session: SessionId,
        #[source]
        source: AppendError,
    },
    #[error("could not move the shelf")]
    Shelf(#[from] ShelfError),
    #[error("could not store what is left of forgotten sessions")]
    Forgettings(#[source] Fault),
    #[error(
        "{session} is not the same in both journals: the other one is not an unfinished copy of this one, or a server wrote to one of them meanwhile; stop all servers, empty the other journal, and begin again"
    )]
    Different { session: SessionId },
    #[error(
        "sessions were forgotten since the migration began, or the other journal has forgotten others; empty the other journal, and begin again"
    )]
    OtherForgettings,
}
