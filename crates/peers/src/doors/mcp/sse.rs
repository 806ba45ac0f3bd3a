//! Writes responses: one JSON body, or a stream of events that ends with the result.

use askbridge_core::ids::Timestamp;
use askbridge_core::verdict::spoken;
use bytes::Bytes;
use serde_json::{Value, json};

use super::rpc;
use crate::peer::{Frame, Outbox, Resp};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Responds with one body.
pub(super) fn json(out: &mut Outbox, status: u16, headers: Vec<(&'static str, String)>, body: &Value) {
    let body = Bytes::from(body.to_string());
    out.frames.push(Frame::Response(Resp { status, content_type: JSON, headers, body, open: false }));
}

/// Responds without a body.
pub(super) fn nothing(out: &mut Outbox, status: u16) {
    let headers = if status == 405 { vec![("allow", "POST".to_owned())] } else { Vec::new() };
    out.frames.push(Frame::Response(Resp { status, content_type: JSON, headers, body: Bytes::new(), open: false }));
}

/// Begins a stream of events. Asks proxies not to buffer it.
pub(super) fn begin(out: &mut Outbox) {
    let headers = vec![("x-accel-buffering", "no".to_owned())];
    let body = Bytes::from_static(b": askbridge\n\n");
    out.frames.push(Frame::Response(Resp { status: 200, content_type: EVENTS, headers, body, open: true }));
}

/// Writes a message on the stream.
pub(super) fn event(out: &mut Outbox, message: &Value) {
    out.frames.push(Frame::Chunk(Bytes::from(format!("event: message\ndata: {message}\n\n"))));
}

/// Writes a keep-alive comment.
pub(super) fn beat(out: &mut Outbox) {
    out.frames.push(Frame::Chunk(Bytes::from_static(b": waiting\n\n")));
}

/// Reports how long a question has been waiting. Counted from the question, so that it grows across calls.
pub(super) fn progress(out: &mut Outbox, token: &Value, asked_at: Timestamp, now: Timestamp) {
    let waited = now.since(asked_at);
    let message = format!("Waiting for a person to answer, for {} so far", spoken(waited));
    let params = json!({"progressToken": token, "progress": waited.as_secs_f64(), "message": message});
    event(out, &rpc::notification("notifications/progress", params));
}
