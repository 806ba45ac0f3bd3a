//! Who may call which address, as a table: every address of the API, every kind of caller, own and other sessions.
//!
//! The table is in `rights.txt` beside this file; `BLESS=1 cargo test -p askbridge-bridge --test it rights` rewrites it.
//! Read the difference before you believe it: each status below 400 is a right. The addresses come from the API's own
//! document, so a new one fails here until it has a sample. Wishes over sockets and other systems' languages have a table
//! of their own, in `src/runtime/gate/tests/`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use askbridge_bridge::server::openapi;
use askbridge_core::event::{Audience, Settings};
use askbridge_core::ids::{PersonId, SessionId};
use askbridge_core::intent::{Intent, Start};
use http_body_util::{BodyExt, Full};
use hyper::Response;
use hyper::body::Incoming;
use serde_json::{Value, json};

use crate::kit::House;

const HEAD: &str = "\
Who may call what. Made by the test `rights`; `BLESS=1` rewrites it.

Columns: a client without a token (`none`); a token of an `agent`, a `person`, an `operator`, a `bot`; the `local` token
file; a program on the local `socket`, without a terminal.
Rows: an address, and whose ask, session, device or token it is about: the caller's `own`; `another`'s; a `private` one of
another's, addressed to a person who is not in the table; an `unknown` one. `-`: about none.

A cell is the status, or `tap`: forbidden until a paired device gave a tap. Empty: this caller can have none of its own.
";

const CALLERS: [&str; 7] = ["none", "agent", "person", "operator", "bot", "local", "socket"];

/// A request that succeeds for a caller that may make it. The path names what it is about in braces.
pub(crate) struct Sample {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) body: Value,
}

impl Sample {
    /// What this does to an ask, if it does something to one: the last part of its path.
    pub(crate) fn verb(&self) -> Option<&'static str> {
        self.path.strip_prefix("/v1/asks/{ask}/").filter(|_| self.method != "GET")
    }

    /// Does the reviewed table refuse this to a caller, whatever it is about?
    pub(crate) fn is_refused(&self, caller: &str) -> bool {
        let address = format!("{} {} ", self.method, self.path);
        let column = 66 + 9 * CALLERS.iter().position(|name| *name == caller).expect("a column of the table");
        let mut rows = include_str!("rights.txt").lines().filter(|row| row.starts_with(&address)).peekable();
        assert!(rows.peek().is_some(), "{address}is not in the table");
        let cell = |row: &'static str| row.get(column..).unwrap_or_default().get(..3).unwrap_or_default();
        rows.all(|row| matches!(cell(row), "" | "   " | "403" | "404" | "tap"))
    }

    /// Makes the request, about this path.
    pub(crate) async fn send(&self, house: &House, token: &str, path: &str) -> (u16, Value) {
        let body = if self.body.is_null() { String::new() } else { self.body.to_string() };
        let request = house.request(self.method, path, token).header("content-type", "application/json");
        house.ask_for(request.body(Full::from(body)).expect("a request")).await
    }
}

/// One for every address of the API, or several if its rights depend on the body.
pub(crate) fn samples() -> Vec<Sample> {
    let with = |method, path, body| Sample { method, path, body };
    let get = |path| Sample { method: "GET", path, body: Value::Null };
    vec![
        get("/healthz"),
        get("/metrics"),
        get("/readyz"),
        with("POST", "/v1/agents", json!({})),
        get("/v1/asks"),
        with("POST", "/v1/asks", json!({"question": "Go on?"})),
        get("/v1/asks/{ask}"),
        with("POST", "/v1/asks/{ask}/answer", json!({"answers": {"Go on?": "Yes"}})),
        with("POST", "/v1/asks/{ask}/dismiss", json!({})),
        with("POST", "/v1/asks/{ask}/draft", json!({"half": "written"})),
        with("POST", "/v1/asks/{ask}/extend", json!({"seconds": 60})),
        with("POST", "/v1/asks/{ask}/previews", json!({"question": 0, "option": 0})),
        get("/v1/asks/{ask}/rule"),
        with("POST", "/v1/asks/{ask}/snooze", json!({"seconds": 60})),
        with("POST", "/v1/asks/{ask}/undo", Value::Null),
        with("POST", "/v1/asks/{ask}/withdraw", json!({})),
        get("/v1/away"),
        get("/v1/cluster"),
        with("POST", "/v1/away", json!({"mode": "off"})),
        get("/v1/channels"),
        with("POST", "/v1/channels", json!({"kind": "command", "program": "true"})),
        with("POST", "/v1/channels", json!({"kind": "webhook", "url": "https://hooks.example.org/x"})),
        with("DELETE", "/v1/channels/{channel}", Value::Null),
        with("POST", "/v1/channels/{channel}", json!({"name": "bell"})),
        with("POST", "/v1/channels/{channel}/test", Value::Null),
        get("/v1/cluster"),
        with("POST", "/v1/cluster/nodes/{node}/forget", json!({})),
        with("POST", "/v1/codes", json!({"name": "typed"})),
        with("DELETE", "/v1/connections", Value::Null),
        with("POST", "/v1/connections", json!({"name": "laptop", "token_sha256": "0".repeat(64)})),
        get("/v1/devices"),
        with("POST", "/v1/devices", json!({})),
        with("DELETE", "/v1/devices/{token}", Value::Null),
        with("POST", "/v1/devices/{token}", json!({"device": "kitchen tablet"})),
        get("/v1/events"),
        get("/v1/folders"),
        with("POST", "/v1/hook", json!({"hook_event_name": "Stop", "session_id": "none"})),
        with("POST", "/v1/hook/leave", json!({"hook": "a1"})),
        get("/v1/hook/parked"),
        get("/v1/me"),
        get("/v1/rings"),
        get("/v1/rules"),
        get("/v1/rules/remembered"),
        with("POST", "/v1/rules/remembered", json!({"ask": "ask_00000000000000000000000001_1"})),
        with("DELETE", "/v1/rules/remembered/{rule}", Value::Null),
        with("POST", "/v1/pair", json!({"secret": "wrong"})),
        with("POST", "/v1/pairings", json!({"i_am_a_person": true, "name": "eve", "role": "person"})),
        get("/v1/previews/{preview}"),
        with("POST", "/v1/prune", json!({"older_than_seconds": 86_400, "dry_run": true})),
        get("/v1/sessions"),
        with("POST", "/v1/sessions", json!({"agent": "ci"})),
        with("DELETE", "/v1/sessions/{session}", Value::Null),
        get("/v1/sessions/{session}"),
        with("POST", "/v1/sessions/{session}/close", json!({})),
        with("POST", "/v1/sessions/{session}/configure", json!({"title": "T"})),
        with("POST", "/v1/sessions/{session}/configure", json!({"permission_mode": "plan"})),
        get("/v1/sessions/{session}/events"),
        with("POST", "/v1/sessions/{session}/interrupt", Value::Null),
        with("POST", "/v1/sessions/{session}/messages", json!({"text": "Hurry."})),
        get("/v1/sessions/{session}/workflow"),
        with("POST", "/v1/sessions/{session}/workflow", json!({"name": "own"})),
        with("DELETE", "/v1/sessions/{session}/workflow", Value::Null),
        get("/v1/snoozes"),
        get("/v1/taps"),
        with("POST", "/v1/taps", json!({"on": false})),
        with("POST", "/v1/taps/decide", Value::Null),
        get("/v1/tokens"),
        with("POST", "/v1/tokens", json!({"name": "other"})),
        with("DELETE", "/v1/tokens/{token}", Value::Null),
        with("POST", "/v1/tickets", json!({"ticket": "unknown"})),
        get("/v1/web-push"),
    ]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    None,
    Own,
    Anothers,
    Private,
    Unknown,
}

impl Whose {
    /// Whose things this address can be about.
    fn of(path: &str) -> &'static [Self] {
        match path {
            _ if path.contains("{ask}") || path.contains("{session}") => {
                &[Self::Own, Self::Anothers, Self::Private, Self::Unknown]
            }
            _ if path.contains("{token}") || path.contains("{channel}") => &[Self::Own, Self::Anothers, Self::Unknown],
            _ if path.contains("{preview}") || path.contains("{rule}") => &[Self::Unknown],
            _ => &[Self::None],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "-",
            Self::Own => "own",
            Self::Anothers => "another",
            Self::Private => "private",
            Self::Unknown => "unknown",
        }
    }
}

/// A bridge, a token for each column that has one, and one of another agent.
struct Hall {
    house: House,
    tokens: Vec<Option<String>>,
    another: String,
    _rules: tempfile::TempDir,
}

impl Hall {
    async fn open() -> Self {
        let house = House::open().await;
        let tokens = vec![
            None,
            Some(house.agent("ci").await),
            Some(house.person("ada").await),
            Some(house.operator("ada").await),
            Some(house.bot("nightly").await),
            Some(house.local().await),
            None,
        ];
        let another = house.agent("another").await;
        house.declare_gone().await;
        let rules = tempfile::tempdir().expect("a folder");
        std::fs::write(rules.path().join("own.yaml"), crate::gobby::STEPS).expect("it can be written");
        house.rule_by_gobby(rules.path()).await;
        Self { house, tokens, another, _rules: rules }
    }

    /// Calls an address as one of the callers. Returns the cell of the table.
    async fn call(&self, sample: &Sample, whose: Whose, column: usize) -> String {
        let Some(path) = self.path(sample.path, whose, column).await else { return String::new() };
        let response = self.send(sample.method, &path, &sample.body, column).await;
        let status = response.status().as_u16();
        if status == 403 {
            let body = response.into_body().collect().await.expect("a whole body").to_bytes();
            let problem: Value = serde_json::from_slice(&body).expect("a problem is JSON");
            if problem["code"] == "tap_needed" {
                return "tap".to_owned();
            }
        }
        status.to_string()
    }

    async fn send(&self, method: &str, path: &str, body: &Value, column: usize) -> Response<Incoming> {
        if CALLERS[column] == "socket" {
            return self.house.here_held(method, path, body).await;
        }
        let token = self.tokens[column].as_deref().unwrap_or_default();
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = self.house.request(method, path, token).header("content-type", "application/json");
        self.house.send(request.body(Full::from(body)).expect("a request")).await
    }

    /// Fills the braces of a path. `None` if this caller can have nothing of the kind.
    async fn path(&self, path: &str, whose: Whose, column: usize) -> Option<String> {
        if path.contains("{channel}") {
            return Some(path.replace("{channel}", &self.channel_id(whose, column).await?));
        }
        if path.contains("{token}") {
            return Some(path.replace("{token}", &self.token_id(whose, column).await?));
        }
        let (ask, session) = match whose {
            Whose::None => return Some(path.replace("{node}", crate::kit::GONE_NODE)),
            Whose::Unknown => {
                let unknown = SessionId(1);
                (format!("ask_{}_1", unknown.to_string().trim_start_matches("ses_")), unknown.to_string())
            }
            Whose::Own => self.asked(column, json!({})).await?,
            Whose::Anothers => self.asked_by(&self.another, json!({})).await?,
            Whose::Private => {
                let session = self.private_session(column).await;
                self.asked_by(&self.another, json!({"session": session.to_string()})).await?
            }
        };
        Some(
            path.replace("{ask}", &ask)
                .replace("{session}", &session)
                .replace("{preview}", "pre_unknown")
                .replace("{rule}", "unknown"),
        )
    }

    async fn token_id(&self, whose: Whose, column: usize) -> Option<String> {
        let token = match whose {
            Whose::Own => self.tokens[column].clone()?,
            Whose::Anothers => self.house.person("eve").await,
            _ => return Some("unknown".to_owned()),
        };
        let caller = self.house.app.tokens.caller(&token).expect("the token is known");
        let list = self.house.app.tokens.list();
        let info = list.iter().find(|info| caller.party.as_str().ends_with(info.id.as_str()));
        Some(info.expect("a known token is listed").id.clone())
    }

    /// A channel of this caller, or of another operator. Its command does nothing.
    async fn channel_id(&self, whose: Whose, column: usize) -> Option<String> {
        let (kind, public) =
            (json!({"kind": "command", "program": "true"}), json!({"kind": "webhook", "url": "https://127.0.0.1:1/x"}));
        let token = match whose {
            Whose::Own => self.tokens[column].clone()?,
            Whose::Anothers => self.house.operator("eve").await,
            _ => return Some("ch_unknown".to_owned()),
        };
        let body = if CALLERS[column] == "person" && whose == Whose::Own { public } else { kind };
        let (status, channel) = self.house.post("/v1/channels", &token, &body).await;
        (status == 201).then(|| channel["id"].as_str().expect("a channel has an id").to_owned())
    }

    async fn asked(&self, column: usize, more: Value) -> Option<(String, String)> {
        if CALLERS[column] == "socket" {
            return place(&self.house.here("POST", "/v1/asks", &question(more)).await);
        }
        self.asked_by(self.tokens[column].as_deref()?, more).await
    }

    async fn asked_by(&self, token: &str, more: Value) -> Option<(String, String)> {
        place(&self.house.post("/v1/asks", token, &question(more)).await)
    }

    /// Starts a session of another agent that is addressed to one person.
    async fn private_session(&self, column: usize) -> SessionId {
        let owner = self.house.app.tokens.caller(&self.another).expect("the token is known").party;
        let start = Start {
            door: "http".to_owned(),
            agent: "another".to_owned(),
            owner,
            audience: Audience::Only(vec![PersonId::from("eve")]),
            settings: Settings::default(),
            continues: None,
            host: None,
        };
        let session = SessionId(100 + column as u128);
        self.house.handle.submit(session, vec![Intent::Start(Box::new(start))]).await.expect("it can be started");
        session
    }
}

fn question(more: Value) -> Value {
    let mut body =
        json!({"questions": [{"question": "Go on?", "options": [{"label": "Yes", "preview": "<b>y</b>"}, "No"]}]});
    let fields = more.as_object().expect("fields").clone();
    body.as_object_mut().expect("a body is an object").extend(fields);
    body
}

/// The ask and the session of a response to an ask, if it was granted.
fn place((status, view): &(u16, Value)) -> Option<(String, String)> {
    let text = |name: &str| view[name].as_str().expect("an ask has an id and a session").to_owned();
    (*status == 201).then(|| (text("id"), text("session")))
}

/// Every address of the API's document, with its parameters unnamed.
fn documented() -> BTreeSet<String> {
    let document = openapi();
    let paths = document["paths"].as_object().expect("an OpenAPI document has it").iter();
    let addresses = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("an OpenAPI document has it").keys();
        methods.map(|method| format!("{} {}", method.to_uppercase(), unnamed(path)))
    });
    addresses.collect()
}

fn unnamed(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

#[test]
fn every_address_of_the_api_has_a_sample() {
    let sampled = samples().iter().map(|it| format!("{} {}", it.method, unnamed(it.path))).collect::<BTreeSet<_>>();
    assert_eq!(documented(), sampled, "left: what the document has; right: what is sampled");
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a switch of this test alone")]
async fn the_table_of_who_may_call_what_is_as_it_was_reviewed() {
    let mut text = format!("{HEAD}\n{:56}{:9}", "", "");
    CALLERS.iter().for_each(|name| write!(text, " {name:8}").unwrap());
    text.truncate(text.trim_end().len());
    text.push('\n');
    for sample in samples() {
        for whose in Whose::of(sample.path) {
            // A bridge for each row: rows neither share a rate limit nor see what another row revoked.
            let hall = Hall::open().await;
            let fields = sample.body.as_object().filter(|_| sample.path.ends_with("configure"));
            let field = fields.and_then(|fields| fields.keys().next()).map_or_else(String::new, |it| format!(" {it}"));
            let address = format!("{} {}{field}", sample.method, sample.path);
            let mut line = format!("{address:56}{:9}", whose.name());
            for column in 0..CALLERS.len() {
                write!(line, " {:8}", hall.call(&sample, *whose, column).await).unwrap();
            }
            text.push_str(line.trim_end());
            text.push('\n');
            hall.house.close().await;
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/rights.txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let reviewed = fs::read_to_string(&path).unwrap_or_default();
    let changed: Vec<_> = text.lines().filter(|line| !reviewed.lines().any(|known| known == *line)).collect();
    assert!(
        reviewed == text,
        "who may call what has changed; new lines:\n{}\nif that is right, rewrite {} with `BLESS=1`",
        changed.join("\n"),
        path.display()
    );
}
