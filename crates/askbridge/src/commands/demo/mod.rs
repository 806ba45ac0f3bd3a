//! `askbridge demo`: a scripted agent that shows the whole way of an ask within a minute.

mod args;
mod asks;
mod run;
mod script;

pub(crate) use args::{Args, run};
