//! `askbridge inbox`: lists the open asks.

mod args;
mod card;
mod short_id;
mod watch;

pub(crate) use args::{Args, run};
pub(crate) use card::{headline, said};
pub(crate) use short_id::{matches, short_ids};
