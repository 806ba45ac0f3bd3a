//! `GET /v1/events`: everything that the caller may see, as server-sent events. `Last-Event-ID` resumes.

use std::convert::Infallible;

use askbridge_core::limits;
use askbridge_peers::dialects::native;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use serde_json::json;
use tokio::time::timeout;

use crate::auth::Caller;
use crate::runtime::{FollowUpdate, Follower, HubMessage, Interest};
use crate::server::app::App;
use crate::server::docs::Operation;

/// The frames are those of the native dialect, each with the cursor to resume from as its id.
pub(crate) async fn stream(State(app): State<App>, caller: Caller, headers: HeaderMap) -> Response {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let after = last.and_then(|cursor| cursor.parse().ok());
    let follower = app.handle.follow(Interest::Inbox(caller.clone()), after);
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let present = app.handle.meters.stream();
    let following = Some((follower, native::SnapshotParts::default()));
    let chunks = stream::unfold((app, caller, following, present), |(app, caller, following, present)| async move {
        let mut following = following?;
        let (chunk, open) = next(&app, &caller, &mut following).await?;
        Some((Ok::<_, Infallible>(Bytes::from(chunk)), (app, caller, open.then_some(following), present)))
    });
    (headers, Body::from_stream(chunks)).into_response()
}

/// Returns the next chunk, and whether another will follow.
async fn next(
    app: &App,
    caller: &Caller,
    (follower, parts): &mut (Follower, native::SnapshotParts),
) -> Option<(String, bool)> {
    let heard = tokio::select! {
        biased;
        () = app.stop.cancelled() => return None,
        () = app.tokens.revoked(caller) => return None,
        heard = timeout(limits::HEARTBEAT, follower.next()) => heard,
    };
    match heard {
        // A comment keeps proxies from closing a quiet stream.
        Err(_) => Some((":\n\n".to_owned(), true)),
        Ok(Ok(FollowUpdate::Snapshot(part))) => {
            let frames = parts.take(&part).into_iter();
            let id = |name| (name == "snapshot").then_some(&*part.cursor);
            let chunk: String = frames.map(|(name, frame)| event(id(name), name, &frame)).collect();
            // A comment, while parts of a snapshot are collected.
            Some((if chunk.is_empty() { ":\n\n".to_owned() } else { chunk }, true))
        }
        Ok(Ok(FollowUpdate::Message(news))) => match &*news {
            HubMessage::Entry(batch) => {
                let events = batch.happened.iter();
                let chunk = events.map(|one| event(one.cursor.as_deref(), "event", &native::event_frame(one)));
                Some((chunk.collect(), true))
            }
            HubMessage::Draft { ask, draft, .. } => {
                Some((event(None, "draft", &native::draft_frame(*ask, draft)), true))
            }
            HubMessage::Own { own, .. } => Some((event(None, "own", &native::own_frame(own)), true)),
            HubMessage::Gone { sessions } => Some((event(None, "gone", &native::gone_frame(sessions)), true)),
            // These are for one dialect, or for connections that watch one session; this one watches all.
            HubMessage::Seat { .. } | HubMessage::Whisper { .. } | HubMessage::Look { .. } => {
                Some((":\n\n".to_owned(), true))
            }
            HubMessage::Delta { session, block, kind, offset, text } => {
                Some((event(None, "delta", &native::delta_frame(*session, *block, *kind, *offset, text)), true))
            }
        },
        Ok(Ok(FollowUpdate::CaughtUp(_))) => Some((":\n\n".to_owned(), true)),
        Ok(Ok(FollowUpdate::Lagged) | Err(_)) => Some((event(None, "lagged", "{}"), false)),
    }
}

fn event(id: Option<&str>, name: &str, data: &str) -> String {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    format!("{id}event: {name}\ndata: {data}\n\n")
}

pub(crate) fn stream_doc(op: &mut Operation<'_>) {
    op.is("follow", "Following", "Everything that you may see, as it happens.")
        .text(
            "Server-sent events: `snapshot`, `event`, `draft`, `own` (a snooze, or that your devices or channels changed), `gone` (a session was forgotten), `delta`, and \
             `lagged` before the end of a stream that cannot go on. `data` is a frame of the WebSocket (see `/v1/asyncapi.json`), `id` the cursor to come back to. A \
             comment comes every 25 quiet seconds.",
        )
        .header("last-event-id", "A cursor: get what was missed instead of a snapshot.", json!({"type": "string"}))
        .streams(200, "text/event-stream", "The stream. It does not end by itself.");
}
