//! One loop for every peer on a socket: frames in, frames out, wishes in between.

use std::net::IpAddr;
use std::time::Duration;

use askbridge_core::ids::{Position, SessionId, Timestamp};
use askbridge_core::limits;
use askbridge_peers::peer::{Cx, Frame, Outbox, Peer, Tag};
use askbridge_peers::told::Told;
use askbridge_peers::wish::{CallerName, Query, Receipt, Rejection, Watch};
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{SinkExt, StreamExt};
use tokio::time::{Instant, sleep_until, timeout};
use tracing::debug;

use super::app::{App, Seat};
use super::identify::{pace, sign_in};
use crate::auth::{Action, Caller};
use crate::chance::Chance;
use crate::runtime::{Follower, Heard, Interest, News};

/// How long one write may take. Beyond: the client is not listening and is let go.
const WRITE_MAX: Duration = Duration::from_secs(20);
const GOING_AWAY: u16 = 1001;
const TRY_AGAIN_LATER: u16 = 1013;
const POLICY: u16 = 1008;

/// Who sits at the other end.
pub(crate) struct Guest {
    pub(crate) via: &'static str,
    pub(crate) from: IpAddr,
    /// Known from the upgrade request, or later by a login.
    pub(crate) caller: Option<Caller>,
    /// Held as long as the socket is open.
    pub(crate) _seat: Option<std::sync::Arc<Seat>>,
}

/// Everything about one connection.
struct Pump {
    app: App,
    guest: Guest,
    peer: Box<dyn Peer>,
    out: Outbox,
    chance: Chance,
    follower: Option<Follower>,
    rulings: FuturesUnordered<BoxFuture<'static, (Tag, Result<Receipt, Rejection>)>>,
    /// Rulings whose events have not been told yet: first the news, then the receipt.
    held: Vec<(SessionId, Position, Tag, Receipt)>,
    wake_at: Option<Timestamp>,
    hang_up: Option<(u16, String)>,
}

/// Moves frames between a socket and its peer until one of them has enough.
pub(crate) async fn socket(app: App, guest: Guest, peer: Box<dyn Peer>, mut socket: WebSocket) {
    let mut pump = Pump::new(app, guest, peer);
    let mut last_heard = Instant::now();
    let mut next_ping = last_heard + limits::HEARTBEAT;
    pump.wake();
    loop {
        if !pump.write(&mut socket).await {
            return;
        }
        if let Some((code, reason)) = pump.hang_up.take() {
            close(&mut socket, code, reason).await;
            return;
        }
        let has_room = pump.rulings.len() < limits::IN_FLIGHT_MAX;
        let (stop, wake_at) = (pump.app.stop.clone(), pump.wake_at);
        let clock = pump.app.handle.clock.clone();
        tokio::select! {
            biased;
            () = stop.cancelled() => pump.hang_up = Some((GOING_AWAY, "askbridge is stopping".to_owned())),
            heard = hear(&mut pump.follower) => pump.told(heard),
            Some((tag, ruling)) = pump.rulings.next(), if !pump.rulings.is_empty() => pump.ruled(tag, ruling),
            message = socket.recv(), if has_room => match message {
                Some(Ok(message)) => {
                    last_heard = Instant::now();
                    if !pump.heard(message) {
                        return;
                    }
                }
                Some(Err(error)) => {
                    debug!(%error, "A socket ended early");
                    return;
                }
                None => return,
            },
            () = async { clock.sleep_until(wake_at.unwrap_or_default()).await }, if wake_at.is_some() => pump.wake(),
            () = sleep_until(next_ping) => {
                if last_heard.elapsed() > limits::SILENCE_MAX {
                    return;
                }
                next_ping = Instant::now() + limits::HEARTBEAT;
                if timeout(WRITE_MAX, socket.send(Message::Ping(bytes::Bytes::new()))).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn hear(follower: &mut Option<Follower>) -> Result<Heard, Rejection> {
    match follower {
        Some(follower) => follower.next().await,
        None => std::future::pending().await,
    }
}

async fn close(socket: &mut WebSocket, code: u16, reason: String) {
    // A control frame holds 125 bytes: two for the code, the rest for the reason.
    let end = (0..=reason.len().min(120)).rev().find(|&end| reason.is_char_boundary(end)).unwrap_or(0);
    let frame = CloseFrame { code, reason: reason[..end].into() };
    let _ = timeout(WRITE_MAX, socket.send(Message::Close(Some(frame)))).await;
}

impl Pump {
    fn new(app: App, guest: Guest, peer: Box<dyn Peer>) -> Self {
        let chance = app.handle.chance.clone();
        Self {
            app,
            guest,
            peer,
            out: Outbox::default(),
            chance,
            follower: None,
            rulings: FuturesUnordered::new(),
            held: Vec::new(),
            wake_at: None,
            hang_up: None,
        }
    }

    /// Lets the peer act, then takes what it wants done.
    fn with_peer<T>(&mut self, act: impl FnOnce(&mut dyn Peer, &mut Cx<'_>) -> T) -> T {
        let now = self.app.handle.clock.now();
        let mut cx = Cx { now, ids: &mut self.chance, out: &mut self.out };
        let result = act(&mut *self.peer, &mut cx);
        for (tag, wish) in std::mem::take(&mut self.out.wishes) {
            match self.guest.caller.clone() {
                Some(caller) => {
                    let (app, via) = (self.app.clone(), self.guest.via);
                    self.rulings.push(Box::pin(async move {
                        let ruling = match pace(&app, &caller) {
                            Ok(()) => app.handle.grant(&caller, via, wish).await,
                            Err(rejection) => Err(rejection),
                        };
                        (tag, ruling)
                    }));
                }
                None => self.rulings.push(Box::pin(async move { (tag, Err(Rejection::Unauthorized)) })),
            }
        }
        for (tag, query) in std::mem::take(&mut self.out.queries) {
            self.query(tag, query);
        }
        for watch in std::mem::take(&mut self.out.watches) {
            self.watch(watch);
        }
        if let Some(at) = self.out.wake_at.take() {
            self.wake_at = Some(at);
        }
        if let Some(hang_up) = self.out.hang_up.take() {
            self.hang_up = Some(hang_up);
        }
        result
    }

    /// Returns `false` once the other side has said goodbye.
    fn heard(&mut self, message: Message) -> bool {
        let text = match message {
            Message::Text(text) => text,
            Message::Binary(_) => {
                self.hang_up = Some((1003, "this protocol is text".to_owned()));
                return true;
            }
            Message::Ping(_) | Message::Pong(_) => return true,
            Message::Close(_) => return false,
        };
        let heard = self.with_peer(|peer, cx| peer.hear(Frame::Text(text.as_str().into()), cx));
        if let Err(garbled) = heard {
            self.hang_up = Some((garbled.code, garbled.why));
        }
        true
    }

    fn told(&mut self, heard: Result<Heard, Rejection>) {
        match heard {
            Ok(Heard::Snapshot(snapshot)) => self.with_peer(|peer, cx| peer.tell(&Told::Snapshot(&snapshot), cx)),
            Ok(Heard::News(news)) => match &*news {
                News::Entry(batch) => {
                    for happened in &batch.happened {
                        self.with_peer(|peer, cx| peer.tell(&Told::Event(happened), cx));
                    }
                    self.release(batch.session, batch.position);
                }
                News::Draft { ask, draft, .. } => {
                    self.with_peer(|peer, cx| peer.tell(&Told::Draft { ask: *ask, draft }, cx));
                }
            },
            Ok(Heard::Lagged) => {
                self.follower = None;
                self.with_peer(|peer, cx| peer.tell(&Told::Lagged, cx));
                self.hang_up = Some((TRY_AGAIN_LATER, "too slow; connect again with the last cursor".to_owned()));
            }
            Err(rejection) => {
                self.follower = None;
                self.hang_up = Some((TRY_AGAIN_LATER, rejection.to_string()));
            }
        }
    }

    fn ruled(&mut self, tag: Tag, ruling: Result<Receipt, Rejection>) {
        if let Ok(receipt) = &ruling
            && let (Some(session), Some(position)) = (receipt.session, receipt.position)
            && self.follower.as_ref().is_some_and(|follower| !follower.has_told(session, position))
        {
            self.held.push((session, position, tag, receipt.clone()));
            return;
        }
        self.with_peer(|peer, cx| peer.reply(tag, ruling, cx));
    }

    fn release(&mut self, session: SessionId, position: Position) {
        let mut place = 0;
        while place < self.held.len() {
            let (of, at, ..) = self.held[place];
            if of == session && at <= position {
                let (_, _, tag, receipt) = self.held.remove(place);
                self.with_peer(|peer, cx| peer.reply(tag, Ok(receipt), cx));
            } else {
                place += 1;
            }
        }
    }

    fn query(&mut self, tag: Tag, query: Query) {
        match query {
            Query::Login { token } => {
                let ruling = self.login(&token);
                self.with_peer(|peer, cx| peer.reply(tag, ruling, cx));
            }
            Query::Ask(ask) => {
                let (app, caller) = (self.app.clone(), self.guest.caller.clone());
                self.rulings.push(Box::pin(async move {
                    let look = async {
                        let caller = caller.ok_or(Rejection::Unauthorized)?;
                        app.handle.guard_ask(&caller, Action::See, ask)?;
                        let view = app.handle.ask(ask).await?;
                        Ok(Receipt { ask: Some(ask), view: Some(Box::new(view)), ..Receipt::default() })
                    };
                    (tag, look.await)
                }));
            }
        }
    }

    fn login(&mut self, token: &str) -> Result<Receipt, Rejection> {
        let caller = match (&self.guest.caller, token.is_empty()) {
            (Some(caller), true) => caller.clone(),
            _ => sign_in(&self.app, token, self.guest.from)?,
        };
        let name = CallerName { name: caller.name.clone(), role: caller.role.name() };
        self.guest.caller = Some(caller);
        Ok(Receipt { caller: Some(name), ..Receipt::default() })
    }

    fn watch(&mut self, watch: Watch) {
        let Some(caller) = self.guest.caller.clone() else {
            self.hang_up = Some((POLICY, "sign in first".to_owned()));
            return;
        };
        let handle = &self.app.handle;
        match watch {
            // A cursor that cannot be read is one that is not of this journal: a snapshot follows.
            Watch::Inbox { after } => {
                let after = after.and_then(|cursor| cursor.parse().ok());
                self.follower = Some(handle.follow(Interest::Inbox(caller), after));
            }
            Watch::Session { session } => match handle.guarded(&caller, Action::See, session) {
                Ok(()) => self.follower = Some(handle.follow(Interest::Session(session), None)),
                Err(rejection) => self.hang_up = Some((POLICY, rejection.to_string())),
            },
        }
    }

    fn wake(&mut self) {
        self.wake_at = None;
        if let Some(at) = self.with_peer(|peer, cx| peer.wake(cx)) {
            self.wake_at = Some(at);
        }
    }

    /// Writes what the peer wants written. Returns `false` if the other side does not take it.
    async fn write(&mut self, socket: &mut WebSocket) -> bool {
        if self.out.frames.is_empty() {
            return true;
        }
        let frames = std::mem::take(&mut self.out.frames);
        let writing = async {
            for frame in frames {
                if let Frame::Text(text) = frame {
                    socket.feed(Message::Text(text.into_owned().into())).await?;
                }
            }
            socket.flush().await
        };
        matches!(timeout(WRITE_MAX, writing).await, Ok(Ok(())))
    }
}
