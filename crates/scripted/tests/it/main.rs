//! Claude Code, the real one and its double, in front of the scripted model.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

/// One test body, two subjects: what the double does is what the real one does.
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
mod given;
mod interrupting;
mod model;
mod parking;
mod questions;
mod sdk;
mod subagents;
mod wire;
