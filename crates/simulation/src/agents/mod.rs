//! Agents: over HTTP, behind whimmy's plugin, and one that tries to decide for itself.

mod http;
mod intruder;
mod plugin;
mod rounds;

pub(crate) use http::{Agent, live as http};
pub(crate) use intruder::live as intruder;
pub(crate) use plugin::{Plugin, live as plugin};
