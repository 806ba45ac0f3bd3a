//! One loop for every peer on a socket: frames in, frames out.

use std::time::Duration;

use askbridge_core::limits;
use askbridge_peers::peer::{Frame, Peer};
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::SinkExt;
use tokio::time::{Instant, sleep_until, timeout};
use tracing::debug;

use super::app::App;
use super::talk::{Guest, Talk};

/// How long one write may take. Beyond: the client is not listening and is let go.
const WRITE_MAX: Duration = Duration::from_secs(20);
const GOING_AWAY: u16 = 1001;
const TOO_LARGE: u16 = 1009;
/// Closed without saying why.
const NO_STATUS: u16 = 1005;
/// Gone without a goodbye. As RFC 6455 has it, never sent, only concluded.
const GONE: u16 = 1006;

/// Moves frames between a socket and its peer until one of them has enough, then lets the peer put its things in order.
pub(crate) async fn socket(app: App, guest: Guest, peer: Box<dyn Peer>, mut socket: WebSocket) {
    let mut talk = Talk::new(app, guest, peer);
    let (code, reason) = converse(&mut talk, &mut socket).await;
    // Whoever closed: the other side need not wait for what the peer still has to do.
    drop(socket);
    talk.farewell(code, &reason).await;
}

/// Returns how it ended.
async fn converse(talk: &mut Talk, socket: &mut WebSocket) -> (u16, String) {
    let mut last_heard = Instant::now();
    let mut next_ping = last_heard + limits::HEARTBEAT;
    let stop = talk.app.stop.clone();
    talk.wake();
    loop {
        if !write(talk.take_frames(), socket).await {
            return gone("it does not read");
        }
        if let Some((code, reason)) = talk.take_hang_up() {
            close(socket, code, &reason).await;
            return (code, reason);
        }
        let has_room = talk.has_room();
        tokio::select! {
            biased;
            () = stop.cancelled() => talk.hang_up(GOING_AWAY, "askbridge is stopping"),
            () = talk.step() => {}
            message = socket.recv(), if has_room => match message {
                Some(Ok(Message::Close(frame))) => {
                    return frame.map_or((NO_STATUS, String::new()), |frame| (frame.code, frame.reason.to_string()));
                }
                Some(Ok(message)) => {
                    last_heard = Instant::now();
                    heard(talk, message);
                }
                Some(Err(error)) if is_too_large(&error) => {
                    talk.hang_up(TOO_LARGE, format!("a frame may have at most {} bytes", limits::FRAME_BYTES_MAX));
                }
                Some(Err(error)) => {
                    debug!(%error, "A socket ended early");
                    return gone("it ended early");
                }
                None => return gone("it ended"),
            },
            () = sleep_until(next_ping) => {
                if last_heard.elapsed() > limits::SILENCE_MAX {
                    return gone("it fell silent");
                }
                next_ping = Instant::now() + limits::HEARTBEAT;
                if !matches!(timeout(WRITE_MAX, socket.send(Message::Ping(bytes::Bytes::new()))).await, Ok(Ok(()))) {
                    return gone("it does not read");
                }
            }
        }
    }
}

/// axum hides what kind of error it was; what tungstenite 0.29 says about sizes begins with these words.
fn is_too_large(error: &axum::Error) -> bool {
    error.to_string().starts_with("Space limit exceeded")
}

fn gone(why: &str) -> (u16, String) {
    (GONE, why.to_owned())
}

fn heard(talk: &mut Talk, message: Message) {
    match message {
        Message::Text(text) => {
            if let Err(garbled) = talk.hear(Frame::Text(text.as_str().into())) {
                talk.hang_up(garbled.code, garbled.why);
            }
        }
        Message::Binary(_) => talk.hang_up(1003, "this protocol is text"),
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => {}
    }
}

async fn close(socket: &mut WebSocket, code: u16, reason: &str) {
    // A control frame holds 125 bytes: two for the code, the rest for the reason.
    let end = (0..=reason.len().min(120)).rev().find(|&end| reason.is_char_boundary(end)).unwrap_or(0);
    let frame = CloseFrame { code, reason: reason[..end].into() };
    let _ = timeout(WRITE_MAX, socket.send(Message::Close(Some(frame)))).await;
}

/// Writes what the peer wants written. Returns `false` if the other side does not take it.
async fn write(frames: Vec<Frame<'static>>, socket: &mut WebSocket) -> bool {
    if frames.is_empty() {
        return true;
    }
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
