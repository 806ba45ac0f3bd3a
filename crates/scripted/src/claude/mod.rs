//! Claude Code in tests: where it is, how to start it isolated from the machine, how to talk to it line by line.
//!
//! [`places`] finds the real CLI, its double and the official SDK; [`ScratchHome`] is a scratch home; [`Launch`] starts a
//! [`Host`], which speaks the control protocol line by line; [`hosted_by_sdk`] lets the official SDK do that instead.

mod host;
mod launch;
pub mod places;
mod sdk;

pub use host::{Host, HostExit, tool_results};
pub use launch::{Launch, ScratchHome, Subject};
pub use sdk::{Via, hosted_by_sdk};
