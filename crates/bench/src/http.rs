//! A minimal HTTP client, so that the client costs little.

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A keep-alive connection.
pub(crate) struct Connection<S> {
    stream: S,
    buffer: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, buffer: Vec::with_capacity(4096) }
    }

    /// Posts a body and returns the response's.
    pub(crate) async fn post(&mut self, path: &str, token: Option<&str>, body: &str) -> Result<String> {
        self.send("POST", path, token, body).await.and_then(good)
    }

    /// Fetches a body.
    pub(crate) async fn get(&mut self, path: &str, token: Option<&str>) -> Result<String> {
        self.send("GET", path, token, "").await.and_then(good)
    }

    /// Posts a body and returns the status and the response's body.
    pub(crate) async fn ask(&mut self, path: &str, token: Option<&str>, body: &str) -> Result<(u16, String)> {
        self.send("POST", path, token, body).await
    }

    async fn send(&mut self, method: &str, path: &str, token: Option<&str>, body: &str) -> Result<(u16, String)> {
        let auth = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{auth}content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        self.stream.write_all(format!("{head}{body}").as_bytes()).await?;
        let end = loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end + 4;
            }
            self.more().await?;
        };
        let head = std::str::from_utf8(&self.buffer[..end])?.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.context("a response without a length")?.trim().parse()?;
        while self.buffer.len() < end + length {
            self.more().await?;
        }
        let body = String::from_utf8(self.buffer[end..end + length].to_vec())?;
        self.buffer.drain(..end + length);
        let status = head.split_ascii_whitespace().nth(1).context("a response without a status")?.parse()?;
        Ok((status, body))
    }

    async fn more(&mut self) -> Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the connection was closed");
        }
        Ok(())
    }
}

fn good((status, body): (u16, String)) -> Result<String> {
    if !(200..300).contains(&status) {
        bail!("{status}: {body}");
    }
    Ok(body)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
