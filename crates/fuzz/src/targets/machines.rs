//! Conversations with the peers' machines: each line of the input is a frame.

use askbridge_core::ids::Timestamp;
use askbridge_peers::listing::{LISTING, Listing};
use askbridge_peers::peer::{Cx, Frame, Outbox, Peer, Req};
use askbridge_peers::wish::{CallerName, Receipt};
use askbridge_testkit::transcript::Counted;

use super::dialects::opened;

pub(super) fn native(bytes: &[u8]) {
    LISTING.iter().for_each(|listing| converse(listing, bytes));
}

/// Talks to every address of a listing.
fn converse(listing: &Listing, bytes: &[u8]) {
    listing.routes.iter().for_each(|route| converse_at(listing, route.path, bytes));
}

/// Sends each line to a peer whose client has signed in, grants every wish, and checks what comes back.
fn converse_at(listing: &Listing, path: &str, bytes: &[u8]) {
    let Some(mut peer) = opened(listing, path, "token=ab") else { return };
    let (mut out, mut ids) = (Outbox::default(), Counted::default());
    let mut cx = Cx { now: Timestamp(0), ids: &mut ids, out: &mut out };
    peer.wake(&mut cx);
    // Refusing the frame is fine too.
    let _ = peer.hear(Frame::Text(r#"{"type":"hello"}"#.into()), &mut cx);
    grant(&mut *peer, &mut cx);
    for line in bytes.split(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let _ = peer.hear(Frame::Text(text), &mut cx);
        for route in listing.routes.iter().filter(|route| route.path == path) {
            let request = Req { method: route.method, path: route.path, query: "", headers: &[], body: line };
            let _ = peer.hear(Frame::Request(request), &mut cx);
        }
        grant(&mut *peer, &mut cx);
    }
    for frame in &out.frames {
        if let Frame::Text(text) = frame {
            assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "not JSON: {text}");
        }
    }
}

fn grant(peer: &mut dyn Peer, cx: &mut Cx<'_>) {
    let wishes = std::mem::take(&mut cx.out.wishes).into_iter().map(|(tag, _)| tag);
    let queries = std::mem::take(&mut cx.out.queries).into_iter().map(|(tag, _)| tag);
    for tag in wishes.chain(queries).collect::<Vec<_>>() {
        let caller = Some(CallerName { name: "ada".to_owned(), role: "agent" });
        peer.reply(tag, Ok(Receipt { caller, ..Receipt::default() }), cx);
    }
}
