//! Claude's own rule strings: `Bash(npm test *)`, `Edit(/src/**)`, `mcp__github__*`, `WebFetch(domain:example.org)`.
//!
//! `spec` parses a string, `commands` and `paths` (with `globs`) are the two kinds of patterns with rules of
//! their own. What the real
//! CLI makes of the same strings is checked in `tests/rule_files`.

mod commands;
mod globs;
mod hosts;
mod paths;
mod spec;

pub(crate) use hosts::host;
pub(crate) use spec::{PATH_GLOBS, PATHS};
pub use spec::{ToolSpecs, Yes};
