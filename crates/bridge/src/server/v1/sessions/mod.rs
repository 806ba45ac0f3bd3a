//! `/v1/sessions`: conversations, and what happened in them.

mod close;
mod configure;
mod create;
mod delete;
mod events;
mod interrupt;
mod list;
mod messages;
mod show;
mod workflow;

pub(crate) use close::{close, close_doc};
pub(crate) use configure::{configure, configure_doc};
pub(crate) use create::{create, create_doc};
pub(crate) use delete::{ForgottenJson, delete, delete_doc};
pub(crate) use events::{events, events_doc};
pub(crate) use interrupt::{interrupt, interrupt_doc};
pub(crate) use list::{list, list_doc};
pub(crate) use messages::{say, say_doc};
pub(crate) use show::{show, show_doc};
pub(crate) use workflow::{
    end as end_workflow, end_doc as end_workflow_doc, show as show_workflow, show_doc as show_workflow_doc,
    start as start_workflow, start_doc as start_workflow_doc,
};

use askbridge_core::ids::SessionId;
use askbridge_peers::json::{SessionJson, StepJson};

use crate::auth::Caller;
use crate::runtime::Right;
use crate::server::app::App;
use crate::server::problem::Trouble;

/// Parses a session's id in the path. Anything else is an unknown session.
fn session_id(id: &str) -> Result<SessionId, Trouble> {
    id.parse().map_err(|_| Trouble::new(404, "unknown_session", format!("there is no session `{id}`")))
}

/// Finds a session that the caller may see. One that they may not see is refused like one that does not exist.
fn visible(app: &App, caller: &Caller, id: &str) -> Result<SessionId, Trouble> {
    let session = session_id(id)?;
    app.handle.check(caller, Right::ReadSession(session))?;
    Ok(session)
}

/// Shows a session as it is.
async fn shown(app: &App, session: SessionId) -> Result<SessionJson, Trouble> {
    // The cursor first: what happens after it is followed, what happened before is in the view.
    let cursor = app.handle.cursor();
    let view = app.handle.session(session).await?;
    let mut shown = SessionJson::of(&view, Some(cursor));
    shown.waits_for_process = app.hosts().and_then(|hosts| hosts.position(session));
    shown.workflow = app.handle.workflow_step(session).await?.as_ref().map(StepJson::from);
    Ok(shown)
}
