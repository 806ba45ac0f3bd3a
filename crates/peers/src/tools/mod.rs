//! Claude Code's tools: what a call asks, how it is shown to a person, and how its input is answered.
//!
//! Beside the doors, because Claude Code comes through several of them, and doors do not depend on each other.

pub(crate) mod answered;
pub(crate) mod approval;
pub(crate) mod call;
mod denied;
mod edit;
pub(crate) mod held;
pub(crate) mod ran;
mod schema;
pub(crate) mod splice;

pub use call::ToolCall;
pub use denied::asked_about;
pub use edit::check_edit;
