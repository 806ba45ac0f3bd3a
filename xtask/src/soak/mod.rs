//! `cargo xtask soak`: simulated seeds, fuzzed inputs and the storms at full length, by the hour. Its last result is a page of
//! the documents.

mod page;
mod run;

pub(crate) use run::run;
