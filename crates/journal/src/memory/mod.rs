//! A journal, a shelf and an index that live and die with the process: for tests, and for simulations.
//!
//! The same SQL as the embedded journal, on a database in memory, without threads: what is appended is stored when the
//! call returns, so a simulation with one seed runs the same way every time.

mod meddle;
mod store;

pub use meddle::{Meddle, StoreIt};
pub use store::Memory;
