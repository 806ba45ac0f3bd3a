//! `askbridge hook`: what an agent in somebody's own terminal calls. Says nothing unless it is sure.
//!
//! It never fails: whatever goes wrong, the agent's terminal has to work as if we were not there. Above all it never ends
//! with 2, which Claude Code takes for a no.

mod args;
mod call;
pub(crate) mod events;

pub(crate) use args::{Args, run};
