//! The real Claude Code, hosted by the real binary, in front of a scripted model.

mod approvals;
mod house;
mod http;
mod messages;
mod outliving;
mod parking;
mod questions;
mod starting;
