//! `askbridge hook`: what an agent in a person's own terminal calls. It prints nothing unless it has an answer.
//!
//! Without a server it prints nothing either, unless a rule of the operator says otherwise (`when_down.rs`).
//!
//! It never fails: after any error the agent's terminal has to work as if we were not there. Above all it never exits
//! with 2, which Claude Code takes for a no.

mod args;
mod call;
pub(crate) mod events;
mod when_down;

pub(crate) use args::{Args, run};
