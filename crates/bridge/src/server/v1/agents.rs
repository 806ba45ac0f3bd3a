//! `POST /v1/agents`: a process on this machine says that it is an agent, so that nothing below it may decide.

use askbridge_peers::wish::Rejection;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use tracing::info;

use crate::runtime::chain;
use crate::server::app::App;
use crate::server::docs::Operation;
use crate::server::identify::Remote;
use crate::server::problem::Trouble;

/// Can only ever take rights away from the caller, so anyone on the local socket may do it for themselves.
pub(crate) async fn announce(State(app): State<App>, remote: Option<Extension<Remote>>) -> Result<Response, Trouble> {
    let refused = || Trouble::new(403, "forbidden", "agents announce themselves on the local socket");
    let Some(Extension(Remote::Local(peer))) = remote else { return Err(refused()) };
    let (store, now) = (&app.handle.store, app.handle.clock.now());
    let known = app.agents.announce_for_good(peer.pid, store, now).await;
    if !known.map_err(|error| Rejection::Down(chain(&error)))? {
        return Err(refused());
    }
    info!(pid = peer.pid, "Process {} is an agent: nothing below it may decide", peer.pid);
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(crate) fn announce_doc(op: &mut Operation<'_>) {
    op.is("announceAgent", "Callers", "Says that the caller is an agent, so that nothing below it may decide.")
        .text("*Any process, on the local socket only.* It can only ever take rights away from the caller.")
        .only_here()
        .returns_nothing(204, "From now on it is an agent.");
}
