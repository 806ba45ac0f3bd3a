//! What differs in responses where TLS is on.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{HOST, HeaderValue, LOCATION, STRICT_TRANSPORT_SECURITY};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};

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

/// Sends every plain request to the same address over https.
pub(in crate::server) fn redirecting(app: &App) -> Router {
    Router::new().fallback(redirect).with_state(app.clone())
}

async fn redirect(State(app): State<App>, headers: HeaderMap, uri: Uri) -> Response {
    there(&app.origins, &headers, &uri)
}

fn there(origins: &Origins, headers: &HeaderMap, uri: &Uri) -> Response {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).map(str::to_ascii_lowercase).unwrap_or_default();
    if !is_known_host(origins, &host) {
        let detail = "this server speaks https here, and this is not one of its names";
        return Trouble::new(403, "host_not_allowed", detail).into_response();
    }
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
        let sent = |host: &str, path: &str| {
            let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_str(host).unwrap())]);
            let response = there(&origins, &headers, &path.parse().unwrap());
            let there = response.headers().get(LOCATION).map(|there| there.to_str().unwrap().to_owned());
            (response.status().as_u16(), there)
        };
        let (status, to) = sent("ASK.example.org:4760", "/ask/1?x=%2F");
        assert_eq!((status, to.as_deref()), (308, Some("https://ask.example.org:4760/ask/1?x=%2F")));
        assert_eq!(sent("192.0.2.7:4760", "/").1.as_deref(), Some("https://192.0.2.7:4760/"));
        assert_eq!(sent("evil.example", "/"), (403, None));
    }
}
