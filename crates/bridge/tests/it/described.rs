//! Calls every address once in each way it can succeed, and checks the responses and the recorded frames against the
//! documents.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use askbridge_bridge::auth::MachineToken;
use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::{Clock, Manual};
use askbridge_bridge::server::{asyncapi, openapi};
use askbridge_core::ids::Timestamp;
use askbridge_journal::sqlite;
use serde_json::{Value, json};

use crate::kit::{GONE_NODE, House};
use crate::schemas::{check_told, may_be_heard};

/// Successes that were seen, as `operation status`.
#[derive(Default)]
struct Met(BTreeSet<String>);

impl Met {
    /// Records a success. The response was checked against the document when it was read.
    #[track_caller]
    fn note(&mut self, operation: &str, expected: u16, (status, body): (u16, Value)) -> Value {
        assert_eq!(status, expected, "{operation}: {body}");
        self.0.insert(format!("{operation} {status}"));
        body
    }
}

/// The successes that cannot be met here, each with the reason.
const MET_ELSEWHERE: [(&str, &str); 4] = [
    ("useTicket 200", "an ask has to ring: `ringing`"),
    ("health 503", "a server that stops takes no requests"),
    ("ready 503", "the same"),
    ("askForTap 204", "it needs a terminal: `taps` of the binary's tests"),
];

fn bodies() -> [(Value, Value); 4] {
    [
        (
            json!({"questions": [
                {"question": "Which way?", "header": "Way", "options": [{"label": "North", "description": "cold", "preview": "^"}, "South"]},
                {"question": "Which parts?", "options": ["api", "web"], "multiSelect": true},
                "Why?",
            ], "context": {"text": "t", "title": "T", "folder": "/f", "branch": "main"}}),
            json!({"answers": {"Which way?": "North", "Which parts?": {"options": [0, 1], "text": "docs"}, "Why?": null}, "notes": {"Why?": "later"}}),
        ),
        (
            json!({"approval": {"tool": "Bash", "input": {"command": "ls"}, "summary": "s", "reason": "r",
                "rules": [{"label": "always ls", "rule": {"allow": "ls"}}]}}),
            json!({"decision": "allow", "always": 0, "input": {"command": "ls -l"}}),
        ),
        (json!({"plan": "# Do it"}), json!({"decision": "send_back", "words": "smaller steps"})),
        (
            json!({"form": {"message": "Where?", "schema": {"type": "object", "required": ["host"], "properties": {
                "host": {"type": "string", "title": "Host"}, "port": {"type": "integer"}, "tls": {"type": "boolean"},
                "zone": {"type": "string", "enum": ["a", "b"]}}}}}),
            json!({"decision": "accept", "content": {"host": "a.example", "port": 80, "tls": true, "zone": "a"}}),
        ),
    ]
}

/// Makes a request on the local socket that needs a tap, which this person gives.
async fn with_tap(house: &House, person: &str, path: &str, body: &Value) -> (u16, Value) {
    let (status, needed) = house.here("POST", path, body).await;
    assert_eq!((status, &needed["code"]), (403, &json!("tap_needed")), "{needed}");
    let (_, open) = house.get("/v1/asks", person).await;
    let open = open["items"].as_array().expect("a page has items");
    let tap = open.iter().find(|ask| ask["agent"] == "askbridge").expect("a tap is asked for");
    let answer = format!("/v1/asks/{}/answer", tap["id"].as_str().expect("an ask has an id"));
    assert_eq!(house.post(&answer, person, &json!({"decision": "allow"})).await.0, 200);
    house.here("POST", &format!("{path}?wait=30"), body).await
}

#[tokio::test]
async fn every_address_answers_as_the_document_says() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let house = House::open_file(&sqlite::Options::new(folder.path(), 1), Clock::Manual(clock.clone()), 1).await;
    let (agent, ada, local) = (house.agent("ci").await, house.person("ada").await, house.local().await);
    let mut met = Met::default();

    for (body, answer) in bodies() {
        let asked = met.note("ask", 201, house.post("/v1/asks", &agent, &body).await);
        let path = format!("/v1/asks/{}", asked["id"].as_str().unwrap());
        met.note("draft", 204, house.post(&format!("{path}/draft"), &ada, &json!({"half": "written"})).await);
        met.note("extend", 200, house.post(&format!("{path}/extend"), &ada, &json!({"seconds": 60})).await);
        met.note("snooze", 200, house.post(&format!("{path}/snooze"), &ada, &json!({"seconds": 60})).await);
        met.note("listSnoozes", 200, house.get("/v1/snoozes", &ada).await);
        met.note("answer", 200, house.post(&format!("{path}/answer"), &ada, &answer).await);
        met.note("showAsk", 200, house.get(&path, &agent).await);
    }
    let question = |more: Value| {
        let mut body = json!({"question": "Go on?"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let asked = |body: Value| async move { body["id"].as_str().unwrap().to_owned() };
    for _ in 0..2 {
        let (status, body) = house.post_with_key("/v1/asks", &agent, "k", &question(json!({}))).await;
        met.note("ask", status, (status, body));
    }
    let id = asked(house.post("/v1/asks", &agent, &question(json!({"undo_seconds": 30}))).await.1).await;
    met.note(
        "answer",
        200,
        house.post(&format!("/v1/asks/{id}/answer"), &ada, &json!({"answers": {"Go on?": "Yes"}})).await,
    );
    met.note("undo", 200, house.post(&format!("/v1/asks/{id}/undo"), &ada, &json!({})).await);
    met.note("dismiss", 200, house.post(&format!("/v1/asks/{id}/dismiss"), &ada, &json!({"words": "no"})).await);
    let id = asked(house.post("/v1/asks", &agent, &question(json!({}))).await.1).await;
    let taken = house.post(&format!("/v1/asks/{id}/withdraw"), &agent, &json!({"why": "over"})).await;
    let withdrawn = met.note("withdraw", 200, taken);
    let withdrawn = format!("/v1/sessions/{}", withdrawn["session"].as_str().unwrap());

    let assumed = json!({"question": "Go on?", "timeout_seconds": 60, "on_expiry": {"assume": {"Go on?": "Yes"}}});
    let id = asked(house.post("/v1/asks", &agent, &assumed).await.1).await;
    clock.advance(Duration::from_secs(61));
    let expired = met.note("showAsk", 200, house.get(&format!("/v1/asks/{id}?wait=10"), &agent).await);
    assert_eq!(expired["verdict"]["assume"], json!({"Go on?": "Yes"}));
    met.note(
        "answer",
        202,
        house.post(&format!("/v1/asks/{id}/answer"), &ada, &json!({"answers": {"Go on?": "No"}})).await,
    );
    met.note("listAsks", 200, house.get("/v1/asks?state=all", &ada).await);

    let body =
        json!({"agent": "ci", "title": "T", "folder": "/f", "branch": "b", "messages": "hold", "parallel": true});
    let session = met.note("startSession", 201, house.post("/v1/sessions", &agent, &body).await);
    let path = format!("/v1/sessions/{}", session["id"].as_str().unwrap());
    met.note("showSession", 200, house.get(&path, &agent).await);
    met.note("say", 202, house.post(&format!("{path}/messages"), &ada, &json!({"text": "Hurry."})).await);
    met.note("interrupt", 202, house.post(&format!("{path}/interrupt"), &ada, &json!({})).await);
    met.note("configure", 200, house.post(&format!("{path}/configure"), &agent, &json!({"title": "U"})).await);
    met.note("showWorkflow", 200, house.get(&format!("{path}/workflow"), &agent).await);
    let rules = tempfile::tempdir().unwrap();
    fs::write(rules.path().join("own.yaml"), crate::gobby::STEPS).unwrap();
    house.rule_by_gobby(rules.path()).await;
    let own = json!({"name": "own", "variables": {"may_edit": true}});
    let begun = house.post(&format!("{path}/workflow"), &local, &own).await;
    assert_eq!(met.note("startWorkflow", 200, begun)["workflow"]["step"], "look");
    met.note("showSession", 200, house.get(&path, &agent).await);
    met.note("endWorkflow", 200, house.delete(&format!("{path}/workflow"), &local).await);
    met.note("closeSession", 200, house.post(&format!("{path}/close"), &agent, &json!({"why": "done"})).await);
    met.note("listSessions", 200, house.get("/v1/sessions", &ada).await);
    let (_, listed) = house.get("/v1/sessions?limit=500", &ada).await;
    for session in listed["items"].as_array().unwrap() {
        let path = format!("/v1/sessions/{}/events", session["id"].as_str().unwrap());
        met.note("listEvents", 200, house.get(&path, &ada).await);
    }

    let operator = house.operator("bob").await;
    met.note("deleteSession", 200, house.delete(&withdrawn, &operator).await);
    let old = json!({"older_than_seconds": 86_400, "larger_than_bytes": 1_000_000, "dry_run": true});
    met.note("prune", 200, house.post("/v1/prune", &operator, &old).await);

    met.note("listFolders", 200, house.get("/v1/folders", &operator).await);

    let link = met.note("linkDevice", 201, house.post("/v1/devices", &ada, &json!({})).await);
    met.note("pair", 201, house.post("/v1/pair", "", &json!({"secret": link["secret"]})).await);
    let devices = met.note("listDevices", 200, house.get("/v1/devices", &ada).await);
    let other = devices["items"].as_array().unwrap().iter().find(|device| device["current"] == json!(false)).unwrap();
    let path = format!("/v1/devices/{}", other["id"].as_str().unwrap());
    met.note("renameDevice", 200, house.post(&path, &ada, &json!({"device": "kitchen tablet"})).await);
    met.note("revokeDevice", 200, house.delete(&path, &ada).await);
    let drawn = json!({"questions": [{"question": "Q", "options": [{"label": "a", "preview": "<b>a</b>"}, "b"]}]});
    let id = asked(house.post("/v1/asks", &agent, &drawn).await.1).await;
    let wanted = json!({"question": 0, "option": 0});
    let made = met.note("makePreview", 201, house.post(&format!("/v1/asks/{id}/previews"), &ada, &wanted).await);
    house.headers(made["address"].as_str().unwrap()).await;
    met.0.insert("showPreview 200".to_owned());

    met.note("me", 200, house.get("/v1/me", &ada).await);
    let made = met.note("makeToken", 201, house.post("/v1/tokens", &local, &json!({"name": "other"})).await);
    met.note("makeCode", 201, house.post("/v1/codes", &local, &json!({"name": "typed"})).await);
    met.note("listTokens", 200, house.get("/v1/tokens", &local).await);
    let path = format!("/v1/tokens/{}", made["id"].as_str().unwrap());
    met.note("revokeToken", 200, house.delete(&path, &local).await);
    let person = json!({"i_am_a_person": true, "name": "bob", "role": "person"});
    let link = met.note("makePairing", 201, with_tap(&house, &operator, "/v1/pairings", &person).await);
    met.note("pair", 201, house.post("/v1/pair", "", &json!({"secret": link["secret"], "device": "phone"})).await);
    let person = json!({"i_am_a_person": true, "role": "person", "token": true});
    met.note("makePairing", 201, with_tap(&house, &operator, "/v1/pairings", &person).await);
    let machine = MachineToken::fresh(&Chance::seeded(3));
    let wanted = json!({"name": "laptop", "token_sha256": machine.digest});
    assert_eq!(house.post("/v1/connections", "", &wanted).await.1["code"], "tap_needed");
    let taps = house.get("/v1/asks", &operator).await.1;
    let tap = taps["items"].as_array().unwrap().iter().find(|ask| ask["agent"] == "askbridge").unwrap().clone();
    let path = format!("/v1/asks/{}/answer", tap["id"].as_str().unwrap());
    assert_eq!(house.post(&path, &operator, &json!({"decision": "allow"})).await.0, 200);
    met.note("connectMachine", 201, house.post("/v1/connections?wait=30", "", &wanted).await);
    met.note("leaveHook", 204, house.post("/v1/hook/leave", machine.token.reveal(), &json!({"hook": "a1"})).await);
    met.note("disconnectMachine", 204, house.delete("/v1/connections", machine.token.reveal()).await);
    met.note("switchTaps", 200, with_tap(&house, &operator, "/v1/taps", &json!({"on": false})).await);
    met.note("showTaps", 200, house.get("/v1/taps", &local).await);
    met.note("announceAgent", 204, house.here("POST", "/v1/agents", &json!({})).await);
    let event = json!({"hook_event_name": "Stop", "session_id": "none"});
    met.note("hook", 200, house.post("/v1/hook", &agent, &event).await);
    met.note("listParkedRuns", 200, house.get("/v1/hook/parked", &local).await);
    met.note("setAway", 200, house.post("/v1/away", &local, &json!({"mode": "off"})).await);
    met.note("showAway", 200, house.get("/v1/away", &local).await);
    met.note("showCluster", 200, house.get("/v1/cluster", &local).await);
    house.declare_gone().await;
    let forget = format!("/v1/cluster/nodes/{GONE_NODE}/forget");
    met.note("forgetNode", 200, house.post(&forget, &operator, &json!({})).await);
    met.note("showRules", 200, house.get("/v1/rules", &local).await);
    let command = json!({"kind": "command", "program": "true", "name": "bell", "quiet": "22:00-07:00"});
    let channel = met.note("addChannel", 201, house.post("/v1/channels", &operator, &command).await);
    met.note("listChannels", 200, house.get("/v1/channels", &operator).await);
    let path = format!("/v1/channels/{}", channel["id"].as_str().unwrap());
    met.note("changeChannel", 200, house.post(&path, &operator, &json!({"tells": []})).await);
    met.note("testChannel", 200, house.post(&format!("{path}/test"), &operator, &json!({})).await);
    met.note("removeChannel", 200, house.delete(&path, &operator).await);
    met.note("listRings", 200, house.get("/v1/rings", &operator).await);
    met.note("webPushKey", 200, house.get("/v1/web-push", &operator).await);
    let call = json!({"approval": {"tool": "Bash", "input": {"command": "make"}}});
    let id = asked(house.post("/v1/asks", &agent, &call).await.1).await;
    let mut wanted = json!({"ask": id, "for": "everywhere", "dry_run": true});
    met.note("remember", 200, house.post("/v1/rules/remembered", &operator, &wanted).await);
    wanted["dry_run"] = json!(false);
    let made = met.note("remember", 201, house.post("/v1/rules/remembered", &operator, &wanted).await);
    met.note("offeredRule", 200, house.get(&format!("/v1/asks/{id}/rule"), &operator).await);
    met.note("listRemembered", 200, house.get("/v1/rules/remembered", &operator).await);
    let path = format!("/v1/rules/remembered/{}", made["id"].as_str().unwrap());
    met.note("revokeRemembered", 200, house.delete(&path, &operator).await);
    met.note("health", 200, house.get("/healthz", "").await);
    met.note("ready", 200, house.get("/readyz", "").await);

    house.headers("/metrics").await;
    met.0.insert("metrics 200".to_owned());
    // A stream does not end, so only its beginning is read.
    let mut stream = house.events(&ada).await;
    check_told(&stream.hear("snapshot").await);
    met.0.insert("follow 200".to_owned());
    drop(stream);
    met.0.extend(MET_ELSEWHERE.map(|(success, _)| success.to_owned()));
    house.close().await;
    assert_eq!(promised(), met.0, "left: what is promised; right: what was met");
}

/// Returns every success that the document promises.
fn promised() -> BTreeSet<String> {
    let document = openapi();
    let paths = document["paths"].as_object().expect("an OpenAPI document has it").values();
    let operations = paths.flat_map(|methods| methods.as_object().expect("an OpenAPI document has it").values());
    let successes = operations.flat_map(|operation| {
        let name = operation["operationId"].as_str().expect("an OpenAPI document has it");
        let responses = operation["responses"].as_object().expect("an OpenAPI document has it").iter();
        let well = responses.filter(|(_, response)| response.get("x-codes").is_none());
        well.map(move |(status, _)| format!("{name} {status}"))
    });
    successes.collect()
}

#[test]
fn the_frames_of_every_transcript_are_as_the_document_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers/src/dialects/native/transcripts");
    let (mut told, mut heard) = (BTreeSet::new(), BTreeSet::new());
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let lines: Vec<_> = text.lines().collect();
        for (place, line) in lines.iter().enumerate() {
            if let Some(frame) = line.strip_prefix("> ").and_then(|frame| serde_json::from_str::<Value>(frame).ok()) {
                check_told(&frame);
                told.extend([frame["type"].to_string(), frame["event"]["type"].to_string()]);
            }
            let Some(frame) = line.strip_prefix("< ").and_then(|frame| serde_json::from_str::<Value>(frame).ok())
            else {
                continue;
            };
            heard.insert(frame["type"].to_string());
            // What the document forbids was refused, or the connection was closed.
            let after = lines[place + 1..].iter().take_while(|line| !line.starts_with("< "));
            let refused = after
                .clone()
                .any(|line| line.contains(r#""ok":false"#) || !line.starts_with(['>', '#']) && line.contains("close"))
                || after.clone().any(|line| line.contains("garbled") || line.contains("hang up"));
            assert!(may_be_heard(&frame) || refused, "{line} was taken, and is not as described");
        }
    }
    for (name, frame) in asyncapi()["components"]["messages"].as_object().expect("an AsyncAPI document has it") {
        let seen = if name.starts_with("client_") { &heard } else { &told };
        assert!(seen.contains(&frame["name"].to_string()), "no transcript has {name}");
    }
    for kind in ["asked", "settled"] {
        assert!(told.contains(&format!("{kind:?}")), "no transcript tells {kind}");
    }
}

#[test]
fn every_tag_of_the_document_is_described_and_used() {
    let document = openapi();
    let listed = document["tags"].as_array().expect("an OpenAPI document has it").iter().map(|tag| &tag["name"]);
    let listed: BTreeSet<_> = listed.map(ToString::to_string).collect();
    let paths = document["paths"].as_object().expect("an OpenAPI document has it").values();
    let operations = paths.flat_map(|methods| methods.as_object().expect("an OpenAPI document has it").values());
    let used: BTreeSet<_> = operations.map(|operation| operation["tags"][0].to_string()).collect();
    assert_eq!(listed, used, "left: what is described; right: what is used");
}

#[tokio::test]
async fn the_documents_and_pages_are_served_to_anybody_under_a_strict_policy() {
    let house = House::open().await;
    for path in ["/docs/api", "/docs/api.js", "/docs/api.css", "/docs/errors", "/docs/errors/already_decided"] {
        let headers = house.headers(path).await;
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
    }
    let (status, document) = house.get("/v1/openapi.json", "").await;
    assert_eq!((status, &document), (200, &openapi()));
    assert_eq!(house.get("/v1/asyncapi.json", "").await.1["asyncapi"], "3.0.0");
    assert_eq!(house.get("/docs/errors/nonsense", "").await.0, 404);
    // The link in a problem leads to a page.
    let (_, problem) = house.get("/v1/asks", "ab_wrong").await;
    assert_eq!(problem["type"], "/docs/errors/unauthorized");
    house.headers(problem["type"].as_str().unwrap()).await;
    house.close().await;
}
