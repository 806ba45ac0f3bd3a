//! An HTTP/1.1 client with one connection per request: a command makes few, and a new connection is never stale.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use askbridge_bridge::server::reachable;
use askbridge_config::HERE;
use askbridge_platform::{local_socket, ourselves};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request, Response, header};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::Value;
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use super::ask::Ask;
use super::connection::Connection;
use super::error::{Error, Problem};
use super::events::Events;
use super::lines::Lines;
use super::remote::{NoWay, Remote, Stream, Trust};
use crate::failure::Failure;
use crate::settings::Settings;

/// How long connecting may take. Beyond: the server counts as unreachable.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// How long a response may take, beyond the requested wait. Beyond: the connection counts as lost.
const RESPONSE_MAX: Duration = Duration::from_secs(15);
/// Bytes of one response. Beyond: it is refused.
const RESPONSE_BYTES_MAX: usize = 256 * 1024 * 1024;

/// A client of a running askbridge.
#[derive(Debug, Clone)]
pub(crate) struct Client(Transport);

#[derive(Debug, Clone)]
enum Transport {
    /// The local socket: the kernel tells the server who we are.
    Socket {
        path: PathBuf,
        /// Refuse a server of another user.
        only_ours: bool,
    },
    Tcp {
        address: SocketAddr,
        token: Option<String>,
    },
    /// A server on another machine.
    Url {
        remote: Arc<Remote>,
        token: Option<String>,
        /// This machine is connected to it; it was not named for this command.
        is_home: bool,
    },
}

/// A response that was not a refusal.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) text: String,
}

/// What a server says of itself.
#[derive(Debug)]
pub(crate) struct Greeting {
    pub(crate) version: String,
    /// In whole seconds, as a header has it.
    pub(crate) date: Option<SystemTime>,
}

/// The result of an exchange.
pub(crate) enum Exchanged {
    Whole {
        status: u16,
        text: String,
    },
    /// A stream of events.
    Events(Lines),
}

impl Client {
    /// Connects to the configured URL, which needs a token; without a URL, to the askbridge that this machine is
    /// connected to; without a connection, to the server on this machine. A token that is named without a URL is for
    /// the server on this machine, and is sent nowhere else.
    pub(crate) fn new(settings: &Settings, token: Option<String>) -> Result<Self, Failure> {
        let token = token.or_else(|| (*settings.top.token).clone());
        match (settings.top.url.as_deref(), token) {
            (Some(HERE), token) => Ok(Self::here(settings, token)),
            (Some(url), Some(token)) => Self::elsewhere(settings, url, Some(token)),
            (Some(url), None) => match Connection::read(settings)? {
                Some(connection) if connection.url == *url => Self::home(&connection),
                _ => Err(no_token(url)),
            },
            (None, Some(token)) => Ok(Self::here(settings, Some(token))),
            (None, None) => match Connection::read(settings)? {
                Some(connection) => Self::home(&connection),
                None => Ok(Self::local(settings)),
            },
        }
    }

    /// Connects to a URL that was named.
    fn elsewhere(settings: &Settings, url: &str, token: Option<String>) -> Result<Self, Failure> {
        let remote = Self::remote(url, Trust::Machine((*settings.top.authorities).clone()))?;
        Ok(Self(Transport::Url { remote, token, is_home: false }))
    }

    /// Connects to the askbridge that this machine is connected to.
    pub(crate) fn home(connection: &Connection) -> Result<Self, Failure> {
        let remote = Self::remote(&connection.url, connection.trust())?;
        Ok(Self(Transport::Url { remote, token: Some(connection.token().to_owned()), is_home: true }))
    }

    /// Connects to a URL as a stranger.
    pub(crate) fn stranger(url: &str, trust: Trust) -> Result<Self, Failure> {
        Ok(Self(Transport::Url { remote: Self::remote(url, trust)?, token: None, is_home: false }))
    }

    fn remote(url: &str, trust: Trust) -> Result<Arc<Remote>, Failure> {
        let remote = Remote::new(url, trust);
        remote.map(Arc::new).ok_or_else(|| Failure::usage(format!("`{url}` is no address that can be spoken to")))
    }

    /// Connects to the server on this machine: over TCP if there is a token, over the local socket otherwise.
    pub(crate) fn here(settings: &Settings, token: Option<String>) -> Self {
        match token.or_else(|| (*settings.top.token).clone()) {
            Some(token) => Self::at(settings.server_address(), token),
            None => Self::local(settings),
        }
    }

    /// Connects over the local socket, even if there is a token.
    pub(crate) fn local(settings: &Settings) -> Self {
        Self(Transport::Socket { path: settings.socket(), only_ours: false })
    }

    /// Connects over the local socket, and only to a server of this user, because nobody else may read what is sent.
    pub(crate) fn of_this_user(settings: &Settings) -> Self {
        Self(Transport::Socket { path: settings.socket(), only_ours: true })
    }

    /// Connects over TCP to an address from another program's settings.
    pub(crate) fn at(address: SocketAddr, token: String) -> Self {
        Self(Transport::Tcp { address, token: Some(token) })
    }

    /// Connects over TCP to a program that may not be askbridge.
    pub(crate) fn without_token(address: SocketAddr) -> Self {
        Self(Transport::Tcp { address, token: None })
    }

    /// Does the server know us by a token, not as this process?
    pub(crate) fn has_token(&self) -> bool {
        matches!(self.0, Transport::Tcp { token: Some(_), .. } | Transport::Url { token: Some(_), .. })
    }

    /// Is it the askbridge that this machine is connected to?
    pub(crate) fn is_home(&self) -> bool {
        matches!(self.0, Transport::Url { is_home: true, .. })
    }

    /// Is the server at a URL?
    pub(crate) fn is_elsewhere(&self) -> bool {
        matches!(self.0, Transport::Url { .. })
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Reply, Error> {
        self.call(Method::GET, path, &Value::Null, None, Duration::ZERO).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Reply, Error> {
        self.call(Method::POST, path, body, None, Duration::ZERO).await
    }

    /// Posts something whose response comes when it is done, after `wait` at the latest.
    pub(crate) async fn post_and_wait(&self, path: &str, body: &Value, wait: Duration) -> Result<Reply, Error> {
        self.call(Method::POST, path, body, None, wait).await
    }

    /// Posts something that is done once, even if it is posted again with the same key.
    pub(crate) async fn post_once(&self, path: &str, body: &Value, key: &str) -> Result<Reply, Error> {
        self.call(Method::POST, path, body, Some(key), Duration::ZERO).await
    }

    /// Returns an ask as soon as it is settled, or as it is after `wait`. For the asker, this delivers the answer.
    pub(crate) async fn wait_for(&self, id: &str, wait: Duration) -> Result<Ask, Error> {
        let path = format!("/v1/asks/{id}?wait={}", wait.as_secs_f64());
        self.call(Method::GET, &path, &Value::Null, None, wait).await?.ask()
    }

    /// Follows all events that we may see, from `last` on.
    pub(crate) async fn events(&self, last: Option<&str>) -> Result<Events, Error> {
        let mut request = self.request(Method::GET, "/v1/events");
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response = self.send(request, Bytes::new(), RESPONSE_MAX).await?;
        match response.status().as_u16() {
            200 => Ok(Events::new(response.into_body())),
            status => Err(self.refusal(status, &self.read(response.into_body()).await?)),
        }
    }

    /// Posts with extra headers, and returns the response as soon as its head arrives.
    pub(crate) async fn begin(
        &self,
        path: &str,
        headers: &[(&'static str, &str)],
        body: Bytes,
    ) -> Result<Response<Incoming>, Error> {
        let request = self.request(Method::POST, path).header(header::CONTENT_TYPE, "application/json");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        self.send(request, body, RESPONSE_MAX).await
    }

    /// Sends with extra headers, and returns any response.
    pub(crate) async fn exchange(
        &self,
        method: Method,
        path: &str,
        headers: &[(&'static str, String)],
        body: String,
    ) -> Result<Exchanged, Error> {
        let request = self.request(method, path).header(header::CONTENT_TYPE, "application/json");
        let request = request.header(header::ACCEPT, "application/json, text/event-stream");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
        let response = self.send(request, Bytes::from(body), RESPONSE_MAX).await?;
        let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if kind.is_some_and(|kind| kind.starts_with("text/event-stream")) {
            return Ok(Exchanged::Events(Lines::new(response.into_body())));
        }
        let status = response.status().as_u16();
        Ok(Exchanged::Whole { status, text: self.read(response.into_body()).await? })
    }

    /// Says whether the server is there, and what its clock shows.
    pub(crate) async fn greet(&self) -> Result<Greeting, Error> {
        let response = self.send(self.request(Method::GET, "/healthz"), Bytes::new(), RESPONSE_MAX).await?;
        let date = response.headers().get(header::DATE).and_then(|date| date.to_str().ok());
        let date = date.and_then(|date| httpdate::parse_http_date(date).ok());
        let status = response.status().as_u16();
        let text = self.read(response.into_body()).await?;
        if status >= 300 {
            return Err(self.refusal(status, &text));
        }
        #[derive(Deserialize)]
        struct Health {
            version: String,
        }
        let health: Health = serde_json::from_str(&text).map_err(|error| Error::Strange(error.to_string()))?;
        Ok(Greeting { version: health.version, date })
    }

    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        body: &Value,
        key: Option<&str>,
        wait: Duration,
    ) -> Result<Reply, Error> {
        let mut request = self.request(method, path);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let body = match body {
            Value::Null => Bytes::new(),
            body => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Bytes::from(body.to_string())
            }
        };
        let response = self.send(request, body, wait + RESPONSE_MAX).await?;
        let status = response.status().as_u16();
        let text = self.read(response.into_body()).await?;
        if status < 300 { Ok(Reply { status, text }) } else { Err(self.refusal(status, &text)) }
    }

    fn request(&self, method: Method, path: &str) -> hyper::http::request::Builder {
        let (host, token) = match &self.0 {
            Transport::Socket { .. } => ("localhost".to_owned(), None),
            Transport::Tcp { address, token } => (address.to_string(), token.as_ref()),
            Transport::Url { remote, token, .. } => (remote.host.clone(), token.as_ref()),
        };
        let request = Request::builder().method(method).uri(path).header(header::HOST, host);
        match token {
            Some(token) => request.header(header::AUTHORIZATION, format!("Bearer {token}")),
            None => request,
        }
    }

    async fn send(
        &self,
        request: hyper::http::request::Builder,
        body: Bytes,
        patience: Duration,
    ) -> Result<Response<Incoming>, Error> {
        let request = request.body(Full::new(body)).map_err(|error| Error::Strange(error.to_string()))?;
        let mut sender = self.connect().await?;
        match timeout(patience, sender.send_request(request)).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(self.lost(error)),
            Err(_) => Err(self.lost("it did not answer in time")),
        }
    }

    async fn read(&self, body: Incoming) -> Result<String, Error> {
        let collected = timeout(RESPONSE_MAX, Limited::new(body, RESPONSE_BYTES_MAX).collect()).await;
        let collected = collected.map_err(|_| self.lost("it stopped in the middle of its answer"))?;
        let bytes = collected.map_err(|error| self.lost(error))?.to_bytes();
        String::from_utf8(bytes.into()).map_err(|_| Error::Strange("bytes that are not text".to_owned()))
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, Error> {
        let is_elsewhere = self.is_elsewhere();
        let unreachable = |source| Error::Unreachable { place: self.place(), source, is_elsewhere };
        match &self.0 {
            Transport::Socket { path, only_ours } => {
                let stream = timeout(CONNECT_MAX, dial_socket(path, *only_ours)).await;
                let stream = stream.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(unreachable)?;
                self.shake_hands(stream).await
            }
            Transport::Tcp { address, .. } => {
                let stream = timeout(CONNECT_MAX, TcpStream::connect(address)).await;
                let stream = stream.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(unreachable)?;
                self.shake_hands(stream).await
            }
            Transport::Url { remote, .. } => {
                let connected = timeout(CONNECT_MAX, remote.connect()).await;
                match connected.unwrap_or_else(|_| Err(NoWay::Unreachable(io::ErrorKind::TimedOut.into()))) {
                    Ok(Stream::Plain(stream)) => self.shake_hands(stream).await,
                    Ok(Stream::Encrypted(stream)) => self.shake_hands(stream).await,
                    Err(NoWay::Unreachable(source)) => Err(unreachable(source)),
                    Err(NoWay::Untrusted(why)) => Err(Error::Untrusted { place: self.place(), why }),
                }
            }
        }
    }

    async fn shake_hands<S>(&self, stream: S) -> Result<SendRequest<Full<Bytes>>, Error>
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    {
        let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|error| self.lost(error))?;
        // Ends with the request, which reports the same errors.
        tokio::spawn(connection);
        Ok(sender)
    }

    fn lost(&self, why: impl std::fmt::Display) -> Error {
        Error::Lost { place: self.place(), why: why.to_string() }
    }

    pub(crate) fn place(&self) -> String {
        match &self.0 {
            Transport::Socket { path, .. } => format!("`{}`", path.display()),
            Transport::Tcp { address, .. } => address.to_string(),
            Transport::Url { remote, .. } => remote.url.clone(),
        }
    }

    /// Interprets a refusal. If a proxy answers for a restarting server, it is unknown whether the request was handled.
    pub(crate) fn refusal(&self, status: u16, text: &str) -> Error {
        match serde_json::from_str::<Problem>(text) {
            Ok(problem) if problem.status == 401 && self.is_home() => Error::Disconnected { place: self.place() },
            Ok(problem) => Error::Refused(Box::new(problem)),
            Err(_) if matches!(status, 502..=504) => {
                self.lost(format_args!("something in front of it answered with status {status}"))
            }
            Err(_) if (300..400).contains(&status) => {
                Error::Strange(format!("status {status}, which leads elsewhere; set the URL that it leads to"))
            }
            Err(_) => Error::Strange(format!("status {status} without a reason")),
        }
    }
}

impl Reply {
    pub(crate) fn ask(&self) -> Result<Ask, Error> {
        Ask::read(&self.text).map_err(|error| Error::Strange(error.to_string()))
    }

    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_str(&self.text).map_err(|error| Error::Strange(error.to_string()))
    }
}

fn no_token(url: &str) -> Failure {
    let hint = "make one on the machine where it runs, with `askbridge token create NAME` to ask or `askbridge pair \
                --print-token` to decide, and set ASKBRIDGE_TOKEN; or connect this machine with `askbridge connect URL`";
    Failure::usage(format!("speaking to {url} needs a token")).hint(hint)
}

async fn dial_socket(path: &Path, only_ours: bool) -> io::Result<UnixStream> {
    let (short, _folder) = reachable(path)?;
    let stream = UnixStream::connect(short).await?;
    if only_ours && local_socket::peer(&stream)?.user != ourselves::user() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(stream)
}

/// Returns an address to connect to for a listening address: the unspecified address becomes loopback.
pub(crate) fn dialable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}
