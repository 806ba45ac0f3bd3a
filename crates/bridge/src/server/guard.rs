//! Checks `Host` and `Origin`: what a browser says about where a request really comes from.
//!
//! A page of another site can make a browser talk to us (cross-site requests and sockets), and a name that resolves to
//! us can make it believe that we are that site (DNS rebinding). So the `Host` has to be an IP address, `localhost`, or
//! a configured name; an `Origin`, if there is one, has to be our own or a configured one.

use std::net::IpAddr;

use askbridge_core::limits;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::{Instrument, Level, Span, debug, debug_span, enabled, warn};

use super::app::App;
use super::foreign::Spoken;
use super::identify::Remote;
use super::problem::{Refused, Trouble};
use super::request_id::{REQUEST_ID, fresh, given};

/// Names that are ours, and other pages that may talk to us.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    /// Exactly as a browser writes them: `https://example.org`.
    origins: Vec<String>,
    /// Names under which a proxy forwards requests to us: `ask.example.org`, with a port if only that one counts.
    hosts: Vec<String>,
    /// The origin of our own pages as people open them behind a proxy: `https://ask.example.org:8443`.
    public: Option<String>,
    /// Was it said, or is it to be expected, that others reach us over a connection from this machine?
    reached_by_others: bool,
}

impl Origins {
    /// Pages of these origins may talk to us. The settings accept only valid ones.
    pub fn new(origins: &[String]) -> Self {
        Self { origins: origins.iter().map(|origin| origin.to_ascii_lowercase()).collect(), ..Self::default() }
    }

    /// Adds names of our own.
    pub fn with_hosts(mut self, hosts: &[String]) -> Self {
        self.hosts.extend(hosts.iter().map(|host| host.to_ascii_lowercase()));
        self
    }

    /// Adds the address that people open. Its name is ours with any port: a proxy may forward the `Host` with the port
    /// (nginx: `$http_host`) or without it (`$host`). Pages from exactly this address are our own.
    pub fn with_public_url(mut self, url: &str) -> Self {
        let url = url.to_ascii_lowercase();
        let (scheme, host) = url.split_once("://").unwrap_or(("http", &url));
        let usual_port = if scheme == "https" { ":443" } else { ":80" };
        // A browser leaves the default port out of an `Origin`.
        let host = host.strip_suffix(usual_port).unwrap_or(host);
        self.public = Some(format!("{scheme}://{host}"));
        self.with_hosts(&[without_port(host).to_owned()])
    }

    /// Other machines reach us, and a proxy or a tunnel on this machine may carry their connections.
    pub fn with_others(mut self) -> Self {
        self.reached_by_others = true;
        self
    }

    /// The address that people open, if configured.
    pub(crate) fn public_url(&self) -> Option<&str> {
        self.public.as_deref()
    }

    /// Is a proxy configured, or a name or an address under which one may forward requests, or a certificate, for which
    /// a tunnel may carry connections? Then a connection from a loopback address proves nothing: it may be the proxy's,
    /// and the headers that would tell are up to the proxy.
    pub fn expect_a_proxy(&self) -> bool {
        self.reached_by_others
            || !self.hosts.is_empty()
            || self
                .origins
                .iter()
                .any(|origin| origin.split_once("://").is_some_and(|(_, host)| !is_this_machine(host)))
    }

    fn is_own(&self, origin: &str, host: &str) -> bool {
        self.public.as_deref() == Some(origin)
            || origin.split_once("://").is_some_and(|(scheme, from)| from == host && matches!(scheme, "http" | "https"))
    }

    /// Does a browser say that this comes from a page of ours, and not of another that may talk to us?
    pub(super) fn is_of_our_own_page(&self, headers: &HeaderMap) -> bool {
        let text =
            |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).map(str::to_ascii_lowercase);
        match (text(header::ORIGIN), text(header::HOST)) {
            (Some(origin), Some(host)) => self.is_own(&origin, &host),
            _ => false,
        }
    }

    fn allows(&self, origin: &str) -> bool {
        self.origins.iter().any(|allowed| allowed == origin)
    }

    /// The name of a configured origin is ours as well: we are served behind it.
    fn knows_host(&self, host: &str, name: &str) -> bool {
        self.hosts.iter().any(|known| known == host || known == name)
            || self.origins.iter().any(|origin| origin.split_once("://").is_some_and(|(_, known)| known == host))
    }
}

/// All requests pass through here. Refuses one with the setting that would allow it, and counts the results.
pub(crate) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("unknown", MatchedPath::as_str);
    let method = request.method().clone();
    // An id costs an allocation: it is made when it will be logged or sent, not for each request that succeeds.
    let id = given(request.headers()).or_else(|| enabled!(Level::DEBUG).then(|| fresh(&app.handle)));
    let span = match &id {
        Some(id) => debug_span!("request", request.id = id.to_str().unwrap_or_default()),
        None => Span::none(),
    };
    let traced = app.handle.traces().map(|traces| (traces, traces.begin(&request)));
    let mut response = match &traced {
        None => pass(&app, request, next).instrument(span).await,
        // Boxed, so that requests that are not traced carry no space for it.
        Some((_, begun)) => Box::pin(begun.context().within(pass(&app, request, next).instrument(span))).await,
    };
    let status = response.status();
    let route = response.extensions().get::<Spoken>().map_or(route, |spoken| spoken.0);
    app.handle.meters.request(route, status.as_u16());
    let refused = response.extensions().get::<Refused>().map(|refused| refused.0);
    if let Some(code) = refused {
        app.handle.meters.refusal(code);
    }
    if let Some((traces, begun)) = traced {
        traces.end(*begun, status.as_u16(), refused);
    }
    let id = id.or_else(|| (refused.is_some() || status.is_server_error()).then(|| fresh(&app.handle)));
    if let Some(id) = id {
        let shown = id.to_str().unwrap_or_default();
        let status = status.as_u16();
        if status >= 500 {
            warn!(request.id = shown, %method, route, status, code = refused, "A request failed");
        } else {
            debug!(request.id = shown, %method, route, status, code = refused, "A request was answered");
        }
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

async fn pass(app: &App, request: Request, next: Next) -> Response {
    if head_bytes(&request) > limits::HEAD_BYTES_MAX {
        let detail = format!("the head of a request may have at most {} bytes", limits::HEAD_BYTES_MAX);
        return Trouble::new(413, "too_large", detail).into_response();
    }
    if matches!(request.extensions().get::<Remote>(), Some(Remote::Local(_))) {
        return next.run(request).await;
    }
    let origin = match check(&app.origins, request.headers()) {
        Ok(origin) => origin,
        Err(trouble) => return trouble.into_response(),
    };
    let preflight =
        request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match preflight && origin.is_some() {
        true => StatusCode::NO_CONTENT.into_response(),
        false => next.run(request).await,
    };
    if let Some(origin) = origin {
        allow(response.headers_mut(), origin);
    }
    response
}

/// Measures the head again: the buffer that it is read into grows beyond its limit when much arrives at once.
fn head_bytes(request: &Request) -> usize {
    let address = request.uri().path_and_query().map_or(0, |address| address.as_str().len());
    request.headers().iter().fold(address, |sum, (name, value)| sum + name.as_str().len() + value.len())
}

/// Returns the origin to name in CORS headers, if the request came from a configured one.
fn check(origins: &Origins, headers: &HeaderMap) -> Result<Option<HeaderValue>, Trouble> {
    let text = |value: &HeaderValue| value.to_str().map(str::to_ascii_lowercase).unwrap_or_default();
    let host = headers.get(header::HOST).map(text).unwrap_or_default();
    if !is_known_host(origins, &host) {
        let detail = format!(
            "`{host}` is not a name of this server; if it should be, add it to `allowed_hosts` (ASKBRIDGE_ALLOWED_HOSTS)"
        );
        return Err(Trouble::new(403, "host_not_allowed", detail));
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(None) };
    let name = text(origin);
    if origins.allows(&name) {
        return Ok(Some(origin.clone()));
    }
    if origins.is_own(&name, &host) {
        return Ok(None);
    }
    let detail = format!(
        "`{name}` may not talk to this server; if it should, add it to `allowed_origins` (ASKBRIDGE_ALLOWED_ORIGINS)"
    );
    Err(Trouble::new(403, "origin_not_allowed", detail))
}

/// An IP address cannot be rebound; `localhost` never leaves this machine; any other name has to be configured.
pub(super) fn is_known_host(origins: &Origins, host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) if port.is_empty() || port.starts_with(':') => address,
            _ => return false,
        },
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    is_always_ours(name) || origins.knows_host(host, name)
}

fn is_always_ours(name: &str) -> bool {
    name == "localhost" || name.parse::<IpAddr>().is_ok()
}

/// Does a host, with or without a port, name the machine that it is used on: `localhost`, or a loopback address?
pub(super) fn is_this_machine(host: &str) -> bool {
    let name = without_port(host).trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// `[::1]:80` without its port is `[::1]`.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    let methods = HeaderValue::from_static("GET, POST, PUT, DELETE");
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    let allowed = HeaderValue::from_static(
        "authorization, content-type, idempotency-key, last-event-id, \
         mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, askbridge-context, askbridge-cursor",
    );
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id, askbridge-cursor"));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruling(host: &str, origin: Option<&str>) -> Result<bool, &'static str> {
        let origins = Origins::new(&["https://desk.example".to_owned()]);
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        check(&origins, &headers).map(|cors| cors.is_some()).map_err(|trouble| trouble.0.code)
    }

    #[test]
    fn our_own_page_and_programs_pass() {
        assert_eq!(ruling("127.0.0.1:4500", None), Ok(false));
        assert_eq!(ruling("localhost:4500", Some("http://localhost:4500")), Ok(false));
        assert_eq!(ruling("[::1]:4500", Some("http://[::1]:4500")), Ok(false));
        assert_eq!(ruling("desk.example", None), Ok(false));
    }

    #[test]
    fn a_configured_origin_passes_with_cors() {
        assert_eq!(ruling("127.0.0.1:4500", Some("https://desk.example")), Ok(true));
    }

    #[test]
    fn another_site_is_refused_even_on_another_port_of_this_machine() {
        for origin in
            ["http://evil.example", "http://localhost:3000", "https://desk.example.evil", "null", "http://127.0.0.1"]
        {
            assert_eq!(ruling("localhost:4500", Some(origin)), Err("origin_not_allowed"), "{origin}");
        }
    }

    #[test]
    fn a_name_that_was_rebound_to_us_is_refused() {
        for host in ["evil.example:4500", "localhost.evil.example", "127.0.0.1.evil.example", "[::1].evil", ""] {
            assert_eq!(ruling(host, None), Err("host_not_allowed"), "{host}");
        }
    }

    #[test]
    fn a_configured_name_is_ours_and_makes_no_other_site_welcome() {
        let origins = Origins::default().with_hosts(&["Ask.Example".to_owned(), "b.example:8443".to_owned()]);
        for (host, known) in [
            ("ask.example", true),
            ("ask.example:444", true),
            ("b.example:8443", true),
            ("b.example", false),
            ("x.ask.example", false),
        ] {
            assert_eq!(is_known_host(&origins, host), known, "{host}");
        }
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("ask.example"));
        headers.insert(header::ORIGIN, HeaderValue::from_static("https://ask.example"));
        assert!(matches!(check(&origins, &headers), Ok(None)));
        headers.insert(header::ORIGIN, HeaderValue::from_static("https://b.example:8443"));
        assert!(check(&origins, &headers).is_err());
    }

    #[test]
    fn a_public_address_with_a_port_is_ours_whether_the_proxy_passes_the_port_on_or_not() {
        let ruling = |url: &str, host: &str, origin: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
            let origins = Origins::default().with_public_url(url);
            check(&origins, &headers).map(|cors| cors.is_some()).map_err(|trouble| trouble.0.code)
        };
        let public = "https://Ask.Example:8443";
        for host in ["ask.example", "ask.example:8443"] {
            assert_eq!(ruling(public, host, "https://ask.example:8443"), Ok(false), "{host}");
            assert_eq!(ruling(public, host, "https://ask.example:9443"), Err("origin_not_allowed"), "{host}");
            assert_eq!(ruling(public, host, "http://ask.example:8443.evil"), Err("origin_not_allowed"), "{host}");
        }
        assert_eq!(ruling(public, "ask.example.evil", "https://ask.example:8443"), Err("host_not_allowed"));
        assert_eq!(ruling("https://ask.example:443", "ask.example:443", "https://ask.example"), Ok(false));
        assert_eq!(ruling("http://ask.example:80", "ask.example", "http://ask.example"), Ok(false));
        assert_eq!(ruling("https://[fd00::1]:8443", "[fd00::1]", "https://[fd00::1]:8443"), Ok(false));
    }

    #[test]
    fn a_configured_name_means_that_a_proxy_is_to_be_expected() {
        let behind = |origins: &[&str], hosts: &[&str], url: Option<&str>| {
            let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
            let read = Origins::new(&owned(origins)).with_hosts(&owned(hosts));
            url.map_or(read.clone(), |url| read.with_public_url(url)).expect_a_proxy()
        };
        assert!(!behind(&[], &[], None));
        assert!(!behind(&["http://localhost:3000", "http://127.0.0.1:3000", "http://[::1]:3000"], &[], None));
        assert!(behind(&["https://desk.example"], &[], None), "its name would be taken for ours");
        for address in ["http://192.168.1.5", "http://192.168.1.5:3000", "https://[2001:db8::1]:8443", "http://[::]"] {
            assert!(behind(&[address], &[], None), "{address} is another machine's, or a proxy's");
        }
        assert!(behind(&[], &["ask.example"], None));
        assert!(behind(&[], &[], Some("https://ask.example")));
        assert!(behind(&[], &[], Some("http://192.0.2.7:8080")));
        assert!(Origins::default().with_others().expect_a_proxy());
    }
}
