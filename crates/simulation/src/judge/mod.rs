//! The judge of the eight laws: compares what the clients recorded with what the journal says. Law 1 is checked on the
//! spot, whenever a client is told something.
//!
//! [`laws`] checks everything against the journal at the end; [`revoked`] checks the holders of revoked tokens;
//! [`ruled`] checks what rules decided;
//! [`disk`] writes the journal to a real file and compares.

mod disk;
mod laws;
mod revoked;
mod ruled;

pub(crate) use disk::Disk;
pub(crate) use laws::{ask_of_key, judge, session_of_key};
pub(crate) use revoked::{settled_after, was_told};
