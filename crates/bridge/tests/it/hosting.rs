//! Agents live on hosts: nodes that share a journal on a real NATS server, each with agents of its own.
//!
//! The agents are the double of Claude Code, started by the real launcher: this test program becomes it.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::Clock;
use askbridge_bridge::cluster::{NodeProfile, renew_id_if_gone};
use askbridge_bridge::hosts::{HostOptions, become_agent, running_agents};
use askbridge_core::event::{Event, Lane};
use askbridge_core::ids::{EntryId, Epoch, NodeId, SessionId, StableNodeId};
use askbridge_core::intent::Intent;
use askbridge_journal::journal::{Guard, Journal};
use askbridge_journal::{Digest, Entry, Written};
use askbridge_scripted::claude::{ScratchHome, places};
use askbridge_scripted::model::{self, Model, Script, on_any_result, on_user, text, tool};
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
    seed: u64,
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

    /// Starts the node of a machine, as the binary does.
    async fn start_node(&self, machine: &mut Machine) -> House {
        machine.runs += 1;
        let seed = machine.seed * 100 + machine.runs;
        let store = self.server.node(seed).await;
        let (home, chance) = (machine.scratch.home(), Chance::seeded(seed));
        let id = renew_id_if_gone(&store, home, machine.id, &chance, Clock::System.now()).await;
        machine.id = id.expect("the shelf can be read");
        let mut house = House::open_node(store, seed, machine.id, machine.profile()).await;
        house.run_agents(machine.options(&self.model)).await;
        house
    }
}

impl Machine {
    fn new(id: u64, name: &'static str) -> Self {
        Self { seed: id, id: StableNodeId(id), name, labels: Vec::new(), scratch: ScratchHome::new(), runs: 0 }
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
        .turn(on_user("which"), [model::ask("toolu_1", "Which?", ["A", "B"])])
        .turn(on_user("run"), [tool("toolu_2", "Bash", json!({"command": "touch here"}))])
        .turn(on_user(""), [text("hello")])
}

/// Looks again and again, until what is shown is as wanted.
async fn until(what: &str, mut look: impl AsyncFnMut() -> Value, wanted: impl Fn(&Value) -> bool) -> Value {
    let begun = tokio::time::Instant::now();
    loop {
        let found = look().await;
        if wanted(&found) {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE * 2, "waited for {what}, found {found:#}");
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
    let look = async || shown(house, token, session).await;
    let shown = until("an open ask", look, |shown| !shown["open_ask_ids"][0].is_null()).await;
    ask(house, token, shown["open_ask_ids"][0].as_str().unwrap()).await
}

async fn ask(house: &House, token: &str, id: &str) -> Value {
    let (status, ask) = house.get(&format!("/v1/asks/{id}"), token).await;
    assert_eq!(status, 200, "{ask}");
    ask
}

async fn delivered(house: &House, token: &str, id: &str) -> Value {
    let look = async || {
        let ask = ask(house, token, id).await;
        let events = events(house, token, ask["session"].as_str().unwrap()).await;
        json!({"ask": ask, "events": events})
    };
    until("the proof of delivery", look, |shown| !shown["ask"]["delivered_at"].is_null()).await
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_is_down_is_named_and_delivers_once_when_it_is_back() {
    let Some(cluster) = Cluster::start(script()) else { return };
    let (mut desk, mut lab) = (Machine::new(1, "desk"), Machine::new(2, "lab"));
    let a = cluster.start_node(&mut desk).await;
    let ada = a.operator("ada").await;
    let b = cluster.start_node(&mut lab).await;

    let session = start_in(&a, &ada, json!({"agent": "claude", "cwd": desk.folder()})).await;
    say(&a, &ada, &session, "run it").await;
    let asked = open_ask(&b, &ada, &session).await;
    assert_eq!(asked["host"], json!({"id": desk.id.to_string(), "name": "desk", "state": "up"}));
    a.close().await;
    assert_eq!(desk.pids().len(), 1, "the agent outlives its node");

    // Visible, marked and answerable everywhere.
    let id = asked["id"].as_str().unwrap();
    let down =
        until("the host to be down", async || ask(&b, &ada, id).await, |ask| ask["host"]["state"] == "down").await;
    assert!(down["host"]["since"].is_string() && down["answerable"] == true, "{down}");
    assert_eq!(shown(&b, &ada, &session).await["host"], down["host"]);
    let (_, page) = b.get("/v1/asks", &ada).await;
    assert_eq!(page["items"][0]["host"], down["host"]);
    let (_, page) = b.get("/v1/sessions", &ada).await;
    assert_eq!(page["items"][0]["host"], down["host"]);
    let (status, refused) =
        b.post("/v1/sessions", &ada, &json!({"agent": "claude", "cwd": lab.folder(), "host": "desk"})).await;
    assert_eq!((status, &refused["code"]), (503, &json!("host_down")), "{refused}");
    let (status, answered) = b.post(&format!("/v1/asks/{id}/answer"), &ada, &json!({"decision": "allow"})).await;
    assert_eq!(status, 200, "{answered}");

    let a = cluster.start_node(&mut desk).await;
    delivered(&b, &ada, id).await;
    cluster.model.until_result("toolu_2");
    let look = async || json!(events(&b, &ada, &session).await);
    let all = until("the turn to end", look, |all| count(all.as_array().unwrap(), "turn_ended") == 1).await;
    let all = all.as_array().unwrap();
    let verdicts = all.iter().filter(|event| event["type"] == "delivered" && !event["parcel"]["verdict"].is_null());
    assert_eq!((count(all, "hosted"), count(all, "settled"), verdicts.count()), (2, 1, 1), "{all:#?}");
    let results = cluster.model.heard().iter().filter(|heard| heard.body.to_string().contains("toolu_2")).count();
    assert_eq!(results, 1, "the model heard of the result once");
    a.close().await;
    b.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_starts_on_the_host_that_is_named_or_has_the_folder() {
    let Some(cluster) = Cluster::start(script()) else { return };
    let (mut desk, mut lab) = (Machine::new(1, "desk"), Machine::new(2, "lab"));
    lab.labels = vec!["gpu".to_owned()];
    let a = cluster.start_node(&mut desk).await;
    let ada = a.operator("ada").await;
    let b = cluster.start_node(&mut lab).await;
    // A sees B with its next look at the others.
    let look = async || a.get("/v1/cluster", &ada).await.1;
    until("A to know both", look, |cluster| cluster["nodes"].as_array().unwrap().len() == 2).await;

    for wish in [json!({"host": "lab"}), json!({"host": "gpu"}), json!({"host": lab.id.to_string()}), json!({})] {
        let mut new = json!({"agent": "claude", "cwd": lab.folder()});
        new.as_object_mut().unwrap().extend(wish.as_object().unwrap().clone());
        let session = start_in(&a, &ada, new).await;
        assert_eq!(shown(&a, &ada, &session).await["host"]["name"], "lab", "{wish}");
        say(&a, &ada, &session, "hi").await;
        let look = async || json!(events(&a, &ada, &session).await);
        until("an answer of the agent", look, |all| count(all.as_array().unwrap(), "text") == 1).await;
    }
    assert_eq!((desk.pids().len(), lab.pids().len()), (0, 4));

    let refused = async |new: Value| {
        let (status, problem) = a.post("/v1/sessions", &ada, &new).await;
        (status, problem["code"].as_str().unwrap_or_default().to_owned())
    };
    let agent = |more: Value| {
        let mut new = json!({"agent": "claude"});
        new.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        new
    };
    let nobody = agent(json!({"cwd": lab.folder(), "host": "attic"}));
    assert_eq!(refused(nobody).await, (404, "unknown_node".to_owned()));
    let elsewhere = agent(json!({"cwd": desk.folder(), "host": "lab"}));
    assert_eq!(refused(elsewhere).await, (422, "bad_request".to_owned()), "it has no such folder");
    let script = json!({"agent": "ci", "host": "lab"});
    assert_eq!(refused(script).await, (422, "bad_request".to_owned()), "no node runs a script");
    a.close().await;
    b.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_was_thought_dead_is_refused_and_ends_its_agent() {
    let Some(cluster) = Cluster::start(script()) else { return };
    let (mut desk, mut lab) = (Machine::new(1, "desk"), Machine::new(2, "lab"));
    let a = cluster.start_node(&mut desk).await;
    let ada = a.operator("ada").await;
    let b = cluster.start_node(&mut lab).await;
    let session = start_in(&a, &ada, json!({"agent": "claude", "cwd": desk.folder()})).await;
    say(&a, &ada, &session, "which one?").await;
    let asked = open_ask(&b, &ada, &session).await;
    assert_eq!(desk.pids().len(), 1);

    let forget = format!("/v1/cluster/nodes/{}/forget", desk.id);
    let (status, refused) = b.post(&forget, &ada, &json!({})).await;
    assert_eq!((status, &refused["code"]), (409, &json!("node_up")), "{refused}");
    let (status, forgotten) = b.post(&forget, &ada, &json!({"even_if_up": true})).await;
    assert_eq!((status, &forgotten["sessions"], &forgotten["asks"]), (200, &json!(1), &json!(1)), "{forgotten}");

    // The agent is ended, and what its host says late does not count.
    until("the agent to be ended", async || json!(desk.pids()), |pids| pids == &json!([])).await;
    let id: SessionId = session.parse().unwrap();
    let ask_id = asked["id"].as_str().unwrap().parse().unwrap();
    let late = Intent::Withdraw { ask: ask_id, why: "late".to_owned() }.of_host(Epoch(1));
    let refused = a.handle.submit(id, vec![late]).await.unwrap_err();
    assert_eq!(refused.code(), "stale_epoch");
    let text = |block, text: &str| Written::new(Event::Text { block, text: text.to_owned() });
    let content = |epoch, number, written| Entry {
        id: EntryId(number),
        session: id,
        lane: Lane::Content,
        at: a.handle.now(),
        node: NodeId(7),
        epoch,
        prev: Digest::ZERO,
        events: vec![written],
    };
    let mut phone = b.native(&ada).await;
    for entry in [content(Epoch(1), 71, text(7, "late")), content(Epoch(2), 72, text(8, "in time"))] {
        a.handle.store().append(Arc::new(entry), Guard::Unguarded).await.unwrap();
    }
    let heard = phone.hear_all("what counts", |frame| frame["event"]["text"] == "in time").await;
    assert!(!heard.iter().any(|frame| frame["event"]["text"] == "late"), "{heard:#?}");
    let all = events(&b, &ada, &session).await;
    let texts: Vec<_> = all.iter().filter(|event| event["type"] == "text").map(|event| &event["text"]).collect();
    assert_eq!(texts, ["in time"]);

    // The ask stays answerable; the answer becomes a message.
    let ask_id = asked["id"].as_str().unwrap();
    let stranded = ask(&b, &ada, ask_id).await;
    assert_eq!((&stranded["stranded"], &stranded["host"]["state"]), (&json!(true), &json!("gone")));
    let (status, _) = b.post(&format!("/v1/asks/{ask_id}/answer"), &ada, &json!({"answers": {"Which?": "B"}})).await;
    assert_eq!(status, 200);
    assert_eq!(shown(&b, &ada, &session).await["queued_messages"].as_array().unwrap().len(), 1);
    assert!(desk.pids().is_empty(), "nobody starts it again");

    // Restarted, it is another node.
    a.close().await;
    let before = desk.id;
    let a = cluster.start_node(&mut desk).await;
    assert_ne!(desk.id, before);
    let again = start_in(&a, &ada, json!({"agent": "claude", "cwd": desk.folder()})).await;
    say(&b, &ada, &again, "hi").await;
    let look = async || json!(events(&b, &ada, &again).await);
    until("its agent to answer", look, |all| count(all.as_array().unwrap(), "text") == 1).await;
    a.close().await;
    b.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_was_declared_gone_while_it_was_down_ends_the_agents_that_it_left() {
    let Some(cluster) = Cluster::start(script()) else { return };
    let (mut desk, mut lab) = (Machine::new(1, "desk"), Machine::new(2, "lab"));
    let a = cluster.start_node(&mut desk).await;
    let ada = a.operator("ada").await;
    let b = cluster.start_node(&mut lab).await;
    let session = start_in(&a, &ada, json!({"agent": "claude", "cwd": desk.folder()})).await;
    say(&a, &ada, &session, "run it").await;
    open_ask(&b, &ada, &session).await;
    a.close().await;
    assert_eq!(desk.pids().len(), 1);
    let path = format!("/v1/cluster/nodes/{}/forget", desk.id);
    let (status, forgotten) = b.post(&path, &ada, &json!({"even_if_up": true})).await;
    assert_eq!((status, &forgotten["asks"]), (200, &json!(1)), "{forgotten}");
    // Once more finishes what may have been left, and claims again.
    assert_eq!(b.post(&path, &ada, &json!({})).await.0, 200);
    let unknown = "/v1/cluster/nodes/node_00000000000000ff/forget";
    assert_eq!(b.post(unknown, &ada, &json!({})).await.0, 404);
    let here = format!("/v1/cluster/nodes/{}/forget", lab.id);
    assert_eq!(b.post(&here, &ada, &json!({"even_if_up": true})).await.0, 409);

    let before = desk.id;
    let a = cluster.start_node(&mut desk).await;
    assert_ne!(desk.id, before);
    until("the agent to be ended", async || json!(desk.pids()), |pids| pids == &json!([])).await;
    a.close().await;
    b.close().await;
}
