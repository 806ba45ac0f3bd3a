//! All addresses on one page.

use askbridge_peers::listing::{LISTING, Listing};
use axum::Router;
use axum::extract::Request;
use axum::middleware;
use axum::routing::{get, post};

use super::app::App;
use super::guard::guard;
use super::problem::Trouble;
use super::requests::mount as mount_requests;
use super::sockets::mount as mount_sockets;
use super::v1;

/// Our own addresses, and those of every language in the listing.
pub fn router(app: App) -> Router {
    router_with(app, &[])
}

/// The same, with languages that are not in the listing: those of tests and plugins.
pub fn router_with(app: App, extra: &'static [Listing]) -> Router {
    let ours = Router::new()
        .route("/healthz", get(v1::health::show))
        .route("/readyz", get(v1::ready::show))
        .route("/metrics", get(v1::metrics::show))
        .route("/v1/sessions", post(v1::sessions::create).get(v1::sessions::list))
        .route("/v1/sessions/{id}", get(v1::sessions::show))
        .route("/v1/sessions/{id}/events", get(v1::sessions::events))
        .route("/v1/asks", post(v1::asks::create).get(v1::asks::list))
        .route("/v1/asks/{id}", get(v1::asks::show))
        .route("/v1/asks/{id}/answer", post(v1::asks::answer))
        .route("/v1/asks/{id}/dismiss", post(v1::asks::dismiss))
        .route("/v1/asks/{id}/extend", post(v1::asks::extend))
        .route("/v1/asks/{id}/draft", post(v1::asks::draft))
        .route("/v1/asks/{id}/undo", post(v1::asks::undo))
        .route("/v1/asks/{id}/withdraw", post(v1::asks::withdraw))
        .route("/v1/events", get(v1::events::stream))
        .route("/v1/me", get(v1::me::show))
        .route("/v1/pair", post(v1::pair::redeem))
        .route("/v1/pairings", post(v1::pair::create))
        .route("/v1/tokens", post(v1::tokens::create).get(v1::tokens::list))
        .route("/v1/tokens/{id}", axum::routing::delete(v1::tokens::revoke))
        .route("/v1/agents", post(v1::agents::announce))
        .route("/", get(v1::welcome::page))
        .route("/page.js", get(v1::welcome::script))
        .route("/page.css", get(v1::welcome::style));
    let all = LISTING.iter().chain(extra).fold(ours, |router, listing| {
        let router = mount_sockets(router, listing);
        mount_requests(router, listing)
    });
    all.fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

async fn unknown(request: Request) -> Trouble {
    Trouble::new(404, "unknown_address", format!("there is nothing at {}", request.uri().path()))
}

async fn wrong_method(request: Request) -> Trouble {
    Trouble::new(405, "wrong_method", format!("{} is not possible at {}", request.method(), request.uri().path()))
}
