//! `askbridge demo`: an agent that is none, to see the whole way of an ask within a minute.

mod args;
mod asks;
mod script;
mod stage;

pub(crate) use args::{Args, run};
