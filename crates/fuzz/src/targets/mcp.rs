//! The MCP door: a line of the input is a header for the next request, a request, an event, or a line on stdin. The
//! syntax is that of transcripts, so that those are its corpus.

use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_peers::doors::mcp::{LISTING, Patience, StdioAction, StdioSession};
use askbridge_peers::listing::{Choices, Greeting, Hello, Sees};
use askbridge_peers::peer::{Cx, Frame, Outbox, Peer, Req};
use askbridge_peers::wish::Receipt;
use askbridge_testkit::asks::ask;
use askbridge_testkit::events::view;
use askbridge_testkit::transcript::{Counted, told};

const PATH: &str = "/mcp";

pub(super) fn mcp(bytes: &[u8]) {
    let mut stdio = StdioSession::new(7, "transport=stdio&folder=%2Fsrv".to_owned());
    let mut peer: Option<Box<dyn Peer>> = None;
    let (mut out, mut ids) = (Outbox::default(), Counted::default());
    let mut cx = Cx { now: Timestamp(0), ids: &mut ids, out: &mut out };
    let mut headers: Vec<(String, String)> = Vec::new();
    for (place, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(line);
        if let Some((name, value)) = text.strip_prefix("header ").and_then(|header| header.split_once(' ')) {
            headers.push((name.to_owned(), value.to_owned()));
        } else if let Some(told) = text.strip_prefix("tell ").and_then(|name| told(name, place).ok()) {
            if let Some(peer) = &mut peer {
                peer.tell(&told.borrow(), &mut cx);
            }
        } else if text == "wake" {
            cx.now = cx.now.plus(Duration::from_secs(20));
            if let Some(peer) = &mut peer {
                peer.wake(&mut cx);
            }
        } else {
            let (method, body) = match text.strip_prefix('<').and_then(|rest| rest.split_once(' ')) {
                Some((method @ ("GET" | "DELETE" | "POST"), rest)) => {
                    (method, rest.split_once(' ').map_or("", |it| it.1))
                }
                _ => ("POST", &*text),
            };
            on_stdin(&mut stdio, body);
            let mut fresh = knock();
            let taken = std::mem::take(&mut headers);
            let taken: Vec<_> = taken.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let request = Req { method, path: PATH, query: "", headers: &taken, body: body.as_bytes() };
            drop(fresh.hear(Frame::Request(request), &mut cx));
            peer = Some(fresh);
        }
        if let Some(peer) = &mut peer {
            grant(&mut **peer, place, &mut cx);
        }
    }
    if let Some(peer) = &mut peer {
        drop(peer.hear(Frame::Close(1000, "".into()), &mut cx));
    }
    for frame in &out.frames {
        match frame {
            Frame::Response(resp) if !resp.open && !resp.body.is_empty() => assert!(is_json(&resp.body), "{resp:?}"),
            Frame::Chunk(chunk) => {
                let data = chunk.strip_prefix(b"event: message\ndata: ").map(|data| data.trim_ascii());
                assert!(data.is_none_or(is_json), "{chunk:?}");
            }
            _ => {}
        }
    }
}

fn knock() -> Box<dyn Peer> {
    let greet = LISTING.greet.expect("the MCP door is a machine");
    let patience = Patience::default();
    let hello = Hello {
        path: PATH,
        query: "",
        caller: Some("ada"),
        sees: Sees(&|_| true),
        choices: Choices::default(),
        patience: &patience,
    };
    match greet(&hello) {
        Greeting::Open(peer) => peer,
        Greeting::Refuse(..) => unreachable!("nobody is turned away before they have spoken"),
    }
}

fn on_stdin(stdio: &mut StdioSession, line: &str) {
    let said = match stdio.hear(line) {
        StdioAction::Say(said) => said,
        StdioAction::Pass(passed) | StdioAction::Tell(passed) => passed.failed("It is down."),
        StdioAction::GivenUp(_) | StdioAction::Nothing => return,
    };
    assert!(is_json(said.as_bytes()) && !said.contains('\n'), "{said}");
}

/// Grants every wish, up to a bound, because a peer may repeat the same one for ever.
fn grant(peer: &mut dyn Peer, place: usize, cx: &mut Cx<'_>) {
    let sample = ask(if place.is_multiple_of(2) { "single" } else { "approval" }).expect("there are samples of these");
    for round in 0..8 {
        let wishes = std::mem::take(&mut cx.out.wishes).into_iter().map(|(tag, _)| tag);
        let queries = std::mem::take(&mut cx.out.queries).into_iter().map(|(tag, _)| tag);
        for tag in wishes.chain(queries).collect::<Vec<_>>() {
            let view = Some(Box::new(view(&sample, &[])));
            let news = !(round + place).is_multiple_of(3);
            let receipt =
                Receipt { session: Some(sample.id.session), ask: Some(sample.id), news, view, ..Receipt::default() };
            peer.reply(tag, Ok(receipt), cx);
        }
    }
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(text).is_ok()
}
