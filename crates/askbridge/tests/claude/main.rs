//! The real Claude Code, hosted by the real binary, in front of a scripted model.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

mod always;
mod approvals;
mod forms;
mod gate;
mod gobby;
mod gotchas;
mod hooks;
mod house;
mod http;
#[path = "../it/https.rs"]
#[expect(dead_code, reason = "only the certificates are needed here")]
mod https;
mod interrupting;
mod limits;
mod messages;
mod others_bugs;
mod outliving;
mod overruling;
mod parking;
mod questions;
mod rules;
mod starting;
mod storm;
