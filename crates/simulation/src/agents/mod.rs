//! Agents: those that ask over HTTP, those that hold a connection, those behind another system's plugin, and one that would like to decide for itself.

mod asker;
mod http;
mod intruder;
mod plugin;
mod rounds;

pub(crate) use asker::{Asker, live as asker};
pub(crate) use http::{Agent, live as http};
pub(crate) use intruder::live as intruder;
pub(crate) use plugin::{Plugin, live as plugin};
