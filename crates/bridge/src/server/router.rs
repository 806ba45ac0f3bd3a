//! The router: all addresses on one page.

use askbridge_peers::listing::{LISTING, Listing, Served};
use axum::Router;
use axum::extract::Request;
use axum::middleware;
use axum::routing::get;

use super::app::App;
use super::assets;
use super::docs::{Address, at, mount as mount_docs};
use super::foreign::{Otherwise, speaking};
use super::fresh::fresh;
use super::guard::guard;
use super::problem::Trouble;
use super::reach;
use super::requests::mount as mount_requests;
use super::sockets::mount as mount_sockets;
use super::tls::{PROFILE_PATH, ROOT_PATH};
use super::v1;

/// Our own addresses, and those of every door and dialect in the listing.
pub fn router(app: App) -> Router {
    assemble(app, Vec::new())
}

/// The same, with dialects of other systems wherever we have no address of our own.
pub fn router_speaking(app: App, foreign: Vec<&'static Listing>) -> Router {
    assemble(app, foreign)
}

fn assemble(app: App, foreign: Vec<&'static Listing>) -> Router {
    let pages = Router::new().route("/", get(assets::serve)).route("/assets/{*path}", get(assets::serve));
    let pages = pages.route("/.well-known/askbridge/{nonce}", get(reach::show));
    let pages = pages.route(ROOT_PATH, get(reach::offer)).route(PROFILE_PATH, get(reach::offer));
    let ours = addresses().into_iter().fold(mount_docs(pages), |router, it| router.route(it.path, it.answers));
    let always = LISTING.iter().filter(|listing| listing.served == Served::Always);
    let all = always.fold(ours, |router, listing| {
        let router = mount_sockets(router, listing);
        mount_requests(router, listing)
    });
    let all = match foreign.is_empty() {
        true => all.fallback(assets::serve),
        false => speaking(all, foreign, Otherwise::TheApp),
    };
    let all = match app.handle.nodes.is_alone() {
        true => all,
        false => all.layer(middleware::from_fn_with_state(app.clone(), fresh)),
    };
    all.method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

/// Our own addresses, each with its description for the API documents.
pub(super) fn addresses() -> Vec<Address> {
    use v1::{
        agents, asks, away, channel, channels, cluster, codes, connections, devices, events, folders, health, hook, me,
        metrics, pair, prune, ready, remembered, rings, rules, sessions, taps, tokens,
    };
    vec![
        at("POST", "/v1/asks", asks::create, asks::create_doc),
        at("GET", "/v1/asks", asks::list, asks::list_doc),
        at("GET", "/v1/asks/{id}", asks::show, asks::show_doc),
        at("POST", "/v1/asks/{id}/answer", asks::answer, asks::answer_doc),
        at("POST", "/v1/asks/{id}/dismiss", asks::dismiss, asks::dismiss_doc),
        at("POST", "/v1/asks/{id}/extend", asks::extend, asks::extend_doc),
        at("POST", "/v1/asks/{id}/draft", asks::draft, asks::draft_doc),
        at("POST", "/v1/asks/{id}/undo", asks::undo, asks::undo_doc),
        at("POST", "/v1/asks/{id}/snooze", asks::snooze, asks::snooze_doc),
        at("POST", "/v1/asks/{id}/previews", asks::preview, asks::preview_doc),
        at("GET", "/v1/previews/{id}", asks::show_preview, asks::show_preview_doc),
        at("GET", "/v1/asks/{id}/rule", remembered::offer, remembered::offer_doc),
        at("GET", "/v1/snoozes", asks::snoozes, asks::snoozes_doc),
        at("POST", "/v1/asks/{id}/withdraw", asks::withdraw, asks::withdraw_doc),
        at("POST", "/v1/sessions", sessions::create, sessions::create_doc),
        at("GET", "/v1/sessions", sessions::list, sessions::list_doc),
        at("GET", "/v1/sessions/{id}", sessions::show, sessions::show_doc),
        at("DELETE", "/v1/sessions/{id}", sessions::delete, sessions::delete_doc),
        at("GET", "/v1/sessions/{id}/events", sessions::events, sessions::events_doc),
        at("POST", "/v1/sessions/{id}/messages", sessions::say, sessions::say_doc),
        at("POST", "/v1/sessions/{id}/interrupt", sessions::interrupt, sessions::interrupt_doc),
        at("POST", "/v1/sessions/{id}/configure", sessions::configure, sessions::configure_doc),
        at("POST", "/v1/sessions/{id}/close", sessions::close, sessions::close_doc),
        at("GET", "/v1/sessions/{id}/workflow", sessions::show_workflow, sessions::show_workflow_doc),
        at("POST", "/v1/sessions/{id}/workflow", sessions::start_workflow, sessions::start_workflow_doc),
        at("DELETE", "/v1/sessions/{id}/workflow", sessions::end_workflow, sessions::end_workflow_doc),
        at("POST", "/v1/prune", prune::prune, prune::prune_doc),
        at("GET", "/v1/events", events::stream, events::stream_doc),
        at("GET", "/v1/folders", folders::list, folders::list_doc),
        at("GET", "/v1/me", me::show, me::show_doc),
        at("POST", "/v1/pair", pair::redeem, pair::redeem_doc),
        at("POST", "/v1/pairings", pair::create, pair::create_doc),
        at("GET", "/v1/devices", devices::list, devices::list_doc),
        at("POST", "/v1/devices", devices::link, devices::link_doc),
        at("POST", "/v1/devices/{id}", devices::rename, devices::rename_doc),
        at("DELETE", "/v1/devices/{id}", devices::revoke, devices::revoke_doc),
        at("POST", "/v1/tokens", tokens::create, tokens::create_doc),
        at("GET", "/v1/tokens", tokens::list, tokens::list_doc),
        at("DELETE", "/v1/tokens/{id}", tokens::revoke, tokens::revoke_doc),
        at("GET", "/v1/taps", taps::show, taps::show_doc),
        at("POST", "/v1/taps", taps::switch, taps::switch_doc),
        at("POST", "/v1/taps/decide", taps::decide, taps::decide_doc),
        at("POST", "/v1/codes", codes::create, codes::create_doc),
        at("POST", "/v1/connections", connections::create, connections::create_doc),
        at("DELETE", "/v1/connections", connections::delete, connections::delete_doc),
        at("POST", "/v1/agents", agents::announce, agents::announce_doc),
        at("POST", "/v1/hook", hook::hear, hook::hear_doc),
        at("POST", "/v1/hook/leave", hook::bye, hook::bye_doc),
        at("GET", "/v1/hook/parked", hook::parked, hook::parked_doc),
        at("GET", "/v1/away", away::show, away::show_doc),
        at("POST", "/v1/away", away::set, away::set_doc),
        at("GET", "/v1/cluster", cluster::show, cluster::show_doc),
        at("POST", "/v1/cluster/nodes/{id}/forget", cluster::forget, cluster::forget_doc),
        at("GET", "/v1/rules", rules::show, rules::show_doc),
        at("GET", "/v1/channels", channels::list, channels::list_doc),
        at("POST", "/v1/channels", channels::add, channels::add_doc),
        at("DELETE", "/v1/channels/{id}", channels::remove, channels::remove_doc),
        at("POST", "/v1/channels/{id}", channel::change, channel::change_doc),
        at("POST", "/v1/channels/{id}/test", channel::test, channel::test_doc),
        at("GET", "/v1/rings", rings::list, rings::list_doc),
        at("GET", "/v1/web-push", rings::push_key, rings::push_key_doc),
        at("POST", "/v1/tickets", rings::use_ticket, rings::use_ticket_doc),
        at("GET", "/v1/rules/remembered", remembered::list, remembered::list_doc),
        at("POST", "/v1/rules/remembered", remembered::create, remembered::create_doc),
        at("DELETE", "/v1/rules/remembered/{id}", remembered::revoke, remembered::revoke_doc),
        at("GET", "/healthz", health::show, health::show_doc),
        at("GET", "/readyz", ready::show, ready::show_doc),
        at("GET", "/metrics", metrics::show, metrics::show_doc),
    ]
}

async fn wrong_method(request: Request) -> Trouble {
    Trouble::new(405, "wrong_method", format!("{} is not possible at {}", request.method(), request.uri().path()))
}
