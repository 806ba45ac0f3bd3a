//! Claude Code in tests: where it is, how to start it with nothing of ours around it, how to talk to it raw.
//!
//! [`places`] finds the real CLI, its double and the official SDK; [`Room`] is a scratch home; [`Launch`] starts a
//! [`Host`], which speaks the control protocol line by line.

mod host;
mod launch;
pub mod places;

pub use host::{Ended, Host, tool_results};
pub use launch::{Launch, Room, Subject};
