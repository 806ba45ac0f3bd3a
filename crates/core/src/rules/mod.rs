//! The rules that are built in: what is decided about a tool's call without a person, and which calls always go to one.
//!
//! Pure, like everything here. A door states the facts of a call and asks; it decides nothing itself, and records what was
//! ruled ([`crate::event::Event::ToolRuled`]). Rules about asks are in [`crate::terms`].

mod calls;
mod pattern;

pub use calls::{CallFacts, CallRules, Moment, rule_call};
pub use pattern::ToolPattern;
