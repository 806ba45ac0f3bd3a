//! `cargo xtask soak`: runs seeds, fuzzed inputs and the storms at full length, for hours, and writes `docs/soak.md`.

mod page;
mod run;

pub(crate) use run::run;
