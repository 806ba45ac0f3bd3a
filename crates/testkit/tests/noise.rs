//! No peer panics, on any input in any order.

use askbridge_core::ids::Timestamp;
use askbridge_peers::consult::OccurrenceKinds;
use askbridge_peers::doors::claude::{self, AlwaysAsk, Begin, Carry, Claude, Process};
use askbridge_peers::doors::mcp::Patience;
use askbridge_peers::listing::{Choices, Greeting, Hello, LISTING, Listing, Route, RouteKind, Sees};
use askbridge_peers::peer::{Cx, Frame, Outbox, Peer, Req, Tag};
use askbridge_peers::wish::{CallerName, Receipt};
use askbridge_testkit::asks;
use askbridge_testkit::events::{ABOUT_ASKS, ABOUT_SESSIONS};
use askbridge_testkit::transcript::{Counted, rejection, told};
use proptest::collection::vec;
use proptest::prelude::*;

/// One thing that can happen to a peer.
#[derive(Debug, Clone)]
enum Noise {
    Text(String),
    Post(Vec<u8>),
    Tell(String),
    Granted(u64),
    Refused(u64, &'static str),
    Wake,
    Close(u16),
}

/// Valid frames of all dialects, to be cut and joined.
const FRAMES: &[&str] = &[
    r#"{"type":"hello","token":"ab"}"#,
    r#"{"type":"answer","tag":1,"ask":"ask_00000000000000000000000007_1","answers":{"Which database?":"Postgres"}}"#,
    r#"{"type":"draft","tag":2,"ask":"ask_00000000000000000000000007_1","draft":null}"#,
    r#"{"type":"extend","tag":3,"ask":"ask_00000000000000000000000007_1","seconds":1e308}"#,
    r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"call_single"}}"#,
    r#"{"type":"control_request","request_id":"r2","request":{"subtype":"hook_callback","input":{"hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Which database?"}]},"tool_use_id":"call_warm"}}}"#,
    r#"{"type":"control_cancel_request","request_id":"r1"}"#,
    r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"call_warm","content":"x"}]}}"#,
    r#"{"type":"result","deferred_tool_use":{"id":"call_warm"}}"#,
    r#"{"type":"command_lifecycle","command_uuid":"9e3779b9-7f4a-4c15-b39c-c0605cedc83c","state":"started"}"#,
    r#"{"type":"user_message","data":{"message":"hi"}}"#,
    r#"{"type":"ask_user_response","data":{"question_id":"q_9e3779b97f4a7c15f39cc0605cedc83c","answers":{"Which database?":"SQLite"}}}"#,
    r#"{"type":"question_answer","tool_use_id":"call_single","answers":{"0":"1","1":"0,2","2":"other:Bob"}}"#,
    r#"{"type":"ask_user_response","conversation_id":"00000000-0000-0000-0000-000000000007","answers":{"Which database?":"SQLite"}}"#,
    r#"{"type":"chat_message","content":"hi","conversation_id":"x","request_id":"r1"}"#,
];

const CODES: &[&str] = &["already_decided", "answer_does_not_fit", "unauthorized", "down", "too_fast"];

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        "[a-zü\\\\\"]{0,8}".prop_map(|text| serde_json::Value::from(text).to_string()),
    ];
    let keys =
        prop::sample::select(vec!["type", "op", "tag", "ask", "answers", "body", "answer", "in", "to", "letter"]);
    leaf.prop_recursive(4, 32, 4, move |inner| {
        let pair = (keys.clone(), inner.clone()).prop_map(|(key, value)| format!("\"{key}\":{value}"));
        prop_oneof![
            vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            vec(pair, 0..4).prop_map(|pairs| format!("{{{}}}", pairs.join(","))),
        ]
    })
}

/// A valid frame, or one that is cut and continued with something else.
fn text() -> impl Strategy<Value = String> {
    let good = prop::sample::select(FRAMES).prop_map(str::to_owned);
    let broken = (good.clone(), any::<prop::sample::Index>(), json()).prop_map(|(frame, cut, rest)| {
        let cut = frame.floor_char_boundary(cut.index(frame.len()));
        format!("{}{rest}", &frame[..cut])
    });
    let bytes = vec(any::<u8>(), 0..64).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    prop_oneof![3 => good, 2 => broken, 2 => json(), 1 => bytes]
}

fn tell() -> impl Strategy<Value = String> {
    let ask = || prop::sample::select(asks::NAMES);
    let about_ask = (prop::sample::select(ABOUT_ASKS), ask()).prop_map(|(event, ask)| format!("{event} {ask}"));
    let about_session = prop::sample::select(ABOUT_SESSIONS).prop_map(str::to_owned);
    let snapshot = vec(ask(), 0..4).prop_map(|asks| format!("snapshot {}", asks.join(" ")));
    let draft = ask().prop_map(|ask| format!("draft {ask} not json"));
    let delta =
        (0..3_u32, 0..9_usize, "[aü]{0,5}").prop_map(|(block, at, text)| format!("delta {block} {at} {text:?}"));
    prop_oneof![about_ask, about_session, snapshot, draft, delta, Just("lagged".to_owned())]
}

fn tag() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..12_u64, 1 => Just(u64::MAX), 1 => any::<u64>()]
}

fn noise() -> impl Strategy<Value = Noise> {
    prop_oneof![
        4 => text().prop_map(Noise::Text),
        2 => text().prop_map(|text| Noise::Post(text.into_bytes())),
        1 => vec(any::<u8>(), 0..64).prop_map(Noise::Post),
        4 => tell().prop_map(Noise::Tell),
        2 => tag().prop_map(Noise::Granted),
        1 => (tag(), prop::sample::select(CODES)).prop_map(|(tag, code)| Noise::Refused(tag, code)),
        1 => Just(Noise::Wake),
        1 => any::<u16>().prop_map(Noise::Close),
    ]
}

fn receipt() -> Receipt {
    let ask = asks::ask("single").expect("it is a sample");
    let caller = Some(CallerName { name: "ada".to_owned(), role: "person" });
    Receipt { ask: Some(ask.id), session: Some(ask.id.session), news: true, caller, ..Receipt::default() }
}

fn make(peer: &mut dyn Peer, listing: &Listing, noise: &Noise, cx: &mut Cx<'_>) {
    let (method, path) = listing.routes.first().map_or(("GET", "/"), |route| (route.method, route.path));
    let (method, path) = match (noise, listing.routes.iter().find(|route| route.method == "POST")) {
        (Noise::Post(_), Some(route)) => (route.method, route.path),
        _ => (method, path),
    };
    // Refusing a garbled frame is fine too.
    match noise {
        Noise::Text(text) => drop(peer.hear(Frame::Text(text.into()), cx)),
        Noise::Post(body) => {
            drop(peer.hear(Frame::Request(Req { method, path, query: "", headers: &[], body }), cx));
        }
        Noise::Tell(text) => {
            if let Ok(told) = told(text, 1) {
                peer.tell(&told.borrow(), cx);
            }
        }
        Noise::Granted(tag) => peer.reply(Tag(*tag), Ok(receipt()), cx),
        Noise::Refused(tag, code) => peer.reply(Tag(*tag), Err(rejection(code).expect("it is a sample")), cx),
        Noise::Wake => drop(peer.wake(cx)),
        Noise::Close(code) => drop(peer.hear(Frame::Close(*code, "gone".into()), cx)),
    }
}

/// The machine of Claude Code, as if it were on a socket.
const CLAUDE: Listing = Listing {
    routes: &[Route { method: "GET", path: "/claude", kind: RouteKind::Socket }],
    greet: Some(|_| {
        let (session, carry) = (asks::SESSION, Carry::default());
        let begin = Begin {
            session,
            process: Process::Resumed,
            carry,
            interactive: true,
            hold_max: None,
            denied_wait: std::time::Duration::from_secs(60),
            always: AlwaysAsk::default(),
            consulted: OccurrenceKinds::ALL.into_iter().collect(),
        };
        Greeting::Open(Box::new(Claude::new(begin)))
    }),
    ..claude::LISTING
};

proptest! {
    #[test]
    fn no_language_panics_at_noise(all in vec(noise(), 1..40), known in any::<bool>()) {
        for listing in LISTING.iter().chain([&CLAUDE]) {
            let Some(greet) = listing.greet else { continue };
            let path = listing.routes.first().map_or("", |route| route.path);
            let path = path.replace("{session}", "00000000-0000-0000-0000-000000000007");
            let hello = Hello { path: &path, query: "token=ab", caller: known.then_some("ada"), sees: Sees(&|_| true), choices: Choices::default(), patience: &Patience::default() };
            let Greeting::Open(mut peer) = greet(&hello) else { continue };
            let (mut out, mut ids) = (Outbox::default(), Counted::default());
            let mut cx = Cx { now: Timestamp(0), ids: &mut ids, out: &mut out };
            for noise in &all {
                make(&mut *peer, listing, noise, &mut cx);
            }
            // Text frames are only sent where there is a socket.
            prop_assert!(listing.routes.iter().any(|route| route.kind == RouteKind::Socket)
                || out.frames.iter().all(|frame| !matches!(frame, Frame::Text(_))));
            for frame in &out.frames {
                if let Frame::Text(text) = frame {
                    prop_assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{text}");
                }
            }
        }
    }
}
