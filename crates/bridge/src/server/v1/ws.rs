//! `GET /v1/ws`: the native dialect.

use std::sync::Arc;

use askbridge_core::limits;
use askbridge_peers::dialects::native;
use askbridge_peers::listing::{Greeting, Hello};
use axum::Extension;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::auth::Caller;
use crate::server::app::{App, Seat};
use crate::server::identify::{Remote, address_of};
use crate::server::problem::Trouble;
use crate::server::pump::{Guest, socket};

/// tungstenite's own buffers cost 133 kB a connection; these cost 5.
const BUFFER_BYTES: usize = 4096;

/// A token may come with the upgrade, or with the first frame: browsers cannot send headers here.
pub(crate) async fn upgrade(
    State(app): State<App>,
    caller: Result<Caller, Trouble>,
    remote: Option<Extension<Remote>>,
    seat: Option<Extension<Arc<Seat>>>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        return Trouble::new(426, "not_a_websocket", "this address speaks WebSocket").into_response();
    };
    let caller = match caller {
        Ok(caller) => Some(caller),
        Err(trouble) if trouble.0.status == 401 => None,
        Err(trouble) => return trouble.into_response(),
    };
    let greet = native::LISTING.greet.expect("the native dialect is a machine");
    let peer = match greet(&Hello { path: "/v1/ws", query: "", caller: caller.as_ref().map(|c| c.name.as_str()) }) {
        Greeting::Open(peer) => peer,
        Greeting::Refuse(status, body) => {
            return (StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN), body).into_response();
        }
    };
    let remote = remote.map(|Extension(remote)| remote);
    let seat = seat.map(|Extension(seat)| seat);
    let guest = Guest { via: native::NAME, from: address_of(remote.as_ref()), caller, _seat: seat };
    let tasks = app.tasks.clone();
    upgrade
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .max_write_buffer_size(limits::FOLLOWER_BYTES_MAX)
        .max_message_size(limits::FRAME_BYTES_MAX)
        .max_frame_size(limits::FRAME_BYTES_MAX)
        .on_upgrade(move |ws| {
            // Tracked, so that a shutdown waits for the goodbye.
            tasks.track_future(async move { socket(app, guest, peer, ws).await })
        })
}
