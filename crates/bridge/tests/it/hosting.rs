//! Agents live on hosts: nodes that share a journal on a real NATS server, each with agents of its own.
//!
//! The agents are the double of Claude Code, started by the real launcher: this test program becomes it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use askbridge_bridge::auth::ProcessId;
use askbridge_bridge::cluster::NodeProfile;
use askbridge_bridge::hosts::{HostOptions, become_agent, running_agents};
use askbridge_core::event::Event;
use askbridge_core::ids::NodeId;
use askbridge_core::ids::{SessionId, StableNodeId};
use askbridge_core::intent::{Intent, Takeover};
use askbridge_journal::journal::Journal;
use askbridge_scripted::claude::{ScratchHome, places};
use askbridge_scripted::model::{Model, Script, ask, on_any_result, on_user, text, tool};
use serde_json::{Value, json};

use crate::kit::{House, PATIENCE};
use crate::nats::{Server, binary};

/// The name of the test that is the launcher.
const LAUNCHER: &str = "hosting::the_launcher_becomes_the_agent_and_leaves_its_process_id";

#[test]
fn the_launcher_becomes_the_agent_and_leaves_its_process_id() {
    let arguments: Vec<OsString> = std::env::args_os().skip_while(|argument| argument != "--").skip(1).collect();
    if !arguments.is_empty() {
        panic!("could not become an agent: {}", become_agent(&arguments));
    }
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("agent");
    assert!(Command::new("mkfifo").arg(prefix.with_extension("in")).status().unwrap().success());
    std::fs::write(prefix.with_extension("out"), "").unwrap();
    let mut launcher = Command::new(std::env::current_exe().unwrap());
    launcher.args(launcher_arguments()).arg(std::process::id().to_string()).arg(&prefix);
    let mut agent = launcher.args(["/bin/echo", "--said", "by the agent"]).spawn().unwrap();
    let pid = agent.id();
    assert!(agent.wait().unwrap().success());
    let read = |end: &str| std::fs::read_to_string(prefix.with_extension(end)).unwrap();
    assert_eq!(read("out"), "--said by the agent\n");
    assert!(read("pid").starts_with(&format!("{pid} ")));
}

fn launcher_arguments() -> [&'static str; 5] {
    ["--exact", LAUNCHER, "--nocapture", "--test-threads=1", "--"]
}

/// A machine: its id, its folders, its agents' files. Its node is started and stopped.
struct Machine {
    id: StableNodeId,
    name: &'static str,
    labels: Vec<String>,
    scratch: ScratchHome,
    runs: u64,
}

/// A NATS server, a scripted model and machines.
struct Cluster {
    server: Server,
    model: Model,
}

impl Cluster {
    /// `None`: there is no NATS server to be had.
    fn start(script: Script) -> Option<Self> {
        let Some(binary) = binary() else {
            eprintln!("not tried: there is no NATS server; `cargo xtask install` fetches one");
            return None;
        };
        Some(Self { server: Server::start(binary), model: Model::start(script) })
    }

    async fn start_node(&self, machine: &mut Machine) -> House {
        machine.runs += 1;
        let seed = machine.id.0 * 100 + machine.runs;
        let store = self.server.node(seed).await;
        let mut house = House::open_node(store, seed, machine.id, machine.profile()).await;
        house.run_agents(machine.options(&self.model)).await;
        house
    }
}

impl Machine {
    fn new(id: u64, name: &'static str) -> Self {
        Self { id: StableNodeId(id), name, labels: Vec::new(), scratch: ScratchHome::new(), runs: 0 }
    }

    fn folder(&self) -> PathBuf {
        self.scratch.work().canonicalize().unwrap()
    }

    fn agents(&self) -> PathBuf {
        self.scratch.home().join("agents")
    }

    fn profile(&self) -> NodeProfile {
        NodeProfile {
            name: self.name.to_owned(),
            labels: self.labels.clone(),
            roots: vec![self.folder().display().to_string()],
            version: "test".to_owned(),
            address: None,
        }
    }

    fn options(&self, model: &Model) -> HostOptions {
        let environment = self.scratch.env(&model.url()).into_iter().chain([("IS_SANDBOX".to_owned(), "1".to_owned())]);
        let program = std::env::current_exe().unwrap().into_os_string();
        HostOptions {
            folder: self.agents(),
            launcher: [program].into_iter().chain(launcher_arguments().map(OsString::from)).collect(),
            claude: Some(places::fake_claude()),
            environment: environment.map(|(name, value)| (name.into(), value.into())).collect(),
            roots: vec![self.folder()],
            idle: Duration::from_secs(600),
            warm: None,
            hold_max: None,
            denied_wait: Duration::ZERO,
            always_ask: Vec::new(),
            memory_max: None,
            processes_max: 8,
        }
    }

    fn pids(&self) -> Vec<u32> {
        running_agents(&self.agents()).unwrap().iter().map(|agent| agent.pid).collect()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // Agents outlive their node, but not the test.
        for pid in self.pids() {
            let pid = pid.try_into().ok().and_then(rustix::process::Pid::from_raw);
            if let Some(pid) = pid {
                let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
            }
        }
    }
}

fn script() -> Script {
    Script::new()
        .turn(on_any_result(), [text("done")])
        .turn(on_user("which"), [ask("toolu_1", "Which?", ["A", "B"])])
        .turn(on_user("run"), [tool("toolu_2", "Bash", json!({"command": "touch here"}))])
        .turn(on_user(""), [text("hello")])
}

/// Looks again and again, until there is something.
async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = tokio::time::Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE * 3, "waited for {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn shown(house: &House, token: &str, session: &str) -> Value {
    let (status, shown) = house.get(&format!("/v1/sessions/{session}"), token).await;
    assert_eq!(status, 200, "{shown}");
    shown
}

async fn start_in(house: &House, token: &str, wish: Value) -> String {
    let (status, session) = house.post("/v1/sessions", token, &wish).await;
    assert_eq!(status, 201, "{session}");
    session["id"].as_str().unwrap().to_owned()
}

async fn say(house: &House, token: &str, session: &str, words: &str) {
    let (status, said) = house.post(&format!("/v1/sessions/{session}/messages"), token, &json!({"text": words})).await;
    assert_eq!(status, 202, "{said}");
}

async fn open_ask(house: &House, token: &str, session: &str) -> Value {
    let id = until("an open ask", async || {
        shown(house, token, session).await["open_ask_ids"][0].as_str().map(str::to_owned)
    });
    let (_, ask) = house.get(&format!("/v1/asks/{}", id.await), token).await;
    ask
}

async fn delivered(house: &House, token: &str, ask: &str) -> Value {
    until("the proof of delivery", async || {
        let (_, ask) = house.get(&format!("/v1/asks/{ask}"), token).await;
        (!ask["delivered_at"].is_null()).then_some(ask)
    })
    .await
}

/// All decisions and content of a session, as they are shown.
async fn events(house: &House, token: &str, session: &str) -> Vec<Value> {
    let (_, page) = house.get(&format!("/v1/sessions/{session}/events?limit=500"), token).await;
    let entries = page["items"].as_array().unwrap().iter();
    entries.flat_map(|entry| entry["events"].as_array().unwrap().clone()).collect()
}

fn count(events: &[Value], kind: &str) -> usize {
    events.iter().filter(|event| event["type"] == kind).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_asks_on_its_host_and_is_answered_and_spoken_to_on_another_node() {
    let Some(cluster) = Cluster::start(script()) else { return };
    let (mut desk, mut lab) = (Machine::new(1, "desk"), Machine::new(2, "lab"));
    let a = cluster.start_node(&mut desk).await;
    let ada = a.operator("ada").await;
    let b = cluster.start_node(&mut lab).await;

    let session = start_in(&a, &ada, json!({"agent": "claude", "cwd": desk.folder()})).await;
    // Spoken to on B; the process runs on A.
    say(&b, &ada, &session, "which one?").await;
    let ask = open_ask(&b, &ada, &session).await;
    assert_eq!((desk.pids().len(), lab.pids().len()), (1, 0));
    let id = ask["id"].as_str().unwrap();
    let (status, answered) = b.post(&format!("/v1/asks/{id}/answer"), &ada, &json!({"answers": {"Which?": "B"}})).await;
    assert_eq!(status, 200, "{answered}");
    delivered(&b, &ada, id).await;
    assert!(cluster.model.until_result("toolu_1").text.contains('B'));
    let events = events(&b, &ada, &session).await;
    assert_eq!((count(&events, "hosted"), count(&events, "settled")), (1, 1), "{events:#?}");
    let started = events.iter().find(|event| event["type"] == "started").unwrap();
    assert_eq!(started["host"], desk.id.to_string());
    a.close().await;
    b.close().await;
}
