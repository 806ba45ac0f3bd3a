//! `GET /.well-known/askbridge/{nonce}`: does an address lead to this server? And what devices install before they trust
//! our own authority, which is also served without encryption (`tls/responses.rs`).
//!
//! `askbridge expose` writes a random nonce into a file of the data folder, and asks for it at the address that people
//! are to open. Only the server of that folder can know it, so the answer says that no other machine is meant: a name
//! that leads elsewhere, or a port that a router forwards to another machine, is noticed. To others nothing is said.

use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

use super::app::App;

/// Where the path begins; the nonce follows.
pub const REACH_PATH: &str = "/.well-known/askbridge/";
/// Fewer characters prove nothing: an empty file would match an empty nonce.
const NONCE_CHARS_MIN: usize = 32;

pub(super) async fn show(State(app): State<App>, Path(nonce): Path<String>) -> Response {
    let kept = match app.reached() {
        Some(file) => tokio::fs::read_to_string(file).await.unwrap_or_default(),
        None => String::new(),
    };
    let is_it = nonce.len() >= NONCE_CHARS_MIN && bool::from(kept.trim().as_bytes().ct_eq(nonce.as_bytes()));
    match is_it {
        true => ([(CONTENT_TYPE, "text/plain"), (CACHE_CONTROL, "no-store")], "askbridge\n").into_response(),
        false => StatusCode::NOT_FOUND.into_response(),
    }
}

pub(super) async fn offer(State(app): State<App>, request: Request) -> Response {
    let offered = app.tls().and_then(|tls| tls.offer()?.answer(request.uri().path()));
    offered.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
}
