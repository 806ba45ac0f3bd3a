//! Outgoing calls, against real servers on loopback: one file for each kind, and one for each rule that holds for all.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

mod calls;
mod outside;
mod reach;
mod socket;
mod stream;
mod turns;
