//! One loop for every peer that speaks in requests: a response, or an event stream whose answers come by other requests.

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_peers::listing::{Greeting, Hello, Listing, RouteKind};
use askbridge_peers::peer::{Cx, Frame, Outbox, Peer, Req, Resp, Tag};
use askbridge_peers::told::Told;
use askbridge_peers::wish::{Receipt, Rejection, Watch};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use bytes::Bytes;
use tokio::sync::mpsc;

use super::app::App;
use super::problem::Trouble;
use crate::auth::{Action, Caller};
use crate::runtime::{Follower, Heard, Interest, News};

/// Chunks that wait for one reader. Beyond: the stream waits, and the hub lets it go if that takes too long.
const CHUNKS_MAX: usize = 64;

/// Adds the request routes of a language to a router.
pub fn mount(router: Router<App>, listing: &'static Listing) -> Router<App> {
    let requests = listing.routes.iter().filter(|route| route.kind == RouteKind::Request);
    requests.fold(router, |router, route| {
        let method = match route.method {
            "POST" => MethodFilter::POST,
            "DELETE" => MethodFilter::DELETE,
            _ => MethodFilter::GET,
        };
        let handler =
            move |State(app): State<App>, caller: Caller, request: Request| answer(app, caller, listing, request);
        router.route(route.path, on(method, handler))
    })
}

async fn answer(app: App, caller: Caller, listing: &'static Listing, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, limits::BODY_BYTES_MAX).await else {
        return Trouble::new(413, "too_large", "the body is too large").into_response();
    };
    let Some(greet) = listing.greet else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let (path, query) = (parts.uri.path(), parts.uri.query().unwrap_or_default());
    let mut peer = match greet(&Hello { path, query, caller: Some(&caller.name) }) {
        Greeting::Open(peer) => peer,
        Greeting::Refuse(status, body) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN);
            return (status, body).into_response();
        }
    };
    let mut run = Run { app, caller, via: listing.name, out: Outbox::default(), follower: None, wake_at: None };
    let request = Req { method: parts.method.as_str(), path, query, body: &body };
    if let Err(garbled) = run.with_peer(&mut *peer, |peer, cx| peer.hear(Frame::Request(request), cx)) {
        return Trouble::new(400, "bad_request", garbled.why).into_response();
    }
    // Until the response has begun, the request itself waits.
    loop {
        run.settle(&mut *peer).await;
        if let Some(head) = run.take_head() {
            return respond(head, run, peer);
        }
        if run.out.hang_up.is_some() || !run.step(&mut *peer).await {
            return StatusCode::NO_CONTENT.into_response();
        }
    }
}

fn respond(head: Resp, mut run: Run, mut peer: Box<dyn Peer>) -> Response {
    let status = StatusCode::from_u16(head.status).unwrap_or(StatusCode::OK);
    let body = if head.open {
        let (sender, receiver) = mpsc::channel::<Result<Bytes, std::convert::Infallible>>(CHUNKS_MAX);
        let tasks = run.app.tasks.clone();
        tasks.spawn(async move {
            if sender.send(Ok(head.body)).await.is_err() {
                return;
            }
            let stop = run.app.stop.clone();
            loop {
                run.settle(&mut *peer).await;
                for chunk in run.take_chunks() {
                    if sender.send(Ok(chunk)).await.is_err() {
                        return;
                    }
                }
                if run.out.hang_up.is_some() {
                    return;
                }
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = sender.closed() => return,
                    going_on = run.step(&mut *peer) => if !going_on { return },
                }
            }
        });
        Body::from_stream(tokio_stream::wrappers::ReceiverStream::new(receiver))
    } else {
        Body::from(head.body)
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(head.content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (status, headers, body).into_response()
}

struct Run {
    app: App,
    caller: Caller,
    via: &'static str,
    out: Outbox,
    follower: Option<Follower>,
    wake_at: Option<Timestamp>,
}

impl Run {
    fn with_peer<T>(&mut self, peer: &mut dyn Peer, act: impl FnOnce(&mut dyn Peer, &mut Cx<'_>) -> T) -> T {
        let mut chance = self.app.handle.chance.clone();
        let mut cx = Cx { now: self.app.handle.clock.now(), ids: &mut chance, out: &mut self.out };
        act(peer, &mut cx)
    }

    /// Grants wishes and begins to watch, until the peer wants nothing more.
    async fn settle(&mut self, peer: &mut dyn Peer) {
        loop {
            for watch in std::mem::take(&mut self.out.watches) {
                self.watch(watch);
            }
            if let Some(at) = self.out.wake_at.take() {
                self.wake_at = Some(at);
            }
            let wishes = std::mem::take(&mut self.out.wishes);
            if wishes.is_empty() {
                return;
            }
            for (tag, wish) in wishes {
                let ruling = self.app.handle.grant(&self.caller, self.via, wish).await;
                self.reply(peer, tag, ruling);
            }
        }
    }

    fn reply(&mut self, peer: &mut dyn Peer, tag: Tag, ruling: Result<Receipt, Rejection>) {
        self.with_peer(peer, |peer, cx| peer.reply(tag, ruling, cx));
    }

    fn watch(&mut self, watch: Watch) {
        let handle = &self.app.handle;
        self.follower = match watch {
            Watch::Inbox { after } => {
                let after = after.and_then(|cursor| cursor.parse().ok());
                Some(handle.follow(Interest::Inbox(self.caller.clone()), after))
            }
            Watch::Session { session } => {
                let may = handle.guarded(&self.caller, Action::See, session);
                may.ok().map(|()| handle.follow_live(Interest::Session(session)))
            }
        };
    }

    /// Waits for one thing to happen. Returns `false` if nothing ever will.
    async fn step(&mut self, peer: &mut dyn Peer) -> bool {
        let clock = self.app.handle.clock.clone();
        let wake_at = self.wake_at;
        let follower = &mut self.follower;
        if follower.is_none() && wake_at.is_none() {
            return false;
        }
        let heard = async {
            match follower {
                Some(follower) => follower.next().await,
                None => std::future::pending().await,
            }
        };
        let heard = tokio::select! {
            heard = heard => Some(heard),
            () = async { clock.sleep_until(wake_at.unwrap_or_default()).await }, if wake_at.is_some() => None,
        };
        match heard {
            None => {
                self.wake_at = None;
                self.wake_at = self.with_peer(peer, |peer, cx| peer.wake(cx));
                true
            }
            Some(Ok(Heard::Snapshot(snapshot))) => {
                self.with_peer(peer, |peer, cx| peer.tell(&Told::Snapshot(&snapshot), cx));
                true
            }
            Some(Ok(Heard::News(news))) => {
                if let News::Entry(batch) = &*news {
                    for happened in &batch.happened {
                        self.with_peer(peer, |peer, cx| peer.tell(&Told::Event(happened), cx));
                    }
                }
                true
            }
            Some(Ok(Heard::Lagged) | Err(_)) => {
                self.with_peer(peer, |peer, cx| peer.tell(&Told::Lagged, cx));
                false
            }
        }
    }

    fn take_head(&mut self) -> Option<Resp> {
        let place = self.out.frames.iter().position(|frame| matches!(frame, Frame::Response(_)))?;
        match self.out.frames.remove(place) {
            Frame::Response(head) => Some(head),
            _ => None,
        }
    }

    fn take_chunks(&mut self) -> Vec<Bytes> {
        let frames = std::mem::take(&mut self.out.frames);
        let chunks = frames.into_iter().filter_map(|frame| match frame {
            Frame::Chunk(chunk) => Some(chunk),
            _ => None,
        });
        chunks.collect()
    }
}
