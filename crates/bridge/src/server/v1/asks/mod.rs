//! `/v1/asks`: the http door, and the inbox.

mod create;
mod decide;
mod gone;
mod list;
mod preview;
mod show;
mod snooze;
mod withdraw;

pub(crate) use create::{create, create_doc};
pub(crate) use decide::{answer, dismiss, draft, extend, undo};
pub(crate) use decide::{answer_doc, dismiss_doc, draft_doc, extend_doc, undo_doc};
pub(crate) use list::{first_page, list, list_doc};
pub(crate) use preview::{preview, preview_doc, show as show_preview, show_doc as show_preview_doc};
pub(crate) use show::{WaitQuery, show, show_doc};
pub(crate) use snooze::{snooze, snooze_doc, snoozes, snoozes_doc};
pub(crate) use withdraw::{withdraw, withdraw_doc};

use std::time::Duration;

use askbridge_core::ids::AskId;

use crate::server::problem::Trouble;

/// Reads the `seconds` of a body.
fn span(seconds: Option<f64>) -> Result<Option<Duration>, Trouble> {
    let span = seconds.map(Duration::try_from_secs_f64).transpose();
    span.map_err(|_| Trouble::new(422, "bad_request", "`seconds` has to be a number above 0"))
}

/// Parses an ask's id in the path. Anything else is an unknown ask.
pub(super) fn ask_id(id: &str) -> Result<AskId, Trouble> {
    id.parse().map_err(|_| Trouble::new(404, "unknown_ask", format!("there is no ask `{id}`")))
}
