//! Real agents in tests, without a real model.
//!
//! [`model`] stands in for the model, behind the API that agents speak. [`claude`] starts Claude Code, or its double, in
//! front of it, with nothing of the machine around it. Two programs: `fake-model`, the model for trials by hand, and
//! `fake-claude`, the double. [`storm`] says how long a storm lasts. Plain threads, no runtime, and nothing of askbridge:
//! tests of every crate may use it.

pub mod claude;
pub mod model;
pub mod storm;
