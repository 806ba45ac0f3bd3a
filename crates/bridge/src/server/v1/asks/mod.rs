//! `/v1/asks`: the http door, and the inbox.

mod create;
mod decide;
mod list;
mod show;
mod withdraw;

pub(crate) use create::create;
pub(crate) use decide::{answer, dismiss, draft, extend, undo};
pub(crate) use list::list;
pub(crate) use show::show;
pub(crate) use withdraw::withdraw;

use askbridge_core::ids::AskId;

use crate::server::problem::Trouble;

/// Reads an ask's id from the path. What is no id names nothing.
fn ask_id(id: &str) -> Result<AskId, Trouble> {
    id.parse().map_err(|_| Trouble::new(404, "unknown_ask", format!("there is no ask `{id}`")))
}
