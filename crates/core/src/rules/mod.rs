//! Rules: what is decided without a person, and what always goes to one.
//!
//! Pure, like everything here. `calls` has the built-in rules about tool calls: a door passes in the facts of a call,
//! decides nothing itself, and records the ruling ([`crate::event::Event::ToolRuled`]). [`asks`] has the operator's rules
//! about asks, which set terms, answer, allow, deny or send to a person. The defaults of terms are in [`crate::terms`].

pub mod asks;
mod calls;
mod pattern;

pub use calls::{CallFacts, CallRules, Moment, rule_call};
pub use pattern::ToolPattern;
pub(crate) use pattern::looks_like;
