//! `POST /v1/agents`: a process on this machine announces itself as an agent, so that nothing below it may decide.

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tracing::info;

use crate::auth::{agent_above, command_line};
use crate::runtime::down;
use crate::server::app::App;
use crate::server::body::Json;
use crate::server::docs::Operation;
use crate::server::identify::Remote;
use crate::server::problem::Trouble;

/// Who is an agent.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Announcement {
    /// Whatever started the caller, instead of the caller itself: an agent that starts a helper of ours.
    #[serde(default)]
    parent: bool,
}

/// This can only take rights from the caller and processes around it, so any process on the local socket may do it.
pub(crate) async fn announce(
    State(app): State<App>,
    remote: Option<Extension<Remote>>,
    Json(announcement): Json<Announcement>,
) -> Result<Response, Trouble> {
    let refused = || Trouble::new(403, "forbidden", "agents announce themselves on the local socket");
    let Some(Extension(Remote::Local(peer))) = remote else { return Err(refused()) };
    let (store, now) = (&app.handle.store.own(), app.handle.clock.now());
    let caller = peer.process()?.pid;
    let pid = match announcement.parent {
        // The helper's own command line says which of ours it is.
        true => match agent_above(
            caller,
            if command_line(caller).iter().any(|word| word == "hook") { "hook" } else { "mcp" },
        ) {
            Some(agent) => agent,
            // A person runs it by hand: there is no agent.
            None => return Ok(StatusCode::NO_CONTENT.into_response()),
        },
        false => caller,
    };
    let known = app.agents.announce_for_good(pid, store, now).await;
    if !known.map_err(down)? {
        return Err(refused());
    }
    info!(pid, "Process {pid} is an agent: nothing below it may decide");
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(crate) fn announce_doc(op: &mut Operation<'_>) {
    op.is("announceAgent", "Callers", "Says that the caller is an agent, so that nothing below it may decide.")
        .text("*Any process, on the local socket only.* It can only ever take rights away from the caller.")
        .may_have_body::<Announcement>(json!({"parent": true}))
        .only_here()
        .returns_nothing(204, "From now on it is an agent.");
}
