//! The clients' side of the wire: requests, sockets and event streams, each over its own pipe.

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::DuplexStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::house::Doors;

/// Bytes that fit into a pipe, except those of deliberately slow clients.
pub(crate) const ROOM: usize = 16 * 1024;

/// One request, and the token that it is made with.
pub(crate) struct ApiRequest<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) token: &'a str,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: Option<&'a Value>,
}

/// Makes a request on a new connection. Returns `None` if the connection ended first.
pub(crate) async fn call(doors: &Doors, node: usize, call: &ApiRequest<'_>) -> Option<(u16, Value)> {
    call_at(doors.connect(node, ROOM), call).await
}

/// Makes a request over a pipe.
pub(crate) async fn call_at(pipe: DuplexStream, call: &ApiRequest<'_>) -> Option<(u16, Value)> {
    let response = send(pipe, call).await?;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.ok()?.to_bytes();
    Some((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}

async fn send(pipe: DuplexStream, call: &ApiRequest<'_>) -> Option<hyper::Response<Incoming>> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(pipe)).await.ok()?;
    tokio::spawn(connection);
    let request = Request::builder().method(call.method).uri(call.path).header("host", "127.0.0.1");
    let request = request.header("authorization", format!("Bearer {}", call.token));
    let request = call.headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let body = call.body.map(Value::to_string).unwrap_or_default();
    sender.send_request(request.body(Full::<Bytes>::from(body)).ok()?).await.ok()
}

/// A WebSocket.
pub(crate) struct Socket(WebSocketStream<DuplexStream>);

impl Socket {
    pub(crate) async fn open(
        doors: &Doors,
        node: usize,
        room: usize,
        path: &str,
        bearer: Option<&str>,
    ) -> Option<Self> {
        Self::over(doors.connect(node, room), path, bearer).await
    }

    /// Opens one over a pipe.
    pub(crate) async fn over(pipe: DuplexStream, path: &str, bearer: Option<&str>) -> Option<Self> {
        let mut request = format!("ws://127.0.0.1{path}").into_client_request().ok()?;
        if let Some(token) = bearer {
            request.headers_mut().insert("authorization", format!("Bearer {token}").parse().ok()?);
        }
        let (socket, _) = client_async(request, pipe).await.ok()?;
        Some(Self(socket))
    }

    /// Sends a frame. Returns `None` if the connection is gone.
    pub(crate) async fn say(&mut self, frame: &Value) -> Option<()> {
        self.0.send(Message::text(frame.to_string())).await.ok()
    }

    /// Waits for the next frame. Returns `None` if the connection is gone.
    pub(crate) async fn hear(&mut self) -> Option<Value> {
        loop {
            match self.0.next().await? {
                Ok(Message::Text(text)) => return serde_json::from_str(&text).ok(),
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                _ => return None,
            }
        }
    }
}

/// An event stream.
pub(crate) struct EventStream {
    body: Incoming,
    unread: String,
}

impl EventStream {
    pub(crate) async fn open(doors: &Doors, node: usize, token: &str, after: Option<&str>) -> Option<Self> {
        let headers: Vec<_> = after.map(|id| ("last-event-id", id)).into_iter().collect();
        let get = ApiRequest { method: "GET", path: "/v1/events", token, headers: &headers, body: None };
        Self::over(doors.connect(node, ROOM), &get).await
    }

    /// Makes a request over a pipe, whose response is streamed.
    pub(crate) async fn over(pipe: DuplexStream, call: &ApiRequest<'_>) -> Option<Self> {
        let response = send(pipe, call).await?;
        response.status().is_success().then(|| Self { body: response.into_body(), unread: String::new() })
    }

    /// Waits for the data of the next event, of any name.
    pub(crate) async fn hear(&mut self) -> Option<Value> {
        loop {
            while let Some((event, rest)) = self.unread.split_once("\n\n") {
                let data = event.lines().find_map(|line| line.strip_prefix("data: "));
                let data = data.map(|data| serde_json::from_str(data).unwrap_or_default());
                self.unread = rest.to_owned();
                if data.is_some() {
                    return data;
                }
            }
            let chunk = self.body.frame().await?.ok()?.into_data().ok()?;
            self.unread.push_str(std::str::from_utf8(&chunk).ok()?);
        }
    }
}
