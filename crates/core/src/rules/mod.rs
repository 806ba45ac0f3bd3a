//! The built-in rules: which tool calls are decided without a person, and which always go to one.
//!
//! Pure, like everything here. A door passes in the facts of a call; it decides nothing itself, and records the ruling
//! ([`crate::event::Event::ToolRuled`]). Rules about asks are in [`crate::terms`].

mod calls;
mod pattern;

pub use calls::{CallFacts, CallRules, Moment, rule_call};
pub use pattern::ToolPattern;
