//! The page's three files, with a policy that lets nothing else in.

use axum::http::header;
use axum::response::{IntoResponse, Response};

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

pub(crate) async fn page() -> Response {
    file("text/html; charset=utf-8", include_str!("page.html"))
}

pub(crate) async fn script() -> Response {
    file("text/javascript; charset=utf-8", include_str!("page.js"))
}

pub(crate) async fn style() -> Response {
    file("text/css; charset=utf-8", include_str!("page.css"))
}

/// A file of ours. Nothing from elsewhere is let in: no script, no style, no frame.
pub(crate) fn file(kind: &'static str, text: impl IntoResponse) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, text).into_response()
}
