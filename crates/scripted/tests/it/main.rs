//! Claude Code, the real one and its double, in front of the scripted model.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod model;
