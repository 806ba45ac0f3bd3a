//! The serialized form of events: one file per version, frozen once released.
//!
//! The records mirror the types of the core, which knows nothing of serialization. Clients get the same JSON, so it is
//! encoded once per event ([`crate::Written`]) and shared.

mod line;
pub mod v1;

pub use line::{WrittenBy, read_line, write_line, written_by};
pub(crate) use v1::kind_of;
pub use v1::{DecodeError, EventSchema, decode, encode};

/// The version that this release writes. A store with a higher number is opened for reading only.
pub const FORMAT: u32 = 1;
