//! What differs in responses where TLS is on.

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::header::{CONTENT_TYPE, HOST, HeaderValue, LOCATION, STRICT_TRANSPORT_SECURITY};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::challenges::WELL_KNOWN;
use crate::server::app::App;
use crate::server::guard::{Origins, is_known_host};
use crate::server::problem::Trouble;

/// Half a year. Not for names below ours: they may be other people's.
const SIX_MONTHS: HeaderValue = HeaderValue::from_static("max-age=15552000");

/// The same router for encrypted connections: browsers remember to come back encrypted.
pub(in crate::server) fn strict(router: &Router) -> Router {
    router.clone().layer(middleware::from_fn(async |request: Request, next: Next| {
        let mut response = next.run(request).await;
        response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, SIX_MONTHS);
        response
    }))
}

/// Where plain requests are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Encrypted {
    /// The port that they came to also speaks https.
    OnTheSamePort,
    /// Another port does.
    OnPort(u16),
}

#[derive(Clone)]
struct Redirecting {
    app: App,
    to: Encrypted,
}

/// Sends every plain request to the same address over https, except for what has to be had without: proofs for an ACME
/// server, and what devices install before they can trust our certificate.
pub(in crate::server) fn redirecting(app: &App, to: Encrypted) -> Router {
    let state = Redirecting { app: app.clone(), to };
    Router::new().route(WELL_KNOWN, get(proof)).fallback(redirect).with_state(state)
}

async fn proof(State(Redirecting { app, .. }): State<Redirecting>, Path(token): Path<String>) -> Response {
    match app.tls().and_then(|tls| tls.challenges().file(&token)) {
        Some(proof) => ([(CONTENT_TYPE, "application/octet-stream")], proof).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn redirect(State(Redirecting { app, to }): State<Redirecting>, headers: HeaderMap, uri: Uri) -> Response {
    match app.tls().and_then(|tls| tls.offer()?.answer(uri.path())) {
        Some(offered) => offered,
        None => there(&app.origins, to, &headers, &uri),
    }
}

fn there(origins: &Origins, to: Encrypted, headers: &HeaderMap, uri: &Uri) -> Response {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).map(str::to_ascii_lowercase).unwrap_or_default();
    if !is_known_host(origins, &host) {
        let detail = "this server speaks https here, and this is not one of its names";
        return Trouble::new(403, "host_not_allowed", detail).into_response();
    }
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => &host,
    };
    let host = match to {
        Encrypted::OnTheSamePort => host,
        Encrypted::OnPort(443) => name.to_owned(),
        Encrypted::OnPort(port) => format!("{name}:{port}"),
    };
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    match HeaderValue::try_from(format!("https://{host}{path}")) {
        Ok(there) => (StatusCode::PERMANENT_REDIRECT, [(LOCATION, there)]).into_response(),
        Err(_) => StatusCode::BAD_REQUEST.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_request_is_sent_to_the_same_address_over_https_and_never_elsewhere() {
        let origins = Origins::default().with_public_url("https://ask.example.org:4760");
        let sent = |to: Encrypted, host: &str, path: &str| {
            let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_str(host).unwrap())]);
            let response = there(&origins, to, &headers, &path.parse().unwrap());
            let there = response.headers().get(LOCATION).map(|there| there.to_str().unwrap().to_owned());
            (response.status().as_u16(), there)
        };
        let same = Encrypted::OnTheSamePort;
        let (status, to) = sent(same, "ASK.example.org:4760", "/ask/1?x=%2F");
        assert_eq!((status, to.as_deref()), (308, Some("https://ask.example.org:4760/ask/1?x=%2F")));
        assert_eq!(sent(same, "192.0.2.7:4760", "/").1.as_deref(), Some("https://192.0.2.7:4760/"));
        assert_eq!(sent(same, "evil.example", "/"), (403, None));
        for (port, host, there) in [
            (443, "ask.example.org", "https://ask.example.org/"),
            (443, "ask.example.org:80", "https://ask.example.org/"),
            (8443, "ask.example.org", "https://ask.example.org:8443/"),
            (8443, "[2001:db8::1]", "https://[2001:db8::1]:8443/"),
            (8443, "[2001:db8::1]:8080", "https://[2001:db8::1]:8443/"),
        ] {
            assert_eq!(sent(Encrypted::OnPort(port), host, "/").1.as_deref(), Some(there), "{host}");
        }
        assert_eq!(sent(Encrypted::OnPort(443), "evil.example:80", "/"), (403, None));
    }
}
