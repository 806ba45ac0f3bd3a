//! Reads request bodies, with limits, and writes JSON responses.

use askbridge_core::limits;
use askbridge_peers::nearest::nearest;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use tokio::time::timeout;

use super::problem::Trouble;

/// A body as text.
#[derive(Debug)]
pub(crate) struct Text(pub(crate) String);

/// A body as a JSON object. An empty one is `{}`.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

/// A body as any JSON.
#[derive(Debug)]
pub(crate) struct AnyJson(pub(crate) serde_json::Value);

impl<S: Send + Sync> FromRequest<S> for Text {
    type Rejection = Trouble;

    async fn from_request(request: Request, _: &S) -> Result<Self, Trouble> {
        let (parts, body) = request.into_parts();
        let bytes = read(&parts.headers, body).await?;
        let text = String::from_utf8(bytes.into());
        text.map(Self).map_err(|_| Trouble::new(400, "not_json", "the body is not UTF-8"))
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Trouble;

    async fn from_request(request: Request, state: &S) -> Result<Self, Trouble> {
        let Text(text) = Text::from_request(request, state).await?;
        let text = if text.trim().is_empty() { "{}" } else { &text };
        // serde would take a list for the fields in their order.
        if !text.trim_start().starts_with('{') {
            parsed::<IgnoredAny>(text)?;
            return Err(Trouble::new(422, "bad_request", "the body has to be a JSON object"));
        }
        parsed(text).map(Self)
    }
}

impl<S: Send + Sync> FromRequest<S> for AnyJson {
    type Rejection = Trouble;

    async fn from_request(request: Request, state: &S) -> Result<Self, Trouble> {
        let Text(text) = Text::from_request(request, state).await?;
        parsed(if text.trim().is_empty() { "{}" } else { &text }).map(Self)
    }
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, Trouble> {
    serde_json::from_str(text).map_err(|error| match error.is_data() {
        true => Trouble::new(422, "bad_request", hinted(error.to_string())),
        false => Trouble::new(400, "not_json", format!("the body is not JSON: {error}")),
    })
}

/// Says which field was probably meant by one that serde does not know: it names that field first, then the known ones.
fn hinted(error: String) -> String {
    let mut names = error.strip_prefix("unknown field ").unwrap_or_default().split('`').skip(1).step_by(2);
    let Some(given) = names.next() else { return error };
    match nearest(given, names) {
        Some(meant) => format!("unknown field `{given}`; did you mean `{meant}`?"),
        None => error,
    }
}

/// Reads a whole body, within its limits of size and time.
pub(crate) async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Trouble> {
    let too_large = || {
        let detail = format!("a body may have at most {} bytes", limits::BODY_BYTES_MAX);
        Trouble::new(413, "too_large", detail)
    };
    let declared = headers.get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|length| length > limits::BODY_BYTES_MAX) {
        return Err(too_large());
    }
    match timeout(limits::BODY_READ_MAX, to_bytes(body, limits::BODY_BYTES_MAX)).await {
        Ok(bytes) => bytes.map_err(|_| too_large()),
        Err(_) => {
            let detail = format!("a body has to arrive within {} seconds", limits::BODY_READ_MAX.as_secs());
            Err(Trouble::new(408, "too_slow", detail))
        }
    }
}

/// Serializes a value of our own as JSON.
pub(crate) fn written(value: &impl Serialize) -> Vec<u8> {
    // Most responses fit; growing from nothing would copy them several times.
    let mut body = Vec::with_capacity(1024);
    serde_json::to_writer(&mut body, value).expect("our own JSON has text keys");
    body
}

/// Responds with JSON.
pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    json_written(status, written(value))
}

/// Responds with JSON that is serialized already.
pub(crate) fn json_written(status: StatusCode, body: Vec<u8>) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, Body::from(Bytes::from(body))).into_response()
}
