//! `askbridge policy`: checks, explains and tests rules.

mod args;
mod asked;
mod check;
mod explain;
mod test;

pub(crate) use args::{Args, run};
