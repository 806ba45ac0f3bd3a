//! A fixed set of seeds, the proof that they are reproducible, and the proof that the judge catches broken bridges.

mod mutants;
mod seeds;
mod sweep;
