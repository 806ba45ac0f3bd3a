//! Evaluates events against what the files define.

mod apply;
mod approval;
mod data;
mod lifecycle;
mod observers;
mod rules;
mod run;
mod shell;
mod step_first;
mod step_second;
mod steps;
mod workflows;

pub use workflows::{NotActivated, Workflows};
