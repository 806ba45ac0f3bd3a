//! Identifies callers in dialects of other systems: finds a token wherever their clients can put one.

use std::net::IpAddr;

use askbridge_peers::listing::{Carrier, Listing, Opens, Route, RouteKind, Served};
use askbridge_peers::rest::unescaped;
use askbridge_peers::wish::Rejection;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use super::app::App;
use super::guard::{Origins, is_this_machine};
use super::identify::{Remote, address_of, local_caller, sign_in};
use super::problem::{Refused, Trouble};
use crate::auth::{Caller, Secret, is_a_known_agent, may_be_the_user};
use crate::runtime::Services;

/// What precedes a token in a base path: `/t/<token>/api/…`.
const BASE: &str = "/t/";
/// Headers that proxies set: a request with one does not come straight from this machine, even over a loopback
/// connection.
const PASSED_ON: [&str; 5] = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/// Takes a token out of the base path. Returns it with the rest of the address.
pub(super) fn split_base(uri: &Uri) -> Option<(String, Uri)> {
    let rest = uri.path().strip_prefix(BASE)?;
    let (token, path) = rest.split_once('/')?;
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    Some((unescaped(token), format!("/{path}{query}").parse().ok()?))
}

/// A caller, and whether a login cookie identified it.
pub(super) struct IdentifiedCaller {
    pub(super) caller: Caller,
    pub(super) by_cookie: bool,
}

/// Identifies the caller. `None`: unknown; such a caller may only use routes that are open to all.
///
/// A wrong token is an error even there, since a client that sends one means to be identified. A wrong login cookie
/// counts as none: a browser sends it until it gets another.
pub(super) fn who(
    app: &App,
    (listing, route): (&Listing, &Route),
    parts: &Parts,
    (in_base, brought): (Option<String>, Option<&Secret>),
) -> Result<Option<IdentifiedCaller>, Response> {
    let remote = parts.extensions.get::<Remote>();
    let token = in_base.or_else(|| bearer(&parts.headers)).or_else(|| carried(listing, parts));
    let cookie = brought.filter(|_| token.is_none() && cookie_counts(app, listing, route.kind, parts));
    let logged_in = cookie.and_then(|it| app.tokens.cookie_holder(it, listing.name, app.handle.clock.now()));
    if let Some(caller) = logged_in {
        app.pace(&caller).map_err(|rejection| Trouble::from(rejection).into_response())?;
        return Ok(Some(IdentifiedCaller { caller, by_cookie: true }));
    }
    let caller = match (token, remote) {
        (Some(token), _) => match sign_in(app, &token, address_of(remote)) {
            Ok(caller) => caller,
            Err(Rejection::Unauthorized) => return Err(turned_away(listing, BadToken::Wrong)),
            Err(other) => return Err(Trouble::from(other).into_response()),
        },
        (None, Some(Remote::Local(peer))) => {
            local_caller(app, peer).map_err(|rejection| Trouble::from(rejection).into_response())?
        }
        (None, Some(Remote::Address { ip, port })) if is_direct(&app.origins, *ip, &parts.headers) => {
            let loopback = app.speaking().and_then(|speaking| speaking.loopback.clone());
            match loopback.filter(|_| port.is_none_or(|port| may_be_the_user(&app.agents, port))) {
                Some(caller) => caller,
                None => return Ok(None),
            }
        }
        (None, _) => return Ok(None),
    };
    app.pace(&caller).map_err(|rejection| Trouble::from(rejection).into_response())?;
    Ok(Some(IdentifiedCaller { caller, by_cookie: false }))
}

/// Why a caller is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadToken {
    Missing,
    Wrong,
}

/// Refuses as the original does.
pub(super) fn turned_away(listing: &Listing, token: BadToken) -> Response {
    let body = match (listing.served, token) {
        (Served::WhenNamed(way_in), BadToken::Missing) => way_in.no_token,
        (Served::WhenNamed(way_in), BadToken::Wrong) => way_in.wrong_token,
        (Served::Always, _) => return Trouble::from(Rejection::Unauthorized).into_response(),
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
    ];
    let mut response = (StatusCode::UNAUTHORIZED, headers, body).into_response();
    response.extensions_mut().insert(Refused("unauthorized"));
    response
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
}

/// A token where clients of this dialect put one.
fn carried(listing: &Listing, parts: &Parts) -> Option<String> {
    let Served::WhenNamed(way_in) = listing.served else { return None };
    way_in.carriers.iter().find_map(|carrier| match carrier {
        Carrier::Query(name) => {
            let pairs = parts.uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
            pairs.into_iter().find(|(known, _)| known == name).map(|(_, token)| unescaped(token))
        }
        Carrier::Cookie(name) => cookie(&parts.headers, name),
        Carrier::LoginCookie(..) => None,
    })
}

/// The login cookie of this dialect that came along, known or not.
pub(super) fn login_cookie(listing: &Listing, headers: &HeaderMap) -> Option<Secret> {
    let (name, _) = listing.login_cookie()?;
    cookie(headers, name).map(Secret::from)
}

/// Does a login cookie count for this request? Browsers also send it with requests of pages on other ports of this
/// machine, so a request that opens a socket or changes something has to come from a page of our own.
fn cookie_counts(app: &App, listing: &Listing, kind: RouteKind, parts: &Parts) -> bool {
    let Some((_, opens)) = listing.login_cookie() else { return false };
    let is_socket = kind == RouteKind::Socket;
    let only_reads = !is_socket && matches!(parts.method, Method::GET | Method::HEAD);
    let is_opened = is_socket || opens == Opens::Everything;
    is_opened && (only_reads || app.origins.is_of_our_own_page(&parts.headers)) && !comes_from_an_agent(app, parts)
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, token)| unescaped(token)).filter(|token| !token.is_empty())
}

/// Does the program at the other end run below a known agent? Then a cookie that it brings is not its own.
///
/// Behind a proxy the program at the other end is the proxy, and the process behind it cannot be known.
fn comes_from_an_agent(app: &App, parts: &Parts) -> bool {
    match parts.extensions.get::<Remote>() {
        Some(Remote::Address { ip, port: Some(port) }) => ip.is_loopback() && is_a_known_agent(&app.agents, *port),
        // A browser does not use the local socket.
        Some(Remote::Local(_)) => true,
        _ => false,
    }
}

/// Does this request come straight from a program on this machine: from a loopback address, to a name of this machine,
/// and not forwarded? A proxy can make a request look like this, so where a proxy is expected none counts.
pub(super) fn is_direct(origins: &Origins, from: IpAddr, headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    from.to_canonical().is_loopback() && !origins.expect_a_proxy() && is_this_machine(host) && !is_passed_on(headers)
}

/// Does a header say that a proxy forwarded this?
pub(super) fn is_passed_on(headers: &HeaderMap) -> bool {
    PASSED_ON.iter().any(|name| headers.contains_key(*name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_in_the_base_path_leaves_the_address_of_the_original() {
        let uri: Uri = "/t/ab%5Fx/api/v1/chat?a=%20b".parse().unwrap();
        let (token, rest) = split_base(&uri).unwrap();
        assert_eq!((token.as_str(), rest.to_string().as_str()), ("ab_x", "/api/v1/chat?a=%20b"));
        for other in ["/t/", "/t/token", "/api/t/x/"] {
            assert!(split_base(&other.parse().unwrap()).is_none(), "{other}");
        }
    }

    #[test]
    fn only_what_comes_straight_from_this_machine_needs_no_token() {
        let direct = |host: &str, more: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
            if let Some(more) = more {
                headers.insert(more, HeaderValue::from_static("10.0.0.1"));
            }
            is_direct(&Origins::default(), IpAddr::from([127, 0, 0, 1]), &headers)
        };
        for host in ["localhost:4760", "127.0.0.1", "[::1]:4760", "LOCALHOST"] {
            assert!(direct(host, None), "{host}");
        }
        for host in ["ask.example", "10.0.0.1:4760", "[2001:db8::1]", "localhost.evil.example", ""] {
            assert!(!direct(host, None), "{host}");
        }
        for passed_on in PASSED_ON {
            assert!(!direct("localhost", Some(passed_on)), "{passed_on}");
        }
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("localhost"));
        assert!(!is_direct(&Origins::default(), IpAddr::from([10, 0, 0, 1]), &headers));
        let proxied = Origins::default().with_public_url("https://ask.example");
        assert!(!is_direct(&proxied, IpAddr::from([127, 0, 0, 1]), &headers));
    }
}
