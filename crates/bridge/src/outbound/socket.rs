//! A WebSocket to an outside server, like that of Slack's Socket Mode.

use std::fmt;
use std::time::Duration;

use askbridge_core::limits;
use axum::http::header::{HeaderName, HeaderValue};
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::CapacityError;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::address::{Address, WEBSOCKET};
use super::client::Outbound;
use super::connect::Wire;
use super::exchange::add_headers;
use super::failed::Failed;
use super::turns::LongTurn;

/// tungstenite's default buffers cost 256 kB a connection.
const BUFFER_BYTES: usize = 4096;

/// An open WebSocket for text. The connection is closed when this is dropped.
pub struct Socket {
    stream: WebSocketStream<Wire>,
    host: String,
    /// How long a message may take to be sent.
    patience: Duration,
    idle: Duration,
    /// When the server was heard last. Kept across calls of [`Socket::next`], so that a caller that gives up waiting
    /// and comes back does not extend its silence.
    heard_at: Instant,
    /// Have we sent a ping since then?
    pinged: bool,
    ended: bool,
    _turn: LongTurn,
}

impl Outbound {
    /// Opens a WebSocket to a `wss://` address, or `ws://` on a private network. `idle` is how long the server may send
    /// nothing ([`limits::OUTBOUND_IDLE_MAX`] at most); halfway we send a ping, which a server that is well answers.
    /// `named_by_operator`: see [`super::Call`].
    pub async fn socket(
        &self,
        url: &str,
        headers: Vec<(HeaderName, HeaderValue)>,
        idle: Duration,
        named_by_operator: bool,
    ) -> Result<Socket, Failed> {
        let address = Address::read(url, &WEBSOCKET).ok_or(Failed::NotAnAddress)?;
        let request = request(&address, headers)?;
        let turn = self.0.turns.long(&address)?;
        let after = self.0.options.patience;
        let opening = async {
            let wire = self.connect(&address, named_by_operator).await?;
            let opened = client_async_with_config(request, wire, Some(config())).await;
            opened.map_err(|error| failed(&address.host, error))
        };
        let opened = timeout(after, opening).await;
        let Address { host, .. } = address;
        let (stream, _) = match opened {
            Ok(opened) => opened?,
            Err(_) => return Err(Failed::TooSlow { host, after }),
        };
        Ok(Socket {
            stream,
            host,
            patience: after,
            idle: idle.min(limits::OUTBOUND_IDLE_MAX),
            heard_at: Instant::now(),
            pinged: false,
            ended: false,
            _turn: turn,
        })
    }
}

impl Socket {
    pub async fn send(&mut self, text: impl Into<String>) -> Result<(), Failed> {
        self.write(Message::text(text.into())).await
    }

    /// Returns the next message. `None`: the server closed the socket; nothing comes after an error either. Can be
    /// cancelled (in a `select!`) without losing anything.
    pub async fn next(&mut self) -> Option<Result<String, Failed>> {
        if self.ended {
            return None;
        }
        let message = self.read().await.transpose();
        self.ended = !matches!(message, Some(Ok(_)));
        message
    }

    /// Closes the socket, and waits a limited time until the server has, too.
    pub async fn close(mut self) {
        let closing = async {
            if self.stream.close(None).await.is_ok() {
                while let Some(Ok(_)) = self.stream.next().await {}
            }
        };
        // A server that does not answer loses the connection all the same.
        let _ = timeout(self.patience, closing).await;
    }

    async fn read(&mut self) -> Result<Option<String>, Failed> {
        loop {
            let wait = if self.pinged { self.idle } else { self.idle / 2 };
            let Ok(message) = timeout_at(self.heard_at + wait, self.stream.next()).await else {
                if self.pinged {
                    return Err(Failed::Silent { host: self.host.clone(), after: self.idle });
                }
                self.pinged = true;
                self.write(Message::Ping(Bytes::new())).await?;
                continue;
            };
            let Some(message) = message else { return Ok(None) };
            (self.heard_at, self.pinged) = (Instant::now(), false);
            match message.map_err(|error| failed(&self.host, error))? {
                Message::Text(text) => return Ok(Some(text.as_str().to_owned())),
                Message::Binary(_) => {
                    let why = "it sent bytes where text was expected".to_owned();
                    return Err(Failed::NoAnswer { host: self.host.clone(), why });
                }
                // Reading on sends the answer to a ping or a close, which tungstenite has prepared.
                Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_) => {}
            }
        }
    }

    async fn write(&mut self, message: Message) -> Result<(), Failed> {
        match timeout(self.patience, self.stream.send(message)).await {
            Ok(sent) => sent.map_err(|error| failed(&self.host, error)),
            Err(_) => Err(Failed::TooSlow { host: self.host.clone(), after: self.patience }),
        }
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Socket").field("host", &self.host).field("ended", &self.ended).finish_non_exhaustive()
    }
}

fn request(address: &Address, headers: Vec<(HeaderName, HeaderValue)>) -> Result<Request, Failed> {
    let scheme = if address.encrypted { WEBSOCKET.encrypted } else { WEBSOCKET.clear };
    let url = format!("{scheme}://{}{}", address.authority, address.target);
    let mut request = url.into_client_request().map_err(|_| Failed::NotAnAddress)?;
    // Those of the handshake are in it already.
    add_headers(request.headers_mut(), headers)?;
    Ok(request)
}

fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .max_message_size(Some(limits::OUTBOUND_MESSAGE_BYTES_MAX))
        .max_frame_size(Some(limits::OUTBOUND_MESSAGE_BYTES_MAX))
}

fn failed(host: &str, error: Error) -> Failed {
    let host = host.to_owned();
    match error {
        Error::Http(response) => Failed::NoSocket { host, status: response.status().as_u16() },
        Error::Capacity(CapacityError::MessageTooLong { .. }) => {
            Failed::TooLarge { host, what: "a message", bytes_max: limits::OUTBOUND_MESSAGE_BYTES_MAX }
        }
        error => Failed::NoAnswer { host, why: error.to_string() },
    }
}
