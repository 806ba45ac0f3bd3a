//! `askbridge policy`: checks, explains, tests and simulates rules, and remembers approvals.

mod args;
mod asked;
mod check;
mod check_gobby;
mod explain;
mod remember;
mod simulate;
mod test;

pub(crate) use args::{Args, run};
