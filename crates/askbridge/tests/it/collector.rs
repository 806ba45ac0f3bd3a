//! A trace collector over HTTP that records what it receives, and validates it strictly against the protocol.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Map, Value, json};

/// How a collector responds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Takes,
    /// Asks to retry in a moment.
    Busy,
    /// Refuses for good.
    Refuses,
    /// Never responds.
    Silent,
}

/// A collector that listens until the test is over.
pub(crate) struct Collector {
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
}

struct State {
    mood: Mood,
    /// The number of complete requests.
    heard: usize,
    spans: Vec<Span>,
    /// All accepted bodies, as they arrived.
    text: String,
}

/// A span, with the fields that tests look at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Span {
    pub(crate) trace: String,
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) link: Option<(String, String)>,
    pub(crate) name: String,
    pub(crate) kind: u64,
    pub(crate) began: u64,
    pub(crate) ended: u64,
    pub(crate) failed: bool,
    pub(crate) attributes: BTreeMap<String, Value>,
}

impl Collector {
    pub(crate) fn start(mood: Mood) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/base", listener.local_addr().unwrap());
        let state = State { mood, heard: 0, spans: Vec::new(), text: String::new() };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            // Connections without a response are kept open, so that the client sees nothing but silence.
            let mut kept = Vec::new();
            for stream in listener.incoming() {
                kept.extend(answer(&shared, stream.unwrap()));
            }
        });
        Self { url, state }
    }

    pub(crate) fn is(&self, mood: Mood) {
        self.state.lock().unwrap().mood = mood;
    }

    pub(crate) fn heard(&self) -> usize {
        self.state.lock().unwrap().heard
    }

    pub(crate) fn text(&self) -> String {
        self.state.lock().unwrap().text.clone()
    }

    /// Returns the spans with this name, in the order in which they arrived.
    pub(crate) fn named(&self, name: &str) -> Vec<Span> {
        let state = self.state.lock().unwrap();
        state.spans.iter().filter(|span| span.name == name).cloned().collect()
    }
}

fn answer(state: &Mutex<State>, stream: TcpStream) -> Option<TcpStream> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    assert_eq!(lines[0], "POST /base/v1/traces HTTP/1.1");
    let header =
        |name: &str| lines.iter().find_map(|line| line.to_ascii_lowercase().strip_prefix(name).map(str::to_owned));
    assert_eq!(header("content-type: ").as_deref(), Some("application/json"));
    let length: usize = header("content-length: ").unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let text = String::from_utf8(body).unwrap();
    let mut state = state.lock().unwrap();
    state.heard += 1;
    let (status, said) = match state.mood {
        Mood::Takes => {
            state.spans.extend(read(&serde_json::from_str(&text).unwrap()));
            state.text.push_str(&text);
            ("200 OK", r#"{"partialSuccess":{}}"#)
        }
        Mood::Busy => ("503 Service Unavailable", "{}"),
        Mood::Refuses => ("400 Bad Request", "{}"),
        Mood::Silent => return Some(reader.into_inner()),
    };
    let mut stream = reader.into_inner();
    // The client may have been stopped meanwhile.
    let _ = write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{said}", said.len());
    None
}

/// Checks an object against the fields it may have; those with `!` are required. A field that is absent has its
/// default; an unknown one is an error to a strict reader.
#[track_caller]
fn fields<'a>(value: &'a Value, allowed: &[&str]) -> &'a Map<String, Value> {
    let object = value.as_object().unwrap_or_else(|| panic!("an object: {value}"));
    for name in object.keys() {
        assert!(allowed.iter().any(|it| it.trim_end_matches('!') == name), "`{name}` in {value}");
    }
    for name in allowed.iter().filter_map(|it| it.strip_suffix('!')) {
        assert!(object.contains_key(name), "no `{name}` in {value}");
    }
    object
}

#[track_caller]
fn hex(value: &Value, digits: usize) -> String {
    let text = value.as_str().unwrap();
    assert!(
        text.len() == digits && text.bytes().all(|it| it.is_ascii_hexdigit() && !it.is_ascii_uppercase()),
        "{text}"
    );
    assert!(text.bytes().any(|it| it != b'0'), "zeros name nothing");
    text.to_owned()
}

/// In the JSON of protobuf, a 64-bit number is a string.
#[track_caller]
fn number(value: &Value) -> u64 {
    value.as_str().unwrap_or_else(|| panic!("a text: {value}")).parse().unwrap()
}

fn attributes(value: &Value) -> BTreeMap<String, Value> {
    let read = value.as_array().unwrap().iter().map(|one| {
        let one = fields(one, &["key!", "value!"]);
        let value = fields(&one["value"], &["stringValue", "intValue"]);
        assert_eq!(value.len(), 1);
        let value = match (value.get("stringValue"), value.get("intValue")) {
            (Some(text), _) => json!(text.as_str().unwrap()),
            (_, Some(count)) => json!(number(count)),
            _ => unreachable!("it has one of them"),
        };
        (one["key"].as_str().unwrap().to_owned(), value)
    });
    let read: Vec<_> = read.collect();
    let kept: BTreeMap<_, _> = read.iter().cloned().collect();
    assert_eq!(kept.len(), read.len(), "every key once: {value}");
    kept
}

fn read(page: &Value) -> Vec<Span> {
    let mut spans = Vec::new();
    for resource in fields(page, &["resourceSpans!"])["resourceSpans"].as_array().unwrap() {
        let resource = fields(resource, &["resource!", "scopeSpans!"]);
        let ours = attributes(&fields(&resource["resource"], &["attributes!"])["attributes"]);
        assert_eq!(ours["service.name"], "askbridge");
        assert_eq!(ours["service.version"], env!("CARGO_PKG_VERSION"));
        assert!(ours["service.instance.id"].is_string());
        for scope in resource["scopeSpans"].as_array().unwrap() {
            let scope = fields(scope, &["scope!", "spans!"]);
            fields(&scope["scope"], &["name!", "version!"]);
            spans.extend(scope["spans"].as_array().unwrap().iter().map(span));
        }
    }
    assert!(!spans.is_empty(), "nothing is not worth a request");
    spans
}

fn span(value: &Value) -> Span {
    let it = fields(
        value,
        &[
            "traceId!",
            "spanId!",
            "parentSpanId",
            "name!",
            "kind!",
            "startTimeUnixNano!",
            "endTimeUnixNano!",
            "attributes!",
            "links",
            "status!",
        ],
    );
    let link = it.get("links").map(|links| {
        let one = fields(&links[0], &["traceId!", "spanId!"]);
        (hex(&one["traceId"], 32), hex(&one["spanId"], 16))
    });
    let status = fields(&it["status"], &["code"]);
    let (began, ended) = (number(&it["startTimeUnixNano"]), number(&it["endTimeUnixNano"]));
    assert!(began <= ended && began > 1_700_000_000_000_000_000, "{value}");
    Span {
        trace: hex(&it["traceId"], 32),
        id: hex(&it["spanId"], 16),
        parent: it.get("parentSpanId").map(|parent| hex(parent, 16)),
        link,
        name: it["name"].as_str().unwrap().to_owned(),
        kind: it["kind"].as_u64().unwrap(),
        began,
        ended,
        failed: status.get("code") == Some(&json!(2)),
        attributes: attributes(&it["attributes"]),
    }
}
