//! `askbridge ask`: asks, waits as long as it takes, and prints the answer.

mod args;
pub(crate) mod later;
mod place;
mod report;
mod wait;
pub(crate) mod whereabouts;

pub(crate) use args::Args;
pub(crate) use place::run;
pub(crate) use wait::until_settled;
