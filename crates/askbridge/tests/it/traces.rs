//! What a trace collector receives, and what tracing costs when it does not respond.

use std::fs;

use serde_json::{Value, json};

use crate::bridge::{Running, TestBridge};
use crate::collector::{Collector, Mood};
use crate::patience::until;
use crate::wire::bearer;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

fn serve(bridge: &TestBridge, url: &str) -> Running {
    let server = bridge.spawn(&["serve", "--listen", "127.0.0.1:0", "--otel-endpoint", url]);
    server.prints("http://");
    server
}

fn stop(server: Running) {
    server.interrupt();
    let ran = server.ended();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

fn question() -> Value {
    json!({"questions": [{"question": "Shall the pelican fly?", "options": ["Yes, walrus", "No"]}]})
}

fn token(bridge: &TestBridge) -> String {
    bearer(fs::read_to_string(bridge.data().join("token")).unwrap().trim())
}

/// Makes a request that belongs to a trace of another program.
fn traced(bridge: &TestBridge, flags: &str) -> String {
    format!("{}traceparent: 00-{TRACE}-{PARENT}-{flags}\r\n", token(bridge))
}

fn metric(bridge: &TestBridge, name: &str) -> f64 {
    bridge.get("/metrics", "").metric(name)
}

#[test]
fn a_request_goes_on_with_the_trace_it_came_with_and_its_ask_is_a_part_of_it() {
    let (bridge, collector) = (TestBridge::stopped(), Collector::start(Mood::Takes));
    let server = serve(&bridge, &collector.url);
    let asked = bridge.send("POST", "/v1/asks?wait=0", &traced(&bridge, "01"), &question().to_string());
    assert_eq!(asked.status, 201, "{asked:?}");
    let id = asked.json()["id"].as_str().unwrap().to_owned();
    let person = bridge.person();
    let body = json!({"answers": {"Shall the pelican fly?": "only over marmosets"}}).to_string();
    assert_eq!(bridge.send("POST", &format!("/v1/asks/{id}/answer"), &bearer(&person), &body).status, 200);
    assert_eq!(bridge.get("/v1/asks/nonsense?token=ab_hidden", &bearer(&person)).status, 404);
    assert_eq!(bridge.get("/v1/nothing/secretwombat", "").status, 404);
    assert_eq!(bridge.get("/v1/previews/pre_secretdugong", "").status, 404);
    stop(server);

    let one = |name: &str| {
        let found = collector.named(name);
        assert_eq!(found.len(), 1, "{name} in {}", collector.text());
        found.into_iter().next().unwrap()
    };
    let asking = one("POST /v1/asks");
    assert_eq!((asking.trace.as_str(), asking.parent.as_deref()), (TRACE, Some(PARENT)));
    assert_eq!((asking.kind, asking.failed, &asking.link), (2, false, &None));
    let expected = json!({
        "http.request.method": "POST",
        "http.response.status_code": 201,
        "http.route": "/v1/asks",
        "network.protocol.version": "1.1",
        "url.path": "/v1/asks",
        "url.scheme": "http",
    });
    assert_eq!(json!(asking.attributes), expected);

    let answering = one("POST /v1/asks/{id}/answer");
    assert_eq!(answering.parent, None);
    assert_ne!(answering.trace, TRACE);
    assert_eq!(answering.attributes["url.path"], format!("/v1/asks/{id}/answer"));

    let ask = one("ask questions");
    assert_eq!((ask.trace.as_str(), ask.parent.as_deref()), (TRACE, Some(asking.id.as_str())));
    assert_eq!(ask.link, Some((answering.trace, answering.id)), "who decided, in whatever trace");
    let expected = json!({
        "askbridge.agent": "ada",
        "askbridge.ask.id": id,
        "askbridge.ask.kind": "questions",
        "askbridge.ask.outcome": "answered",
        "askbridge.door": "http",
        "askbridge.session.id": id.replacen("ask_", "ses_", 1).rsplit_once('_').unwrap().0,
    });
    assert_eq!((ask.kind, json!(ask.attributes)), (1, expected));

    let lost = one("GET /v1/asks/{id}");
    assert_eq!((&lost.attributes["http.response.status_code"], lost.failed), (&json!(404), false), "their fault");
    assert_eq!(lost.attributes["askbridge.refusal"], "unknown_ask");
    assert_eq!(one("GET /v1/previews/{id}").attributes["url.path"], "/v1/previews/{id}", "such an address is a key");
    let text = collector.text();
    for never in ["pelican", "walrus", "marmoset", "ab_", "wait=", "hidden", "wombat", "dugong", &person, "phone"] {
        assert!(!text.contains(never), "{never} in {text}");
    }
}

#[test]
fn however_an_ask_ends_its_span_says_so_also_after_a_restart() {
    let (bridge, collector) = (TestBridge::stopped(), Collector::start(Mood::Takes));
    let server = serve(&bridge, &collector.url);
    let brief = json!({"question": "Now?", "timeout_seconds": 1});
    let expired = bridge.send("POST", "/v1/asks?wait=20", &token(&bridge), &brief.to_string()).json();
    assert_eq!(expired["state"], "expired", "{expired}");
    let withdrawn = bridge.ask("withdrawn", &question());
    bridge.post(&format!("/v1/asks/{withdrawn}/withdraw"), "-", &json!({}));
    let dismissed = bridge.ask("dismissed", &json!({"plan": "First the tapir."}));
    let taken_back = bridge.ask("taken back", &json!({"approval": {"tool": "Bash", "input": {"command": "ls"}}}));
    stop(server);

    let server = serve(&bridge, &collector.url);
    let person = bearer(&bridge.person());
    assert_eq!(bridge.send("POST", &format!("/v1/asks/{dismissed}/dismiss"), &person, "{}").status, 200);
    bridge.post(&format!("/v1/asks/{taken_back}/withdraw"), "-", &json!({}));
    stop(server);

    let of = |kind: &str, id: &Value| {
        let spans = collector.named(&format!("ask {kind}"));
        let own: Vec<_> = spans.into_iter().filter(|span| span.attributes["askbridge.ask.id"] == *id).collect();
        assert_eq!(own.len(), 1, "one span for {id}");
        own.into_iter().next().unwrap()
    };
    let outcome = |kind: &str, id: &str| of(kind, &json!(id)).attributes["askbridge.ask.outcome"].clone();
    let nobody_came = of("questions", &expired["id"]);
    assert_eq!(nobody_came.attributes["askbridge.ask.outcome"], "expired");
    assert!(nobody_came.began < nobody_came.ended, "it waited");
    assert_eq!(outcome("questions", &withdrawn), "withdrawn");
    assert_eq!(outcome("plan", &dismissed), "dismissed");
    assert_eq!(outcome("approval", &taken_back), "withdrawn");
    let alone = of("plan", &json!(dismissed));
    assert!(alone.parent.is_none() && alone.link.is_some(), "which request asked was known to the former server alone");
}

#[test]
fn what_its_beginner_does_not_want_to_see_is_not_told() {
    let (bridge, collector) = (TestBridge::stopped(), Collector::start(Mood::Takes));
    let server = serve(&bridge, &collector.url);
    let headers = format!("{}idempotency-key: k\r\n", traced(&bridge, "00"));
    let asked = bridge.send("POST", "/v1/asks", &headers, &question().to_string());
    let withdraw = format!("/v1/asks/{}/withdraw", asked.json()["id"].as_str().unwrap());
    assert_eq!(bridge.send("POST", &withdraw, &token(&bridge), "{}").status, 200);
    stop(server);
    assert_eq!(collector.named("POST /v1/asks/{id}/withdraw").len(), 1);
    assert_eq!(collector.named("POST /v1/asks").len() + collector.named("ask questions").len(), 0);
}

#[test]
fn a_collector_that_takes_nothing_costs_spans_which_are_counted_and_nothing_else() {
    let (bridge, collector) = (TestBridge::stopped(), Collector::start(Mood::Refuses));
    let server = serve(&bridge, &collector.url);
    bridge.ask("one", &question());
    until("spans are lost", || (metric(&bridge, "askbridge_spans_lost_total") > 0.0).then_some(()));
    server.tells("The collector takes no spans");
    collector.is(Mood::Busy);
    let before = collector.heard();
    until("it was tried again", || (collector.heard() > before + 1).then_some(()));
    collector.is(Mood::Takes);
    until("spans are taken", || (metric(&bridge, "askbridge_spans_sent_total") > 0.0).then_some(()));
    server.tells("The collector takes spans again");
    stop(server);
    let told = server_log_lines(&bridge);
    assert_eq!(told, 0, "nothing of it is an error");
}

/// Counts the log lines that an operator should look at.
fn server_log_lines(bridge: &TestBridge) -> usize {
    let files = fs::read_dir(bridge.dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let logs = files.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("err"));
    logs.map(|path| fs::read_to_string(path).unwrap().matches(" ERROR ").count()).sum()
}

#[test]
fn a_collector_that_is_gone_or_silent_holds_up_neither_a_request_nor_the_end() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let silent = Collector::start(Mood::Silent);
    for url in [format!("http://{gone}"), silent.url.clone()] {
        let bridge = TestBridge::stopped();
        let server = serve(&bridge, &url);
        for n in 0..20 {
            bridge.ask(&n.to_string(), &question());
        }
        assert_eq!(bridge.open().len(), 20);
        stop(server);
    }
    assert!(silent.heard() > 0, "somebody tried");
}

#[test]
fn a_collector_is_named_by_the_environment_of_all_programs_where_we_can_speak_to_it() {
    let bridge = TestBridge::stopped();
    let value = |environment: &str| {
        let ran = bridge.bash(&format!("{environment} askbridge config show --json"));
        let lines = ran.good().lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.into_iter().find(|line| line["name"] == "otel.endpoint").unwrap()["value"].clone()
    };
    assert_eq!(value(""), "none");
    let others = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318";
    assert_eq!(value(others), "http://127.0.0.1:4318");
    assert_eq!(value(&format!("{others} ASKBRIDGE_OTEL_ENDPOINT=none")), "none");
    assert_eq!(value(&format!("{others} OTEL_EXPORTER_OTLP_PROTOCOL=grpc")), "none");
    assert_eq!(value("OTEL_EXPORTER_OTLP_ENDPOINT=https://traces.example.org"), "none", "it was meant for others");
    let refused = bridge.bash("ASKBRIDGE_OTEL_ENDPOINT=https://traces.example.org askbridge serve");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("run a collector beside askbridge"), "{}", refused.stderr);
}
