//! Agents: those that ask over HTTP, those that hold a connection, and one that would like to decide for itself.

mod asker;
mod http;
mod intruder;
mod rounds;

pub(crate) use asker::{Asker, live as asker};
pub(crate) use http::{Agent, live as http};
pub(crate) use intruder::live as intruder;
