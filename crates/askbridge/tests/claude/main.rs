//! The real Claude Code, hosted by the real binary, in front of a scripted model.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

mod approvals;
mod forms;
mod gotchas;
mod house;
mod http;
mod messages;
mod others_bugs;
mod outliving;
mod parking;
mod questions;
mod starting;
mod storm;
