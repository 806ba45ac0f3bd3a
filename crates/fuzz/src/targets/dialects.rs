//! Dialects of other systems, at all their addresses. A line of the input is a frame, a body or, after `tell`, an event.

use askbridge_core::ids::Timestamp;
use askbridge_peers::doors::mcp::Patience;
use askbridge_peers::listing::{Choices, Greeting, Hello, LISTING, Listing, Route, RouteKind, Sees, Served};
use askbridge_peers::peer::{Cx, Frame, Outbox, Peer, Req};
use askbridge_peers::wish::{CallerName, Finds, Receipt};
use askbridge_testkit::asks::SESSION;
use askbridge_testkit::transcript::{Counted, told};

const PARTS: &[(&str, &str)] = &[
    ("{session}", "00000000-0000-0000-0000-000000000007"),
    ("{project}", "c047d5dc-8265-49c9-af13-221ecd52f277"),
    ("{*rest}", "anything"),
];

pub(super) fn dialects(bytes: &[u8]) {
    for listing in LISTING.iter().filter(|listing| listing.served != Served::Always) {
        listing.routes.iter().for_each(|route| converse(listing, route, bytes));
    }
}

fn converse(listing: &Listing, route: &Route, bytes: &[u8]) {
    let path = PARTS.iter().fold(route.path.to_owned(), |path, (name, part)| path.replace(name, part));
    let Some(mut peer) = opened(listing, &path, "limit=1&cursor=x") else { return };
    let (mut out, mut ids) = (Outbox::default(), Counted::default());
    let mut cx = Cx { now: Timestamp(0), ids: &mut ids, out: &mut out };
    if route.kind == RouteKind::Socket {
        peer.wake(&mut cx);
    }
    grant(&mut *peer, &mut cx);
    for (place, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(line);
        match (text.strip_prefix("tell ").map(|name| told(name, place)), route.kind) {
            (Some(Ok(told)), _) => peer.tell(&told.borrow(), &mut cx),
            // Refusing a garbled frame is fine too.
            (_, RouteKind::Socket) => drop(peer.hear(Frame::Text(text), &mut cx)),
            _ => {
                let query = std::str::from_utf8(line).unwrap_or_default();
                let request = Req { method: route.method, path: &path, query, headers: &[], body: line };
                drop(peer.hear(Frame::Request(request), &mut cx));
            }
        }
        grant(&mut *peer, &mut cx);
    }
    for frame in &out.frames {
        match frame {
            Frame::Text(text) => assert!(is_json(text.as_bytes()), "not JSON: {text}"),
            Frame::Response(resp) if resp.content_type.starts_with("application/json") => {
                assert!(is_json(&resp.body), "not JSON: {:?}", resp.body);
            }
            _ => {}
        }
    }
}

/// Returns a machine of this dialect whose client has signed in.
pub(super) fn opened(listing: &Listing, path: &str, query: &str) -> Option<Box<dyn Peer>> {
    let (caller, choices, patience) = (Some("ada"), Choices::default(), &Patience::default());
    match (listing.greet?)(&Hello { path, query, caller, sees: Sees(&|_| true), choices, patience }) {
        Greeting::Open(peer) => Some(peer),
        Greeting::Refuse(..) => None,
    }
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(bytes).is_ok()
}

fn grant(peer: &mut dyn Peer, cx: &mut Cx<'_>) {
    // A ruling may lead to another wish, but this must end.
    for _ in 0..4 {
        let wishes = std::mem::take(&mut cx.out.wishes).into_iter().map(|(tag, _)| tag);
        let queries = std::mem::take(&mut cx.out.queries).into_iter().map(|(tag, _)| tag);
        for tag in wishes.chain(queries).collect::<Vec<_>>() {
            let caller = Some(CallerName { name: "ada".to_owned(), role: "person" });
            let finds = Some(Box::new(Finds { folders: vec!["/srv/app".to_owned()], ..Finds::default() }));
            let receipt = Receipt { caller, finds, session: Some(SESSION), news: true, ..Receipt::default() };
            peer.reply(tag, Ok(receipt), cx);
        }
    }
}
