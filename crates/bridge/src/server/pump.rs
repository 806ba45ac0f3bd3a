//! The one loop for every peer on a socket: reads frames, writes frames.

use std::pin::pin;
use std::time::Duration;

use askbridge_core::limits;
use askbridge_peers::peer::Frame;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::{FutureExt, SinkExt};
use tokio::time::{Instant, sleep_until, timeout};
use tracing::{debug, warn};

use super::talk::Talk;

/// Time limit of one write, plus one second for every `SLOWEST_BYTES` of it. Beyond: the client does not read, and is
/// disconnected.
const WRITE_MAX: Duration = Duration::from_secs(20);
const SLOWEST_BYTES: usize = 16 * 1024;
/// How long we try to tell a client that does not read why it is disconnected.
const GOODBYE_MAX: Duration = Duration::from_secs(1);
const GOING_AWAY: u16 = 1001;
const TOO_LARGE: u16 = 1009;
const TRY_AGAIN_LATER: u16 = 1013;
/// Closed without a status.
const NO_STATUS: u16 = 1005;
/// Gone without a close frame. By RFC 6455 never sent, only inferred.
const GONE: u16 = 1006;

/// Moves frames between a socket and its peer until one of them ends the conversation, then lets the peer finish.
///
/// Both are boxed: an idle connection is little more than this future, and should not hold them twice.
pub(crate) async fn socket(mut talk: Box<Talk>, mut socket: Box<WebSocket>) {
    let _present = talk.app().handle.meters.websocket();
    let (code, reason) = converse(&mut talk, &mut socket).await;
    // Dropped first: the client need not wait for what the peer still has to do.
    drop(socket);
    // Boxed: an idle connection should hold no space for its end.
    Box::pin(talk.farewell(code, &reason)).await;
}

/// Returns how it ended.
async fn converse(talk: &mut Talk, socket: &mut WebSocket) -> (u16, String) {
    let stop = talk.app().stop.clone();
    let mut stopping = pin!(stop.cancelled());
    let mut ping = pin!(sleep_until(Instant::now() + limits::HEARTBEAT));
    let mut last_heard = Instant::now();
    talk.wake();
    loop {
        // All that is ready now goes out in one write.
        talk.step_while_ready();
        if let Err(why) = write(talk.take_frames(), socket).await {
            return why;
        }
        if let Some((code, reason)) = talk.take_hang_up() {
            close(socket, code, &reason).await;
            return (code, reason);
        }
        let has_room = talk.has_room();
        tokio::select! {
            biased;
            () = stopping.as_mut() => talk.hang_up(GOING_AWAY, "askbridge is stopping"),
            () = talk.step() => {}
            message = socket.recv(), if has_room => {
                last_heard = Instant::now();
                if let Some(ended) = heard(talk, message) {
                    return ended;
                }
                while talk.has_room()
                    && let Some(message) = socket.recv().now_or_never()
                {
                    if let Some(ended) = heard(talk, message) {
                        return ended;
                    }
                }
            }
            () = ping.as_mut() => {
                if last_heard.elapsed() > limits::SILENCE_MAX {
                    return gone("it fell silent");
                }
                ping.as_mut().reset(Instant::now() + limits::HEARTBEAT);
                if !matches!(timeout(WRITE_MAX, socket.send(Message::Ping(bytes::Bytes::new()))).await, Ok(Ok(()))) {
                    return gone("it does not read");
                }
            }
        }
    }
}

/// axum hides the kind of error; the messages of tungstenite 0.29 about sizes begin with these words.
fn is_too_large(error: &axum::Error) -> bool {
    error.to_string().starts_with("Space limit exceeded")
}

fn gone(why: &str) -> (u16, String) {
    (GONE, why.to_owned())
}

/// Passes on a message of the socket. Returns how the conversation ended, if it did.
fn heard(talk: &mut Talk, message: Option<Result<Message, axum::Error>>) -> Option<(u16, String)> {
    match message {
        Some(Ok(Message::Text(text))) => {
            if let Err(garbled) = talk.hear(Frame::Text(text.as_str().into())) {
                talk.hang_up(garbled.code, garbled.why);
            }
        }
        Some(Ok(Message::Binary(_))) => talk.hang_up(1003, "this protocol is text"),
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
        Some(Ok(Message::Close(None))) => return Some((NO_STATUS, String::new())),
        Some(Ok(Message::Close(Some(frame)))) => return Some((frame.code, frame.reason.to_string())),
        Some(Err(error)) if is_too_large(&error) => {
            warn!(most = limits::FRAME_BYTES_MAX, "A client sent a frame that is too large, and is let go");
            talk.hang_up(TOO_LARGE, format!("a frame may have at most {} bytes", limits::FRAME_BYTES_MAX));
        }
        Some(Err(error)) => {
            debug!(%error, "A socket ended early");
            return Some(gone("it ended early"));
        }
        None => return Some(gone("it ended")),
    }
    None
}

async fn close(socket: &mut WebSocket, code: u16, reason: &str) {
    // A control frame holds 125 bytes: two for the code, the rest for the reason.
    let frame = CloseFrame { code, reason: reason[..reason.floor_char_boundary(120)].into() };
    let _ = timeout(WRITE_MAX, socket.send(Message::Close(Some(frame)))).await;
}

/// Writes the peer's frames, each when the socket has taken the one before. Returns how the conversation ended, if the
/// client does not read.
async fn write(frames: Vec<Frame<'static>>, socket: &mut WebSocket) -> Result<(), (u16, String)> {
    if frames.is_empty() {
        return Ok(());
    }
    let bytes: usize = frames.iter().map(Frame::bytes).sum();
    let writing = async {
        for frame in frames {
            if let Frame::Text(text) = frame {
                socket.feed(Message::Text(text.into_owned().into())).await?;
            }
        }
        socket.flush().await
    };
    let patience = WRITE_MAX + Duration::from_secs((bytes / SLOWEST_BYTES) as u64);
    match timeout(patience, writing).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            debug!(%error, "A socket ended early");
            Err(gone("it ended early"))
        }
        Err(_) => {
            warn!(bytes, waited_ms = patience.as_millis(), "A client does not read what it is sent, and is let go");
            // The client sees this only if it begins to read again now.
            let _ =
                timeout(GOODBYE_MAX, close(socket, TRY_AGAIN_LATER, "what you were sent was not read in time")).await;
            Err(gone("it does not read"))
        }
    }
}
