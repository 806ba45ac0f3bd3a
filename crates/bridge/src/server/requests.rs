//! The one loop for every peer that is served by requests: a response, or an event stream whose answers come in other
//! requests.

use std::sync::Arc;

use askbridge_peers::listing::{Greeting, Hello, Listing, RouteKind, Sees};
use askbridge_peers::peer::{Frame, Req, Resp};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use axum::{Extension, Router};
use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use super::app::{App, Seat};
use super::body::read;
use super::guest::Guest;
use super::identify::{Remote, address_of, process_of};
use super::problem::Trouble;
use super::sockets::refused;
use super::talk::{REVOKED, Talk};
use super::way_in::{BadToken, turned_away};
use crate::auth::Caller;
use crate::runtime::{Right, Source};

/// Chunks queued for one reader. Beyond: the stream waits, and reads on from the journal if that takes long.
const CHUNKS_MAX: usize = 16;
/// Close codes by which a peer is told how a request ended.
const NORMAL: u16 = 1000;
const GOING_AWAY: u16 = 1001;
const GONE: u16 = 1006;

type Chunk = Result<Bytes, std::convert::Infallible>;

/// Adds the request routes of a door or dialect to a router.
pub fn mount(router: Router<App>, listing: &'static Listing) -> Router<App> {
    let requests = listing.routes.iter().filter(|route| route.kind == RouteKind::Request);
    requests.fold(router, |router, route| {
        let method = match route.method {
            "POST" => MethodFilter::POST,
            "DELETE" => MethodFilter::DELETE,
            _ => MethodFilter::GET,
        };
        let handler = move |State(app): State<App>,
                            caller: Caller,
                            remote: Option<Extension<Remote>>,
                            seat: Option<Extension<Arc<Seat>>>,
                            request: Request| {
            let from = address_of(remote.as_ref().map(|it| &it.0));
            let process = process_of(remote.as_ref().map(|it| &it.0));
            let seat = seat.map(|it| it.0);
            let (via, source, caller) = (listing.name, Source::Request, Some(caller));
            let guest = Guest { via, source, from, caller, process, peer: None, cookie: None, _seat: seat };
            answer(app, guest, listing, request)
        };
        router.route(route.path, on(method, handler))
    })
}

pub(super) async fn answer(app: App, guest: Guest, listing: &'static Listing, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = match read(&parts.headers, body).await {
        Ok(body) => body,
        Err(trouble) => return trouble.into_response(),
    };
    let Some(greet) = listing.greet else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let (path, query) = (parts.uri.path(), parts.uri.query().unwrap_or_default());
    let name = guest.caller.as_ref().map(|caller| &*caller.name);
    let may_see =
        |session| guest.caller.as_ref().is_some_and(|caller| app.handle.may(caller, Right::ReadSession(session)));
    let (choices, patience) = (app.choices(), app.patience());
    let peer = match greet(&Hello { path, query, caller: name, sees: Sees(&may_see), choices, patience }) {
        Greeting::Open(peer) => peer,
        Greeting::Refuse(status, body) => return refused(status, body),
    };
    let mut talk = Talk::new(app, guest, peer);
    let headers = headers_of(&parts);
    let request = Req { method: parts.method.as_str(), path, query, headers: &headers, body: &body };
    if let Err(garbled) = talk.hear(Frame::Request(request)) {
        return Trouble::new(400, "bad_request", garbled.why).into_response();
    }
    // In a task: this function's future is dropped without notice when the client disconnects.
    let (head, begun) = oneshot::channel();
    let tasks = talk.app().tasks.clone();
    tasks.spawn(async move {
        let (code, why) = converse(&mut talk, head).await;
        talk.farewell(code, why).await;
    });
    match begun.await {
        Ok(Begun::Response(head, chunks)) => respond(head, chunks),
        Ok(Begun::Revoked) => turned_away(listing, BadToken::Wrong),
        Err(_) => StatusCode::NO_CONTENT.into_response(),
    }
}

/// Returns the headers that a peer may see.
fn headers_of(parts: &Parts) -> Vec<(&str, &str)> {
    let secret = [header::AUTHORIZATION, header::COOKIE, header::PROXY_AUTHORIZATION];
    let shown = parts.headers.iter().filter(|(name, _)| !secret.contains(name));
    shown.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?))).collect()
}

/// How a response begins.
enum Begun {
    Response(Resp, mpsc::Receiver<Chunk>),
    /// The caller's token was revoked before the peer had responded.
    Revoked,
}

/// Lets the peer respond, and goes on as long as it has more to send. Returns how it ended.
async fn converse(talk: &mut Talk, head: oneshot::Sender<Begun>) -> (u16, &'static str) {
    let stop = talk.app().stop.clone();
    let (sender, chunks) = mpsc::channel::<Chunk>(CHUNKS_MAX);
    let mut head = Some((head, chunks));
    let mut _present = None;
    loop {
        for frame in talk.take_frames() {
            match (frame, head.take()) {
                (Frame::Response(resp), Some((begin, chunks))) => {
                    let open = resp.open;
                    _present = open.then(|| talk.app().handle.meters.stream());
                    if begin.send(Begun::Response(resp, chunks)).is_err() {
                        return (GONE, "it did not wait for the response");
                    }
                    if !open {
                        return (NORMAL, "");
                    }
                }
                (Frame::Chunk(chunk), None) => {
                    if sender.send(Ok(chunk)).await.is_err() {
                        return (GONE, "it does not read");
                    }
                }
                (_, waiting) => head = waiting,
            }
        }
        let hang_up = talk.take_hang_up();
        if let Some((REVOKED, _)) = hang_up {
            if let Some((begin, _)) = head {
                // The client may have disconnected as well.
                let _ = begin.send(Begun::Revoked);
            }
            return (REVOKED, "its token was revoked");
        }
        if hang_up.is_some() || talk.is_idle() {
            // Counts as delivered once the connection has taken all of it.
            return match sender.reserve_many(CHUNKS_MAX).await {
                Ok(_) => (NORMAL, ""),
                Err(_) => (GONE, "it left before the last word"),
            };
        }
        let left = async {
            match &mut head {
                Some((begin, _)) => begin.closed().await,
                None => sender.closed().await,
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => return (GOING_AWAY, "askbridge is stopping"),
            () = left => return (GONE, "it left"),
            () = talk.step() => {}
        }
    }
}

fn respond(head: Resp, chunks: mpsc::Receiver<Chunk>) -> Response {
    let status = StatusCode::from_u16(head.status).unwrap_or(StatusCode::OK);
    let body = if head.open {
        let first = futures_util::stream::iter([Ok(head.body)]);
        let chunks = tokio_stream::wrappers::ReceiverStream::new(chunks);
        Body::from_stream(futures_util::StreamExt::chain(first, chunks))
    } else {
        Body::from(head.body)
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(head.content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    let mut response = (status, headers, body).into_response();
    for (name, value) in head.headers {
        let Ok(value) = HeaderValue::try_from(value) else { continue };
        match HeaderName::from_static(name) {
            // The only header that may occur several times.
            header::SET_COOKIE => {
                response.headers_mut().append(header::SET_COOKIE, value);
            }
            name => {
                response.headers_mut().insert(name, value);
            }
        }
    }
    response
}
