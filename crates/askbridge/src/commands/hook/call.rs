//! One request on the local socket: taken at once or not at all, and then waited for.

use std::path::Path;
use std::time::Duration;

use askbridge_bridge::server::reachable;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::handshake;
use hyper::{Request, Response, StatusCode, header};
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value};
use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::settings::Settings;

/// How long what is only told may take, once it was taken. Beyond: the agent goes on.
const MOMENT: Duration = Duration::from_secs(2);
/// Bytes that a hook prints. Beyond: it prints nothing.
const OUTPUT_BYTES_MAX: usize = 1024 * 1024;

/// How long to wait for what there is to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Nobody has to be waited for.
    AMoment,
    /// As long as it takes, or until the agent ends us.
    APersons,
}

/// Returns what to print. `None`: askbridge is not there, is slow, is not itself, or has no opinion.
pub(super) async fn call(
    settings: &Settings,
    text: String,
    attended: Option<bool>,
    patience: Patience,
) -> Option<String> {
    let taken = timeout(settings.hook_accept, hand_over(&settings.socket(), text, attended)).await;
    let response = taken.ok()??;
    let is_ours = response.status() == StatusCode::OK && response.headers().contains_key("askbridge-hook");
    if !is_ours {
        return None;
    }
    let body = Limited::new(response.into_body(), OUTPUT_BYTES_MAX).collect();
    let body = match patience {
        Patience::APersons => body.await.ok()?,
        Patience::AMoment => timeout(MOMENT, body).await.ok()?.ok()?,
    };
    let output = String::from_utf8(body.to_bytes().into()).ok()?;
    // Half an answer, or something else, is no answer.
    let fields: Map<String, Value> = serde_json::from_str(&output).ok()?;
    (!fields.is_empty()).then_some(output)
}

/// Hands over what the agent said. Returns once it was taken.
async fn hand_over(socket: &Path, text: String, attended: Option<bool>) -> Option<Response<Incoming>> {
    let (short, _folder) = reachable(socket).ok()?;
    let stream = UnixStream::connect(short).await.ok()?;
    // Whoever listens there has to be us.
    if stream.peer_cred().ok()?.uid() != rustix::process::getuid().as_raw() {
        return None;
    }
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await.ok()?;
    // Ends with the request; what it has to say, the request says too.
    tokio::spawn(connection);
    let mut request = Request::post("/v1/hook").header(header::HOST, "localhost");
    request = request.header(header::CONTENT_TYPE, "application/json");
    if let Some(attended) = attended {
        request = request.header("askbridge-attended", if attended { "1" } else { "0" });
    }
    sender.send_request(request.body(Full::new(Bytes::from(text))).ok()?).await.ok()
}
