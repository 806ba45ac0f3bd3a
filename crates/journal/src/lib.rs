//! To come.

pub mod bus;
pub mod cursor;
pub mod entry;
pub mod fault;
pub mod journal;
pub mod record;
pub mod shelf;

pub use cursor::Cursor;
pub use entry::{Digest, Entry, Stored, Written};
