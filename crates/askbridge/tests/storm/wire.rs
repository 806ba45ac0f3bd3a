//! A minimal HTTP and WebSocket client for load, without the project's own code.

use std::io;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// A keep-alive HTTP connection.
pub(crate) struct Http<S> {
    stream: S,
    buffer: Vec<u8>,
}

impl Http<TcpStream> {
    pub(crate) async fn connect(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self::over(stream))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Http<S> {
    pub(crate) fn over(stream: S) -> Self {
        Self { stream, buffer: Vec::new() }
    }

    pub(crate) async fn get(&mut self, path: &str, token: &str) -> io::Result<(u16, Value)> {
        parsed(self.send("GET", path, &format!("authorization: Bearer {token}\r\n"), "").await)
    }

    /// Fetches a body that is not JSON.
    pub(crate) async fn get_text(&mut self, path: &str) -> io::Result<String> {
        let (_, body) = self.send("GET", path, "", "").await?;
        String::from_utf8(body).map_err(io::Error::other)
    }

    pub(crate) async fn post(&mut self, path: &str, headers: &str, body: &Value) -> io::Result<(u16, Value)> {
        parsed(self.send("POST", path, headers, &body.to_string()).await)
    }

    pub(crate) async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> io::Result<(u16, Vec<u8>)> {
        let length = body.len();
        let request =
            format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n{headers}content-length: {length}\r\n\r\n{body}");
        self.stream.write_all(request.as_bytes()).await?;
        let end = loop {
            if let Some(end) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            self.more().await?;
        };
        let head = String::from_utf8_lossy(&self.buffer[..end]).to_ascii_lowercase();
        let status = head.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
        let length: usize = length.unwrap_or(0);
        while self.buffer.len() < end + length {
            self.more().await?;
        }
        let body = self.buffer[end..end + length].to_vec();
        self.buffer.drain(..end + length);
        Ok((status, body))
    }

    async fn more(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

fn parsed(answered: io::Result<(u16, Vec<u8>)>) -> io::Result<(u16, Value)> {
    answered.map(|(status, body)| (status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}

/// A native WebSocket.
pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    pub(crate) async fn connect(address: &str) -> Option<Self> {
        let (socket, _) = connect_async(format!("ws://{address}/v1/ws")).await.ok()?;
        Some(Self(socket))
    }

    pub(crate) async fn send(&mut self, frame: &Value) -> Option<()> {
        self.0.send(Message::text(frame.to_string())).await.ok()
    }

    /// Returns the next frame, or `None` when the socket is gone.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            match self.0.next().await?.ok()? {
                Message::Text(text) => return serde_json::from_str(&text).ok(),
                Message::Close(_) => return None,
                _ => {}
            }
        }
    }
}
