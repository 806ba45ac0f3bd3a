//! `/v1/sessions`: conversations, and what happened in them.

mod create;
mod events;
mod list;
mod show;

pub(crate) use create::{create, create_doc};
pub(crate) use events::{events, events_doc};
pub(crate) use list::{list, list_doc};
pub(crate) use show::{show, show_doc};

use askbridge_core::ids::SessionId;

use crate::server::problem::Trouble;

/// Reads a session's id from the path. What is no id names nothing.
fn session_id(id: &str) -> Result<SessionId, Trouble> {
    id.parse().map_err(|_| Trouble::new(404, "unknown_session", format!("there is no session `{id}`")))
}
