//! An agent built on the official Python package, of either generation, over either transport.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use askbridge_scripted::claude::places::sdk_python;
use askbridge_scripted::model::Script;
use serde_json::{Value, json};

use crate::house::House;
use crate::http::call_local;

/// The version of the older generation that `cargo xtask install` pins.
const OLD_VERSION: &str = "1.30.0";

/// The package, the protocol revision, and the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientKind {
    OldHttp,
    OldStdio,
    /// The newer package, with a handshake as before.
    HandshakeHttp,
    HandshakeStdio,
    ModernHttp,
    ModernStdio,
}

pub(crate) const EVERY_WAY: [ClientKind; 6] = [
    ClientKind::OldHttp,
    ClientKind::OldStdio,
    ClientKind::HandshakeHttp,
    ClientKind::HandshakeStdio,
    ClientKind::ModernHttp,
    ClientKind::ModernStdio,
];

impl ClientKind {
    pub(crate) fn is_stdio(self) -> bool {
        matches!(self, Self::OldStdio | Self::HandshakeStdio | Self::ModernStdio)
    }

    /// Does it cancel a call when it gives up? The older package does not.
    pub(crate) fn says_when_it_gives_up(self) -> bool {
        !matches!(self, Self::OldHttp | Self::OldStdio)
    }

    /// The number of idle streams that a client keeps open.
    pub(crate) fn listens_on(self) -> usize {
        usize::from(matches!(self, Self::OldHttp | Self::HandshakeHttp))
    }

    pub(crate) fn revision(self) -> &'static str {
        match self {
            Self::ModernHttp | Self::ModernStdio => "2026-07-28",
            _ => "2025-11-25",
        }
    }

    fn python(self) -> PathBuf {
        match self {
            Self::OldHttp | Self::OldStdio => old_python(),
            // It comes with Claude's own SDK.
            _ => sdk_python(),
        }
    }
}

/// The older package: `ASKBRIDGE_TEST_MCP`, or the one in `.tools`.
fn old_python() -> PathBuf {
    installed("ASKBRIDGE_TEST_MCP", &format!("mcp/{OLD_VERSION}/bin/python"))
}

/// Returns the program in a variable, or the one in `.tools`. A missing one fails the test and says what to run.
#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
pub(crate) fn installed(variable: &str, place: &str) -> PathBuf {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let path = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools").join(place));
    assert!(
        path.is_file(),
        "there is nothing at {}; run `cargo xtask install` or `cargo xtask agents`",
        path.display()
    );
    path
}

pub(crate) struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// What it printed when it had connected.
    pub(crate) hello: Value,
}

/// A house without hosted agents; agents connect by themselves.
pub(crate) fn house(settings: &[(&str, &str)]) -> House {
    House::open_with(Script::new(), settings)
}

/// A token for an agent.
pub(crate) fn token(house: &House) -> String {
    let wanted = json!({"name": "robot"});
    let (status, made) = call_local(&house.data().join("run/askbridge.sock"), "POST", "/v1/tokens", &wanted).unwrap();
    assert_eq!(status, 201, "{made}");
    made["token"].as_str().unwrap().to_owned()
}

/// How a client starts `askbridge mcp`.
pub(crate) fn stdio(house: &House) -> Value {
    json!({
        "command": env!("CARGO_BIN_EXE_askbridge"),
        "args": ["mcp"],
        "env": {"ASKBRIDGE_DATA": house.data(), "HOME": house.scratch.home()},
        "cwd": house.scratch.work(),
    })
}

impl Agent {
    #[track_caller]
    pub(crate) fn start(house: &House, way: ClientKind) -> Self {
        let mut wanted = match way.is_stdio() {
            true => stdio(house),
            false => json!({"url": format!("http://{}/mcp", house.address), "token": token(house)}),
        };
        wanted["mode"] = match way {
            ClientKind::ModernHttp | ClientKind::ModernStdio => json!("2026-07-28"),
            _ => json!("legacy"),
        };
        Self::start_with(house, way, &wanted)
    }

    #[track_caller]
    pub(crate) fn start_with(house: &House, way: ClientKind, wanted: &Value) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/clients/agent.py");
        // Without a terminal, in a new session, as an agent is apart from the person.
        let mut python = Command::new("setsid");
        python.arg(way.python()).args(["-I", script, &wanted.to_string()]);
        python.env_clear().envs(house.scratch.env("http://127.0.0.1:9")).current_dir(house.scratch.work());
        let mut child = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut agent = Self { child, stdin, stdout, hello: Value::Null };
        agent.hello = agent.hears();
        agent
    }

    pub(crate) fn calls(&mut self, tool: &str, arguments: &Value) {
        self.asks_for(json!({"tool": tool, "arguments": arguments}));
    }

    pub(crate) fn asks_for(&mut self, call: Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{call}").unwrap();
    }

    /// Waits for the next result.
    #[track_caller]
    pub(crate) fn hears(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("the agent said {line:?}"))
    }

    /// Returns the text of the next result, which must not be an error.
    #[track_caller]
    pub(crate) fn reads(&mut self) -> String {
        let heard = self.hears();
        assert_eq!(heard["is_error"], false, "{heard}");
        heard["text"].as_str().unwrap().to_owned()
    }

    /// Closes its end, as a client does.
    pub(crate) fn leaves(mut self) {
        drop(self.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The question that most of the tests ask.
pub(crate) fn which_database() -> Value {
    let options = json!([{"label": "Postgres", "description": "relational"}, {"label": "SQLite"}]);
    json!({"questions": [{"question": "Which database?", "header": "Database", "options": options}]})
}

/// Waits until exactly this many asks are open.
#[track_caller]
pub(crate) fn open(house: &House, count: usize) -> Vec<Value> {
    house.until(&format!("{count} open asks"), || {
        let found = house.get("/v1/asks?state=open")["items"].as_array().unwrap().clone();
        (found.len() == count).then_some(found)
    })
}

pub(crate) fn answer(house: &House, ask: &Value, label: &str) {
    house.answer(ask["id"].as_str().unwrap(), json!({"answers": {"Which database?": label}}));
}

/// Waits until the outcome was delivered to the agent.
#[track_caller]
pub(crate) fn until_delivered(house: &House, ask: &Value) {
    let id = ask["id"].as_str().unwrap();
    house.until("the proof of delivery", || (!house.ask(id)["delivered_at"].is_null()).then_some(()));
}

/// Waits until no call is held any more: only the clients' idle streams are left.
#[track_caller]
pub(crate) fn until_held(house: &House, streams: usize) {
    let wanted = format!("askbridge_connections{{kind=\"sse\"}} {streams}");
    house.until("calls to be let go", || text(house, "/metrics").lines().any(|line| line == wanted).then_some(()));
}

/// Returns a response of the server that is not JSON.
fn text(house: &House, path: &str) -> String {
    let mut stream = TcpStream::connect(&house.address).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n", house.ada);
    stream.write_all(format!("{head}connection: close\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The ticket in a result.
#[track_caller]
pub(crate) fn ticket(words: &str) -> &str {
    words.split_whitespace().find(|word| word.starts_with("ask_")).unwrap_or_else(|| panic!("no ticket in {words:?}"))
}
