//! `askbridge policy`: checks, explains, tests and simulates rules, remembers approvals, and starts step workflows.

mod args;
mod asked;
mod check;
mod check_gobby;
mod explain;
mod remember;
mod simulate;
mod test;
mod workflow;

pub(crate) use args::{Args, run};
