//! YAML as PyYAML's `safe_load` reads it, which is YAML 1.1: with the line of every node, and limits.

mod compose;
mod node;
mod scalar;

pub(crate) use compose::compose;
pub(crate) use node::{Content, Node};
