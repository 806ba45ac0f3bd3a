//! `askbridge config`: the settings, and where they come from.

mod args;
mod check;
mod show;

pub(crate) use args::{Args, run};
