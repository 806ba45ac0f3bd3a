//! Several nodes of the real binary on three real NATS servers: any of them serves any person, any of them may die.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

mod deadlines;
mod kills;
mod moving;
mod nats;
mod node;
mod race;
mod skew;
mod together;
mod tokens;
mod up;
#[path = "../storm/wire.rs"]
mod wire;
