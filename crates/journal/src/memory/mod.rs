//! A journal, a shelf and an index in memory, for tests and simulations.
//!
//! The same SQL as the embedded journal, on an in-memory database, without threads: an entry is stored when the call
//! returns, so a simulation with one seed runs the same way every time.

mod meddle;
mod store;

pub use meddle::{Meddle, StoreIt};
pub use store::Memory;
