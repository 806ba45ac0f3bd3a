//! Request heads: addresses, queries, tokens, `Host` and `Origin`, through the real router.

use std::cell::RefCell;

use askbridge_bridge::auth::Tokens;
use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::{Clock, Manual};
use askbridge_bridge::runtime::{Bridge, Options, Store};
use askbridge_bridge::server::{App, AppOptions, Origins, router};
use askbridge_core::ids::{StableNodeId, Timestamp};
use askbridge_core::terms::Rules;
use askbridge_journal::Memory;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request};
use tokio::runtime::Runtime;
use tower::ServiceExt;

thread_local! {
    static HOUSE: RefCell<(Runtime, Router)> = RefCell::new(open());
}

fn open() -> (Runtime, Router) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime can be had");
    let router = runtime.block_on(async {
        let store = Store::from(Memory::new(7).expect("memory can be had"));
        let (clock, chance) = (Clock::Manual(Manual::new(Timestamp(0))), Chance::seeded(7));
        let options = Options {
            store: store.clone(),
            stable_node: StableNodeId(7),
            clock,
            chance: chance.clone(),
            rules: Rules::default(),
        };
        let handle = Bridge::start(options).await.handle;
        let tokens = Tokens::load(store, chance, handle.now()).await.expect("memory can be read");
        router(App::new(AppOptions {
            handle,
            tokens,
            origins: Origins::default(),
            requests_per_second: 10_000,
            failures_per_minute: 20,
            version: "fuzzed",
        }))
    });
    (runtime, router)
}

/// The lines are method, address, host, origin, authorization, another header's value; the rest is the body.
pub(super) fn heads(bytes: &[u8]) {
    let mut lines = bytes.splitn(7, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (method, address) = (line(), line());
    let mut request = Request::builder().method(method).uri(address);
    for name in ["host", "origin", "authorization", "idempotency-key"] {
        if let Ok(value) = HeaderValue::from_bytes(line())
            && !value.is_empty()
        {
            request = request.header(name, value);
        }
    }
    // The HTTP library refuses invalid requests before our code sees them.
    let Ok(request) = request.body(Body::from(line().to_vec())) else { return };
    HOUSE.with_borrow(|(runtime, router)| {
        let response = runtime.block_on(router.clone().oneshot(request)).expect("a router answers everything");
        let status = response.status().as_u16();
        assert_ne!(status, 500, "the server blames itself");
        assert!(status >= 400 || method != b"POST", "nobody signed in, and yet: {status}");
    });
}
