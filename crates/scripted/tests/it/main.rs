//! Claude Code, the real one and its double, in front of the scripted model.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

/// Runs one test body on both programs, so that the double behaves like the real one.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod real {
            $(#[test] fn $name() { super::$name(askbridge_scripted::claude::Subject::Real); })*
        }
        mod fake {
            $(#[test] fn $name() { super::$name(askbridge_scripted::claude::Subject::Fake); })*
        }
    };
}

mod double;
mod drilled;
mod given;
mod interrupting;
mod model;
mod parking;
mod questions;
mod sdk;
mod subagents;
mod wire;
