//! The test kit: a running bridge, and clients that talk to it over real sockets.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use askbridge_bridge::auth::{TokenRole, Tokens};
use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::Clock;
use askbridge_bridge::cluster::{NodeProfile, join};
use askbridge_bridge::hosts::{HostOptions, Hosts};
use askbridge_bridge::keeping::{Retention, keep};
use askbridge_bridge::runtime::{Bridge, Handle, Options, Store};
use askbridge_bridge::server::{App, AppOptions, Listeners, Origins, Server, dialect, router, router_speaking, serve};
use askbridge_bridge::workflows::{GobbySource, follow};
use askbridge_core::ids::{AskId, StableNodeId};
use askbridge_core::limits;
use askbridge_core::terms::Rules;
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_journal::{Memory, Sqlite, sqlite};
use askbridge_peers::uuid;
use axum::Router;
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::schemas;

/// Nothing takes this long. Beyond: the test fails and says what it waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// A node that [`House::declare_gone`] declares gone.
pub(crate) const GONE_NODE: &str = "node_00000000000000aa";

/// A store that is gone with its bridge.
pub(crate) fn memory() -> Store {
    Store::from(Memory::new(7).expect("memory can be had"))
}

/// A running bridge.
pub(crate) struct House {
    pub(crate) handle: Handle,
    pub(crate) app: App,
    bridge: Bridge,
    server: Server,
    hosts: Option<Hosts>,
    address: SocketAddr,
    /// Holds the local socket.
    folder: tempfile::TempDir,
}

impl House {
    pub(crate) async fn open() -> Self {
        Self::open_on(memory(), Clock::System, 7).await
    }

    /// Opens one on a file, as the binary does. `seed` differs from run to run.
    pub(crate) async fn open_file(options: &sqlite::Options, clock: Clock, seed: u64) -> Self {
        let store = Store::from(Sqlite::open(options).expect("the file can be opened"));
        Self::open_on(store, clock, seed).await
    }

    pub(crate) async fn open_on(store: Store, clock: Clock, seed: u64) -> Self {
        Self::open_routed(store, clock, seed, Rules::default(), router).await
    }

    /// Opens a node among others. Its run is told from earlier ones by `seed`.
    pub(crate) async fn open_node(store: Store, seed: u64, id: StableNodeId, profile: NodeProfile) -> Self {
        let (rules, clock) = (Rules::default(), Clock::System);
        let house = Self::open_as(id, store, clock, seed, rules, router).await;
        join(&house.app, profile).await.expect("it may join");
        house
    }

    /// Runs agents from now on.
    pub(crate) async fn run_agents(&mut self, options: HostOptions) {
        let hosts = Hosts::start(self.handle.clone(), options, Arc::clone(&self.app.agents)).await;
        let hosts = hosts.expect("there is a folder for agents");
        self.app.host(hosts.clone());
        self.hosts = Some(hosts);
    }

    /// Puts it on the shelf that a node was declared gone, so that this can be repeated.
    pub(crate) async fn declare_gone(&self) {
        let (key, now) = (format!("node-gone/{GONE_NODE}"), self.handle.now());
        let put = self.handle.store().put(&key, br#"{"at":0,"by":"ada"}"#, Expect::Any, None, now);
        put.await.expect("the shelf can be written");
    }

    /// Opens one that also serves the dialect of another system.
    pub(crate) async fn speaking(name: &str) -> Self {
        Self::open_speaking(memory(), Clock::System, 7, name).await
    }

    /// Opens one that serves the dialect of another system as the binary does.
    pub(crate) async fn open_speaking(store: Store, clock: Clock, seed: u64, name: &str) -> Self {
        let listing = dialect(name).expect("this is a dialect");
        Self::open_routed(store, clock, seed, Rules::default(), |app| router_speaking(app, vec![listing])).await
    }

    async fn open_routed(
        store: Store,
        clock: Clock,
        seed: u64,
        rules: Rules,
        router: impl FnOnce(App) -> Router,
    ) -> Self {
        Self::open_as(StableNodeId(seed), store, clock, seed, rules, router).await
    }

    async fn open_as(
        stable_node: StableNodeId,
        store: Store,
        clock: Clock,
        seed: u64,
        rules: Rules,
        router: impl FnOnce(App) -> Router,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the local socket");
        let chance = Chance::seeded(seed);
        let options = Options { store: store.clone(), stable_node, clock, chance: chance.clone(), rules };
        let bridge = Bridge::start(options).await;
        let tokens = Tokens::load(store, chance, bridge.handle.now()).await.expect("an empty shelf can be read");
        let handle = bridge.handle.clone();
        let options = AppOptions {
            handle: handle.clone(),
            tokens,
            origins: Origins::default(),
            requests_per_second: limits::REQUESTS_PER_SECOND,
            failures_per_minute: limits::FAILURES_PER_MINUTE,
            version: "test",
        };
        let app = App::new(options);
        let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
        let listeners = Listeners::bind(any_port, &folder.path().join("socket")).await.expect("a free port");
        let address = listeners.address().expect("it listens");
        let server = serve(app.clone(), router(app.clone()), listeners, "test".to_owned());
        Self { handle, app, bridge, server, hosts: None, address, folder }
    }

    /// Makes the token of a person, who may decide.
    pub(crate) async fn person(&self, name: &str) -> String {
        self.token(name, TokenRole::Person).await
    }

    /// Makes the token of an operator, who may decide, and start and forget sessions.
    pub(crate) async fn operator(&self, name: &str) -> String {
        self.token(name, TokenRole::Operator).await
    }

    /// Drives sessions by the gobby rules of this folder.
    pub(crate) async fn rule_by_gobby(&self, folder: &Path) {
        let source = GobbySource { folder: Some(folder.to_owned()), projects: false, ..GobbySource::default() };
        let read = source.read().expect("the folder can be read");
        follow(&self.app, source, read).await;
    }

    /// Enforces this retention from now on.
    pub(crate) fn keep(&self, retention: Retention) {
        keep(&self.app, retention);
    }

    /// Makes the token of an agent, which may ask.
    pub(crate) async fn agent(&self, name: &str) -> String {
        self.token(name, TokenRole::Agent).await
    }

    /// Makes the token of a program that answers under its own name.
    pub(crate) async fn bot(&self, name: &str) -> String {
        self.token(name, TokenRole::Bot).await
    }

    pub(crate) async fn local(&self) -> String {
        self.token("me", TokenRole::Local).await
    }

    /// Revokes the token with that name.
    pub(crate) async fn revoke(&self, name: &str) {
        let token = self.app.tokens.list().into_iter().find(|token| token.name == name).expect("somebody holds it");
        self.app.tokens.revoke(&token.id).await.expect("a token can be revoked");
    }

    async fn token(&self, name: &str, role: TokenRole) -> String {
        let made = self.app.tokens.make(name, "test", role, self.handle.now()).await;
        made.expect("a token can be made").0.reveal().to_owned()
    }

    pub(crate) async fn native(&self, token: &str) -> Socket {
        let mut socket = self.socket("/v1/ws", None).await.expect("anybody may knock");
        socket.say(&format!(r#"{{"type":"hello","token":"{token}"}}"#)).await;
        socket.hear("welcome", |frame| frame["type"] == "welcome").await;
        socket.hear("a snapshot", |frame| frame["type"] == "snapshot").await;
        socket
    }

    /// Connects as gobby's page does that shows the conversation of this ask. The bridge serves gobby's dialect.
    pub(crate) async fn gobby(&self, token: &str, ask: &str) -> Socket {
        let mut socket = self.socket("/ws", Some(token)).await.expect("the token is known");
        let ask: AskId = ask.parse().expect("this is an ask's id");
        let conversation = uuid::of_session(ask.session);
        socket.say(&json!({"type": "heartbeat", "conversation_id": conversation}).to_string()).await;
        socket
    }

    /// Connects as whimmy's plugin does. The bridge serves whimmy's door.
    pub(crate) async fn plugin(&self, token: &str) -> Socket {
        let path = format!("/api/v1/providers/ws?token={token}");
        let mut socket = self.socket(&path, None).await.expect("it brought a token");
        socket.say(r#"{"type":"health"}"#).await;
        socket
    }

    /// Opens a socket, or returns the status with which that was refused.
    pub(crate) async fn socket(&self, path: &str, bearer: Option<&str>) -> Result<Socket, u16> {
        let mut request = format!("ws://{}{path}", self.address).into_client_request().expect("this is an address");
        if let Some(token) = bearer {
            let value = format!("Bearer {token}").parse().expect("a token is printable");
            request.headers_mut().insert("authorization", value);
        }
        match connect_async(request).await {
            Ok((stream, _)) => Ok(Socket { stream, native: path.starts_with("/v1/ws") }),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(other) => panic!("could not connect: {other}"),
        }
    }

    /// Requests a socket as a browser does, with these headers, and returns the status.
    pub(crate) async fn knock(&self, headers: &[(&'static str, &str)]) -> u16 {
        let mut request = format!("ws://{}/v1/ws", self.address).into_client_request().expect("this is an address");
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().expect("headers are printable"));
        }
        match connect_async(request).await {
            Ok((_, response)) => response.status().as_u16(),
            Err(Error::Http(response)) => response.status().as_u16(),
            Err(other) => panic!("could not connect: {other}"),
        }
    }

    /// Follows everything, as server-sent events.
    pub(crate) async fn events(&self, token: &str) -> Stream {
        self.events_after(token, None).await
    }

    /// The same, from a cursor on.
    pub(crate) async fn events_after(&self, token: &str, after: Option<&str>) -> Stream {
        let mut request = self.request("GET", "/v1/events", token);
        if let Some(id) = after {
            request = request.header("last-event-id", id);
        }
        let response = self.send(request.body(Full::default()).expect("a request")).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        Stream { body: response.into_body(), unread: String::new(), last_id: after.map(str::to_owned) }
    }

    pub(crate) async fn post(&self, path: &str, token: &str, body: &Value) -> (u16, Value) {
        let request = self.request("POST", path, token).header("content-type", "application/json");
        self.ask_for(request.body(Full::from(body.to_string())).expect("a request")).await
    }

    pub(crate) async fn post_with_key(&self, path: &str, token: &str, key: &str, body: &Value) -> (u16, Value) {
        let request = self.request("POST", path, token).header("idempotency-key", key);
        self.ask_for(request.body(Full::from(body.to_string())).expect("a request")).await
    }

    /// Returns the headers of a page that needs no token.
    pub(crate) async fn headers(&self, path: &str) -> hyper::HeaderMap {
        let response = self.send(self.request("GET", path, "").body(Full::default()).expect("a request")).await;
        assert_eq!(response.status(), StatusCode::OK);
        response.headers().clone()
    }

    pub(crate) async fn delete(&self, path: &str, token: &str) -> (u16, Value) {
        self.ask_for(self.request("DELETE", path, token).body(Full::default()).expect("a request")).await
    }

    pub(crate) async fn get(&self, path: &str, token: &str) -> (u16, Value) {
        self.ask_for(self.request("GET", path, token).body(Full::default()).expect("a request")).await
    }

    /// Sends a request and returns the response, which has to be as the documents say.
    pub(crate) async fn ask_for(&self, request: Request<Full<Bytes>>) -> (u16, Value) {
        let (method, path) = (request.method().to_string(), request.uri().to_string());
        read(&method, &path, self.send(request).await).await
    }

    /// The same on the local socket, as the process that runs the tests.
    pub(crate) async fn here(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        read(method, path, self.here_held(method, path, body).await).await
    }

    /// The same, but returns as soon as the response begins.
    pub(crate) async fn here_held(&self, method: &str, path: &str, body: &Value) -> Response<Incoming> {
        let stream = UnixStream::connect(self.folder.path().join("socket")).await.expect("somebody listens");
        let request = Request::builder().method(method).uri(path).header("host", "localhost");
        exchange(stream, request.body(Full::from(body.to_string())).expect("a request")).await
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn request(&self, method: &str, path: &str, token: &str) -> hyper::http::request::Builder {
        let host = self.address.to_string();
        let request = Request::builder().method(method).uri(path).header("host", host);
        request.header("authorization", format!("Bearer {token}"))
    }

    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Response<Incoming> {
        exchange(TcpStream::connect(self.address).await.expect("somebody listens"), request).await
    }

    /// Stops the server and leaves the bridge behind it running.
    pub(crate) async fn stop_serving(self) -> Bridge {
        self.server.stop().await;
        if let Some(hosts) = self.hosts {
            // As `askbridge serve` does: agents go on, for the next server.
            hosts.stop(false).await;
        }
        self.bridge
    }

    pub(crate) async fn close(self) {
        self.stop_serving().await.stop().await;
    }
}

async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> Response<Incoming>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("it speaks HTTP");
    // Ends when the request is dropped.
    tokio::spawn(connection);
    let response = timeout(PATIENCE, sender.send_request(request)).await.expect("an answer in time");
    response.expect("a response")
}

async fn read(method: &str, path: &str, response: Response<Incoming>) -> (u16, Value) {
    let status = response.status().as_u16();
    let kind = response.headers().get("content-type").map(|kind| kind.to_str().expect("a kind is text").to_owned());
    let body = response.into_body().collect().await.expect("a whole body").to_bytes();
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    schemas::check(&schemas::Answered { method, path, status, kind: kind.as_deref(), body: &body });
    (status, body)
}

/// A socket to the bridge.
pub(crate) struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Is this our native dialect? Then every frame has to be as the documents say.
    native: bool,
}

impl Socket {
    pub(crate) async fn say(&mut self, frame: &str) {
        self.stream.send(Message::text(frame)).await.expect("the bridge listens");
    }

    /// Waits for the wanted frame, and skips the others.
    pub(crate) async fn hear(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.hear_all(what, wanted).await.pop().expect("the last one was wanted")
    }

    /// Waits for the wanted frame. Returns everything up to it.
    pub(crate) async fn hear_all(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut heard = Vec::new();
        loop {
            let next = timeout(PATIENCE, self.stream.next()).await;
            match next.unwrap_or_else(|_| panic!("waited for {what}, heard {heard:#?}")) {
                Some(Ok(Message::Text(text))) => {
                    let frame: Value = serde_json::from_str(&text).expect("frames are JSON");
                    if self.native {
                        schemas::check_told(&frame);
                    }
                    let found = wanted(&frame);
                    heard.push(frame);
                    if found {
                        return heard;
                    }
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("waited for {what}, heard {heard:#?}, then {other:?}"),
            }
        }
    }

    /// Waits for the end. Returns its code.
    pub(crate) async fn hear_end(&mut self) -> u16 {
        loop {
            match timeout(PATIENCE, self.stream.next()).await.expect("it ends") {
                Some(Ok(Message::Close(Some(frame)))) => return frame.code.into(),
                Some(Ok(_)) => {}
                other => panic!("waited for a goodbye, heard {other:?}"),
            }
        }
    }

    /// Drops the connection without a close frame, as a process that is killed does.
    pub(crate) fn kill(self) {
        drop(self);
    }
}

/// An event stream.
pub(crate) struct Stream {
    body: Incoming,
    unread: String,
    pub(crate) last_id: Option<String>,
}

impl Stream {
    /// Waits for the next event of that name, and skips the others.
    pub(crate) async fn hear(&mut self, name: &str) -> Value {
        loop {
            while let Some((event, rest)) = self.unread.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.unread = rest;
                let field = |key: &str| event.lines().find_map(|line| line.strip_prefix(key)).map(str::to_owned);
                self.last_id = field("id: ").or(self.last_id.take());
                if field("event: ").as_deref() == Some(name) {
                    let data = field("data: ").expect("an event has data");
                    return serde_json::from_str(&data).expect("data is JSON");
                }
            }
            let frame = timeout(PATIENCE, self.body.frame()).await;
            let frame = frame.unwrap_or_else(|_| panic!("waited for the event {name}"));
            let frame = frame.expect("the stream goes on").expect("the stream is whole");
            if let Ok(chunk) = frame.into_data() {
                self.unread.push_str(std::str::from_utf8(&chunk).expect("events are text"));
            }
        }
    }
}

/// A raw connection, for requests that no well-behaved client would send.
pub(crate) struct Raw(TcpStream);

impl Raw {
    pub(crate) async fn open(house: &House) -> Self {
        Self(TcpStream::connect(house.address).await.expect("somebody listens"))
    }

    /// Writes the bytes, as far as the other side takes them.
    pub(crate) async fn say(&mut self, bytes: &str) -> &mut Self {
        let _ = timeout(PATIENCE, self.0.write_all(bytes.as_bytes())).await.expect("it takes it or hangs up");
        self
    }

    /// Writes one byte more. Returns whether the other side is still connected and has sent nothing.
    pub(crate) async fn trickle(&mut self) -> bool {
        let mut one = [0];
        let said = timeout(Duration::from_millis(1), self.0.peek(&mut one)).await;
        said.is_err() && self.0.write_all(b"a").await.is_ok()
    }

    /// Returns the status of the response.
    pub(crate) async fn status(&mut self) -> u16 {
        let mut line = Vec::new();
        while line.len() < 12 {
            let mut some = [0; 12];
            let wanted = 12 - line.len();
            match timeout(PATIENCE, self.0.read(&mut some[..wanted])).await.expect("an answer in time") {
                Ok(0) | Err(_) => panic!("hung up after {:?}", String::from_utf8_lossy(&line)),
                Ok(got) => line.extend(&some[..got]),
            }
        }
        let line = String::from_utf8(line).expect("a status line is text");
        line.strip_prefix("HTTP/1.1 ").and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{line}"))
    }
}
