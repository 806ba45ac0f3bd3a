//! A fixed set of seeds, the proof that they repeat, and the proof that the judge sees.

mod mutants;
mod seeds;
mod sweep;
