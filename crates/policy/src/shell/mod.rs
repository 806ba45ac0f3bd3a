//! Finds the commands that a shell would run, for rules that allow (all of them, or none) and rules that deny (any).
//!
//! This is not a shell. For rules that allow, whatever is not plain text is not understood, and then nothing is allowed:
//! expansions, redirections to files, background jobs, groups, constructs. For rules that deny, `suspects` looks into
//! all of that and would rather name a command too many.

mod escapes;
mod scan;
mod suspects;

pub(crate) use scan::script;
