//! A response that goes on and is read line by line, like ntfy's JSON stream.

use std::fmt;
use std::time::Duration;

use askbridge_core::limits;
use axum::http::HeaderMap;
use tokio::time::{Instant, timeout, timeout_at};

use super::address::{Address, HTTP};
use super::call::{Call, retry_after};
use super::client::Outbound;
use super::exchange::Response;
use super::failed::Failed;
use super::lines::{Lines, Next};
use super::turns::LongTurn;

/// A response of which lines are still to come. The connection is closed when this is dropped.
pub struct Streamed {
    pub status: u16,
    pub headers: HeaderMap,
    response: Response,
    lines: Lines,
    host: String,
    idle: Duration,
    /// When the server has been silent for too long. Kept across calls of [`Streamed::line`], so that a caller that
    /// gives up waiting and comes back does not extend it.
    silent_at: Instant,
    ended: bool,
    _turn: LongTurn,
}

impl Outbound {
    /// Makes a call whose answer is read line by line. The call's patience ends with the head of the response; then
    /// `idle` is how long the server may send nothing ([`limits::OUTBOUND_IDLE_MAX`] at most).
    pub async fn stream(&self, call: Call, idle: Duration) -> Result<Streamed, Failed> {
        let address = Address::read(&call.url, &HTTP).ok_or(Failed::NotAnAddress)?;
        let turn = self.0.turns.long(&address)?;
        let (after, idle) = (self.patience(&call), idle.min(limits::OUTBOUND_IDLE_MAX));
        let begun = timeout(after, self.begin(&address, call)).await;
        let Address { host, .. } = address;
        let mut response = match begun {
            Ok(begun) => begun?,
            Err(_) => return Err(Failed::TooSlow { host, after }),
        };
        Ok(Streamed {
            status: response.status,
            headers: std::mem::take(&mut response.headers),
            response,
            lines: Lines::default(),
            host,
            idle,
            silent_at: Instant::now() + idle,
            ended: false,
            _turn: turn,
        })
    }
}

impl Streamed {
    /// How long the server asks us to wait before the next call. `None`: it does not say.
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(&self.headers)
    }

    /// Returns the next line, without its end. `None`: the stream has ended; nothing comes after an error either. A
    /// line without its end, where the connection was cut, is an error and not a line. Can be cancelled (in a
    /// `select!`) without losing anything.
    pub async fn line(&mut self) -> Option<Result<String, Failed>> {
        if self.ended {
            return None;
        }
        let line = self.read().await.transpose();
        self.ended = !matches!(line, Some(Ok(_)));
        line
    }

    async fn read(&mut self) -> Result<Option<String>, Failed> {
        let host = self.host.clone();
        loop {
            match self.lines.next() {
                Next::Line(line) => return Ok(Some(line)),
                Next::TooLong => {
                    return Err(Failed::TooLarge { host, what: "a line", bytes_max: limits::OUTBOUND_LINE_BYTES_MAX });
                }
                Next::More => {}
            }
            match timeout_at(self.silent_at, self.response.bytes()).await {
                Err(_) => return Err(Failed::Silent { host, after: self.idle }),
                Ok(Some(Ok(bytes))) => {
                    self.silent_at = Instant::now() + self.idle;
                    self.lines.push(&bytes);
                }
                Ok(Some(Err(why))) => return Err(Failed::NoAnswer { host, why }),
                Ok(None) if self.lines.is_midway() => {
                    return Err(Failed::NoAnswer { host, why: "the stream ended in the middle of a line".to_owned() });
                }
                Ok(None) => return Ok(None),
            }
        }
    }
}

impl fmt::Debug for Streamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streamed").field("host", &self.host).field("status", &self.status).finish_non_exhaustive()
    }
}
