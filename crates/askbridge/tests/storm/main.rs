//! Storms: the real binary, killed at random moments and raced by many clients. Judged by the clients' own ledgers.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

mod agents;
mod crowd;
mod judge;
mod kill;
mod ntfy;
mod people;
mod race;
mod ring;
mod rules;
mod server;
mod upgrade;
mod wire;
