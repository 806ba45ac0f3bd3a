//! `GET /`: a page that says what this is, until the web app takes its place.

use axum::http::header;
use axum::response::{IntoResponse, Response};

const PAGE: &str = include_str!("welcome.html");

pub(crate) async fn show() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'self'; connect-src 'self'; script-src 'self'",
        ),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, PAGE).into_response()
}
