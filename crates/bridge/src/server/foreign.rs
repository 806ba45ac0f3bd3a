//! Serves the dialects of other systems, each on the addresses of its original: on our own port, or on another.
//!
//! They are not part of the router: two of them may want the same address, and which are served is decided at the
//! start. Our own addresses always come first.

use std::sync::Arc;

use askbridge_peers::listing::{Choices, LISTING, Listing, Route, RouteKind, Served};
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Request};
use axum::http::{Method, StatusCode};
use axum::middleware;
use axum::response::{IntoResponse, Response};

use super::app::{App, Seat};
use super::assets;
use super::guard::guard;
use super::guest::{Guest, LoginCookie};
use super::identify::{Remote, address_of};
use super::problem::Trouble;
use super::requests;
use super::sockets::{self, UpgradeRequest};
use super::way_in::{BadToken, login_cookie, split_base, turned_away, who};
use crate::auth::Caller;
use crate::runtime::Source;

/// How dialects of other systems are served.
#[derive(Debug, Clone, Default)]
pub struct Speaking {
    /// Their names.
    pub names: Vec<&'static str>,
    /// The folder of agents that their clients start, if those cannot name one.
    pub folder: Option<String>,
    /// A client on this machine without a token is taken for this caller.
    pub loopback: Option<Caller>,
    pub choices: Choices,
}

/// Two dialects that cannot share a port.
#[derive(Debug, thiserror::Error)]
#[error("`{first}` and `{second}` both want {method} {path}")]
pub struct Clash {
    pub first: &'static str,
    pub second: &'static str,
    pub method: &'static str,
    pub path: &'static str,
}

/// Which route of a dialect was called, for the metrics.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spoken(pub(crate) &'static str);

/// Finds a dialect that is served only when configured.
pub fn dialect(name: &str) -> Option<&'static Listing> {
    LISTING.iter().find(|listing| listing.name == name && listing.served != Served::Always)
}

/// Checks whether these can be served on the same port.
pub fn can_share(listings: &[&'static Listing]) -> Result<(), Clash> {
    for (place, first) in listings.iter().enumerate() {
        for second in &listings[place + 1..] {
            let both = first.routes.iter().find(|route| {
                second.routes.iter().any(|other| other.method == route.method && other.path == route.path)
            });
            if let Some(Route { method, path, .. }) = both {
                return Err(Clash { first: first.name, second: second.name, method, path });
            }
        }
    }
    Ok(())
}

/// A router for a port that serves these dialects only.
pub fn foreign_router(app: App, listings: Vec<&'static Listing>) -> Router {
    speaking(Router::new(), listings, Otherwise::Nothing)
        .layer(middleware::from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

/// What is served where neither we nor any of the dialects have an address.
#[derive(Debug, Clone, Copy)]
pub(super) enum Otherwise {
    Nothing,
    TheApp,
}

/// Serves these dialects wherever a router knows no address of its own.
pub(super) fn speaking(router: Router<App>, listings: Vec<&'static Listing>, otherwise: Otherwise) -> Router<App> {
    let listings: Arc<[_]> = listings.into();
    router.fallback(move |axum::extract::State(app): axum::extract::State<App>, request: Request| async move {
        answer(app, &listings, otherwise, request).await
    })
}

async fn answer(app: App, listings: &[&'static Listing], otherwise: Otherwise, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let mut in_base = None;
    if let Some((token, rest)) = split_base(&parts.uri) {
        in_base = Some(token);
        parts.uri = rest;
    }
    let (listing, route) = match find(listings, &parts.method, parts.uri.path()) {
        RouteMatch::Route(listing, route) => (listing, route),
        RouteMatch::OtherMethod => return StatusCode::METHOD_NOT_ALLOWED.into_response(),
        RouteMatch::Nothing if matches!(otherwise, Otherwise::TheApp) && in_base.is_none() => {
            return assets::serve(Request::from_parts(parts, body)).await;
        }
        RouteMatch::Nothing => {
            let detail = format!("there is nothing at {}", parts.uri.path());
            return Trouble::new(404, "unknown_address", detail).into_response();
        }
    };
    let mut response = speak(app, listing, route, in_base, Request::from_parts(parts, body)).await;
    response.extensions_mut().insert(Spoken(route.path));
    response
}

async fn speak(
    app: App,
    listing: &'static Listing,
    route: &'static Route,
    in_base: Option<String>,
    request: Request,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let brought = login_cookie(listing, &parts.headers);
    let known = match who(&app, (listing, route), &parts, (in_base, brought.as_ref())) {
        Ok(None) if route.kind != RouteKind::Open => return turned_away(listing, BadToken::Missing),
        // A wrong token does not bar a client from where it gets a right one.
        Err(_) if route.kind == RouteKind::Open => None,
        Ok(known) => known,
        Err(response) => return response,
    };
    let let_in = known.as_ref().is_some_and(|known| known.by_cookie);
    let (caller, cookie) = (known.map(|known| known.caller), brought.map(|secret| LoginCookie { secret, let_in }));
    let (remote, seat) = (parts.extensions.get::<Remote>().cloned(), parts.extensions.get::<Arc<Seat>>().cloned());
    match (route.kind, caller) {
        (RouteKind::Socket, Some(caller)) => {
            let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &app).await;
            let request = UpgradeRequest { caller: Ok(caller), remote, seat, uri: parts.uri, cookie };
            sockets::open(app, listing, request, upgrade)
        }
        (_, caller) => {
            let guest = Guest {
                via: listing.name,
                source: Source::Request,
                from: address_of(remote.as_ref()),
                caller,
                process: None,
                peer: None,
                cookie,
                _seat: seat,
            };
            requests::answer(app, guest, listing, Request::from_parts(parts, body)).await
        }
    }
}

enum RouteMatch {
    Route(&'static Listing, &'static Route),
    OtherMethod,
    Nothing,
}

fn find(listings: &[&'static Listing], method: &Method, path: &str) -> RouteMatch {
    let mut found = RouteMatch::Nothing;
    for listing in listings {
        for route in listing.routes.iter().filter(|route| matches(route.path, path)) {
            if route.method == method.as_str() {
                return RouteMatch::Route(listing, route);
            }
            found = RouteMatch::OtherMethod;
        }
    }
    found
}

/// Does a path match a pattern? `{name}` is one segment, `{*rest}` all that is left, perhaps nothing.
fn matches(pattern: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(part), _) if part.starts_with("{*") => return true,
            (Some(part), Some(given)) if part.starts_with('{') && !given.is_empty() => {}
            (Some(part), Some(given)) if part == given => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_fits_its_pattern_part_by_part() {
        for (pattern, path, fits) in [
            ("/ws", "/ws", true),
            ("/ws", "/ws/", false),
            ("/ws/chat/{session}", "/ws/chat/a-1", true),
            ("/ws/chat/{session}", "/ws/chat/", false),
            ("/ws/chat/{session}", "/ws/chat/a/b", false),
            ("/{*rest}", "/", true),
            ("/{*rest}", "/a/b.js", true),
            ("/api/{*rest}", "/ap", false),
        ] {
            assert_eq!(matches(pattern, path), fits, "{pattern} {path}");
        }
    }
}
