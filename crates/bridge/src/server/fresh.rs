//! Read your own writes, on every node: a layer of nodes that share their journal.
//!
//! A node's lists come from its own index, which follows the journal. What the node itself was acknowledged, it waits for
//! by itself; of what another node was acknowledged it learns from the cursor that the client brings along
//! ([`CURSOR`]). A session that the index does not have yet is looked up in the journal. A server with a journal of its own
//! has no such layer.

use std::str::FromStr;

use askbridge_core::ids::{AskId, SessionId};
use askbridge_core::limits;
use askbridge_journal::{Cursor, NotCaughtUp};
use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::app::App;
use super::identify::Remote;
use super::problem::Trouble;
use crate::runtime::chain;

/// How far a client has seen, in a request; what has been stored by then, in the response to a change.
pub(super) const CURSOR: HeaderName = HeaderName::from_static("askbridge-cursor");

pub(super) async fn fresh(State(app): State<App>, request: Request, next: Next) -> Response {
    if !is_known(&app, &request) {
        // A stranger is refused further in, and costs no wait and no read of the journal.
        return next.run(request).await;
    }
    let cursor = request.headers().get(&CURSOR).and_then(|value| value.to_str().ok()).map(Cursor::from_str);
    match cursor {
        Some(Ok(cursor)) => {
            match app.handle.store().caught_up_to(&cursor).await {
                // What was seen in another journal says nothing about this one.
                Ok(()) | Err(NotCaughtUp::Foreign) => {}
                Err(error) => return not_yet(&error).into_response(),
            }
        }
        Some(Err(_)) => {
            let why = format!("the header `{CURSOR}` holds no cursor; send one that a response of ours had");
            return Trouble::new(422, "bad_request", why).into_response();
        }
        None => {}
    }
    for session in sessions_in(request.uri().path()) {
        app.handle.know(session).await;
    }
    let changes = request.method() != Method::GET;
    let mut response = next.run(request).await;
    if changes && response.status().is_success() {
        let now = HeaderValue::from_str(&app.handle.cursor()).expect("a cursor is ASCII");
        response.headers_mut().insert(CURSOR, now);
    }
    response
}

/// Does the request come over the local socket, or with a token that we know? What it may do is checked later.
fn is_known(app: &App, request: &Request) -> bool {
    if matches!(request.extensions().get::<Remote>(), Some(Remote::Local(_))) {
        return true;
    }
    let bearer = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.split_once(' '));
    bearer.is_some_and(|(_, token)| app.tokens.caller(token.trim()).is_some())
}

/// The sessions that an address names, also by their asks.
fn sessions_in(path: &str) -> impl Iterator<Item = SessionId> {
    // No address of ours names more than two.
    path.split('/').take(8).filter_map(|part| {
        let ask = AskId::from_str(part).ok().map(|ask| ask.session);
        ask.or_else(|| SessionId::from_str(part).ok())
    })
}

fn not_yet(error: &NotCaughtUp) -> Trouble {
    let mut trouble = Trouble::new(503, "down", chain(error));
    trouble.0.retry_after_secs = Some(limits::INDEX_WAIT_MAX.as_secs());
    trouble
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sessions_of_an_address_are_found() {
        let session = SessionId(7);
        let ask = AskId { session, number: 3 };
        let found = |path: String| sessions_in(&path).collect::<Vec<_>>();
        assert_eq!(found(format!("/v1/asks/{ask}/answer")), [session]);
        assert_eq!(found(format!("/v1/sessions/{session}/events")), [session]);
        assert_eq!(found("/v1/asks".to_owned()), []);
    }
}
