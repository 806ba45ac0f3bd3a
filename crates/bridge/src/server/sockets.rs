//! WebSockets for every door and dialect: the upgrade, and who may make it.

use std::sync::Arc;

use askbridge_core::limits;
use askbridge_peers::listing::{Greeting, Hello, Listing, Login, RouteKind, Sees};
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};

use super::app::{App, Seat};
use super::guest::{Guest, LoginCookie};
use super::identify::{Remote, address_of};
use super::problem::Trouble;
use super::pump::socket;
use super::talk::Talk;
use crate::auth::Caller;
use crate::runtime::{Right, Source};

/// tungstenite's default buffers cost 133 kB a connection. The read buffer is always allocated; the write buffer is as
/// large as the one frame being written: the next one waits until the socket has taken it.
const READ_BYTES: usize = 256;
const WRITE_BYTES: usize = 4096;

pub(super) type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

/// What comes with the request for an upgrade.
pub(super) struct UpgradeRequest {
    pub(super) caller: Result<Caller, Trouble>,
    pub(super) remote: Option<Remote>,
    pub(super) seat: Option<Arc<Seat>>,
    pub(super) uri: Uri,
    pub(super) cookie: Option<LoginCookie>,
}

/// Adds the socket routes of a door or dialect to a router.
pub fn mount(router: Router<App>, listing: &'static Listing) -> Router<App> {
    let sockets = listing.routes.iter().filter(|route| route.kind == RouteKind::Socket);
    sockets.fold(router, |router, route| {
        let handler = move |State(app): State<App>,
                            caller: Result<Caller, Trouble>,
                            remote: Option<Extension<Remote>>,
                            seat: Option<Extension<Arc<Seat>>>,
                            uri: Uri,
                            upgrade: Upgrade| async move {
            let request =
                UpgradeRequest { caller, remote: remote.map(|it| it.0), seat: seat.map(|it| it.0), uri, cookie: None };
            open(app, listing, request, upgrade)
        };
        router.route(route.path, get(handler))
    })
}

/// A token may come with the upgrade or, if the dialect allows it, with the first frame: browsers cannot send headers
/// here.
pub(super) fn open(app: App, listing: &'static Listing, request: UpgradeRequest, upgrade: Upgrade) -> Response {
    let Ok(upgrade) = upgrade else {
        return Trouble::new(426, "not_a_websocket", "this address speaks WebSocket").into_response();
    };
    let caller = match request.caller {
        Ok(caller) => Some(caller),
        Err(trouble) if trouble.0.status == 401 && listing.login == Login::FirstFrame => None,
        Err(trouble) => return trouble.into_response(),
    };
    let Some(greet) = listing.greet else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let name = caller.as_ref().map(|caller| &*caller.name);
    let query = request.uri.query().unwrap_or_default();
    let may_see = |session| caller.as_ref().is_some_and(|caller| app.handle.may(caller, Right::ReadSession(session)));
    let (path, choices, patience) = (request.uri.path(), app.choices(), app.patience());
    let peer = match greet(&Hello { path, query, caller: name, sees: Sees(&may_see), choices, patience }) {
        Greeting::Open(peer) => peer,
        Greeting::Refuse(status, body) => return refused(status, body),
    };
    let from = address_of(request.remote.as_ref());
    let here = match request.remote {
        Some(Remote::Local(here)) => Some(here),
        _ => None,
    };
    let (via, source, cookie) = (listing.name, Source::Socket, request.cookie);
    let guest = Guest { via, source, from, caller, process: None, peer: here, cookie, _seat: request.seat };
    let tasks = app.tasks.clone();
    upgrade
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(WRITE_BYTES)
        .max_message_size(limits::FRAME_BYTES_MAX)
        .max_frame_size(limits::FRAME_BYTES_MAX)
        .on_upgrade(move |ws| {
            // Tracked, so that a shutdown waits for the close frame.
            tasks.track_future(socket(Box::new(Talk::new(app, guest, peer)), Box::new(ws)))
        })
}

/// The response of a dialect to a client that it refuses.
pub(super) fn refused(status: u16, body: String) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN);
    match body.starts_with('{') {
        true => (status, [(header::CONTENT_TYPE, "application/json")], body).into_response(),
        false => (status, body).into_response(),
    }
}
