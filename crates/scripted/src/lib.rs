//! Real agents in tests, without a real model.
//!
//! [`model`] replaces the model, behind the API that agents speak. [`claude`] starts Claude Code, or its double, in
//! front of it, isolated from the machine. There are two programs: `fake-model`, the model for trials by hand, and
//! `fake-claude`, the double. [`storm`] says how long a storm lasts. Plain threads, no runtime, and no dependency on
//! askbridge: tests of every crate may use it.

pub mod claude;
pub mod model;
pub mod storm;
