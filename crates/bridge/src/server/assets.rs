//! The web app: files that were built beforehand and are embedded in the binary.
//!
//! Names of files under `assets/` contain a hash of their content, so browsers may cache them for ever; everything else
//! is revalidated, with a 304 if it has not changed. A path that is no file belongs to the app: it gets the page.

use axum::extract::Request;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use rust_embed::{EmbeddedFile, RustEmbed};

use super::problem::Trouble;

/// `web/app/dist`, as it is committed.
#[derive(RustEmbed)]
#[folder = "../../web/app/dist"]
struct Dist;

/// No inline scripts, no foreign styles, nothing from another origin. Frames are our own previews, which may do less.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      manifest-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

const PAGE: &str = "index.html";

/// Paths below these belong to the API and the documents: an unknown one is not the app's.
const NOT_OURS: [&str; 4] = ["/v1/", "/docs/", "/healthz", "/readyz"];

/// Serves a file of the app, or the app's page for a path of its own.
pub(super) async fn serve(request: Request) -> Response {
    let path = request.uri().path();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if reads && let Some(file) = found(path.trim_start_matches('/'), request.headers()) {
        return file;
    }
    let wants_page = accepts(request.headers(), header::ACCEPT, "text/html");
    if reads && wants_page && !NOT_OURS.iter().any(|prefix| path.starts_with(prefix)) && !path.contains('.') {
        return found(PAGE, request.headers()).expect("the app has a page");
    }
    Trouble::new(404, "unknown_address", format!("there is nothing at {path}")).into_response()
}

fn found(path: &str, asked: &HeaderMap) -> Option<Response> {
    let path = if path.is_empty() { PAGE } else { path };
    if path.ends_with(".gz") {
        return None;
    }
    let plain = Dist::get(path)?;
    let etag = format!("\"{}\"", crate::auth::hex(&plain.metadata.sha256_hash()[..12]));
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind_of(path)));
    headers.insert(header::ETAG, HeaderValue::from_str(&etag).expect("a hash is ASCII"));
    let kept = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if asked.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes()) {
        return Some((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    let file = match accepts(asked, header::ACCEPT_ENCODING, "gzip").then(|| Dist::get(&format!("{path}.gz"))).flatten()
    {
        Some(packed) => {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            packed
        }
        None => plain,
    };
    Some((headers, bytes(file)).into_response())
}

fn kind_of(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}

fn accepts(headers: &HeaderMap, name: header::HeaderName, what: &str) -> bool {
    headers.get_all(name).iter().any(|value| value.to_str().is_ok_and(|value| value.contains(what)))
}

fn bytes(file: EmbeddedFile) -> Bytes {
    match file.data {
        std::borrow::Cow::Borrowed(data) => Bytes::from_static(data),
        std::borrow::Cow::Owned(data) => Bytes::from(data),
    }
}
