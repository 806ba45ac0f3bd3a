//! What an operator sees: readiness, metrics, logs.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::bridge::TestBridge;
use crate::patience::until;
use crate::wire::bearer;

fn question() -> Value {
    json!({"questions": [{"question": "Deploy the secret thing?", "options": [{"label": "Yes"}, {"label": "No"}]}]})
}

#[test]
fn a_server_that_can_work_says_so() {
    let bridge = TestBridge::start();
    let ready = bridge.get("/readyz", "");
    assert_eq!((ready.status, ready.json()), (200, json!({"status": "ready"})));
    assert_eq!(bridge.get("/healthz", "").json()["status"], "ok");
}

#[test]
fn a_server_whose_disk_is_full_is_not_ready_until_there_is_space_again() {
    let bridge = TestBridge::stopped();
    // Like a full disk: no file may grow beyond 200 KiB. Exceeding that kills a process that does not handle SIGXFSZ.
    let script = "ulimit -S -f 200; export ASKBRIDGE_LISTEN=127.0.0.1:0; exec askbridge serve";
    let server = bridge.spawn_bash(script);
    server.prints("http://");
    assert_eq!(bridge.get("/readyz", "").status, 200);
    let long = "Long? ".repeat(8_000);
    let asking: Vec<_> = (0..8).map(|_| bridge.spawn(&["ask", "--no-wait", &long])).collect();
    let answered = until("the disk is full", || {
        let answered = bridge.get("/readyz", "");
        (answered.status == 503).then_some(answered)
    });
    let reasons = answered.json()["reasons"].to_string();
    assert!(reasons.contains("the store takes nothing; the log says why"), "{reasons}");
    assert!(!reasons.contains(bridge.dir.path().to_str().unwrap()), "anybody may read this: {reasons}");
    assert_eq!(bridge.get("/healthz", "").status, 200, "restarting it would not help");
    let stored = bridge.open();
    assert!(!stored.is_empty(), "what was asked before can be read");
    let refused = bridge.post("/v1/asks", "beyond", &json!({"questions": [{"question": long}]}));
    assert_eq!((&refused["status"], &refused["code"]), (&json!(503), &json!("down")), "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("no space is left"), "{refused}");
    assert!(!refused.to_string().contains(bridge.dir.path().to_str().unwrap()), "{refused}");
    assert!(bridge.get("/metrics", "").metric("askbridge_journal_failures_total") > 0.0);
    let pid = server.pid().to_string();
    let more = std::process::Command::new("prlimit").args(["--pid", &pid, "--fsize=unlimited"]).status();
    assert!(more.unwrap().success());
    until("there is space again", || (bridge.get("/readyz", "").status == 200).then_some(()));
    drop(asking);
    bridge.run(&["ask", "Deploy now?", "--no-wait"]).good();
    assert!(bridge.open().len() > stored.len());
    bridge.run(&["journal", "verify"]).good();
}

#[test]
fn files_that_were_open_to_others_are_closed_when_the_server_starts() {
    let mut bridge = TestBridge::start();
    bridge.ask("k", &question());
    bridge.kill();
    let data = bridge.data();
    fs::create_dir_all(data.join("installed")).unwrap();
    fs::write(data.join("installed/receipt"), "old text").unwrap();
    fs::write(data.join("notes-of-mine"), "not yours").unwrap();
    fs::write(bridge.dir.path().join("elsewhere"), "not yours").unwrap();
    std::os::unix::fs::symlink("../elsewhere", data.join("token.backup")).unwrap();
    assert_eq!(bridge.bash("chmod -R a+rwX data elsewhere").code, Some(0));
    bridge.start_again();
    let mode = |name: &str| fs::metadata(data.join(name)).unwrap().permissions().mode() & 0o777;
    let (folder, file) = (0o700, 0o600);
    let wanted = [("", folder), ("run", folder), ("installed", folder), ("installed/receipt", file), ("token", file)];
    let wanted = wanted.into_iter().chain([("askbridge.db", file), ("index.db", file), ("lock", file)]);
    for (name, wanted) in wanted {
        assert_eq!(mode(name), wanted, "`{name}` has mode {:o}", mode(name));
    }
    for name in ["askbridge.db-wal", "askbridge.db-shm"].into_iter().filter(|name| data.join(name).exists()) {
        assert_eq!(mode(name), file, "{name}");
    }
    assert_eq!((mode("notes-of-mine"), mode("../elsewhere")), (0o666, 0o666), "what is not ours stays as it is");
    assert!(bridge.log().contains("was open to other users (mode 666); it is not any more"), "{}", bridge.log());
}

#[test]
fn the_metrics_tell_of_a_round_from_asking_to_delivery() {
    let bridge = TestBridge::start();
    let waiting = bridge.ask("one", &question());
    let ask = bridge.ask("two", &question());
    let page = bridge.get("/metrics", "");
    assert_eq!(page.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    assert_eq!(page.metric("askbridge_open_asks{state=\"open\"}"), 2.0);
    assert_eq!(page.metric("askbridge_ask_to_settled_seconds_count"), 0.0);
    assert_eq!(page.metric("askbridge_open_asks_waiting{at_least=\"3600\"}"), 0.0);
    assert!(page.metric("askbridge_oldest_open_ask_age_seconds") < 3600.0);

    bridge.answer(&[&ask, "-o", "Yes"]).good();
    let fetched = bridge.post(&format!("/v1/asks/{ask}/withdraw"), "", &json!({}));
    assert_eq!(fetched["status"], 409, "{fetched}");
    bridge.post("/v1/asks?wait=20", "two", &question());
    let page = until("the delivery is written", || {
        let page = bridge.get("/metrics", "");
        (page.metric("askbridge_settled_to_delivered_seconds_count") > 0.0).then_some(page)
    });
    assert_eq!(page.metric("askbridge_open_asks{state=\"open\"}"), 1.0, "{waiting} still waits");
    assert_eq!(page.metric("askbridge_ask_to_settled_seconds_count"), 1.0);
    assert_eq!(page.metric("askbridge_settled_to_delivered_seconds_count"), 1.0);
    assert_eq!(page.metric("askbridge_ask_to_settled_seconds_bucket{le=\"+Inf\"}"), 1.0);
    assert!(page.metric("askbridge_journal_commit_entries_sum") >= 4.0, "two asks, an answer, a delivery");
    assert!(page.metric("askbridge_journal_sync_seconds_sum") <= page.metric("askbridge_journal_commit_seconds_sum"));
    assert!(page.metric("askbridge_http_requests_total{route=\"/v1/asks\",status=\"2xx\"}") >= 3.0);
    assert_eq!(page.metric("askbridge_http_requests_total{route=\"/v1/asks/{id}/withdraw\",status=\"4xx\"}"), 1.0);
    assert_eq!(page.metric("askbridge_refusals_total{code=\"already_decided\"}"), 1.0);
    assert!(page.metric("askbridge_connections{kind=\"http\"}") >= 1.0, "whoever looks");
    assert!(page.metric("process_resident_memory_bytes") > 1_000_000.0);
    assert!(page.metric("process_open_fds") > 3.0);
    assert!(page.metric("process_start_time_seconds") > 1_700_000_000.0);
    assert!(!page.body.contains("secret thing"), "metrics say how much, never what");
}

#[test]
fn the_metrics_count_who_is_connected_by_kind() {
    let bridge = TestBridge::start();
    let _watching = bridge.spawn(&["inbox", "--watch"]);
    let token = fs::read_to_string(bridge.data().join("token")).unwrap();
    let mut socket = std::net::TcpStream::connect(bridge.address()).unwrap();
    let upgrade = format!(
        "GET /v1/ws HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{}\r\n",
        bearer(token.trim())
    );
    std::io::Write::write_all(&mut socket, upgrade.as_bytes()).unwrap();
    let kind = |kind: &str| bridge.get("/metrics", "").metric(&format!("askbridge_connections{{kind=\"{kind}\"}}"));
    until("a stream and a socket are there", || (kind("sse") == 1.0 && kind("websocket") == 1.0).then_some(()));
    drop(socket);
    until("the socket is gone", || (kind("websocket") == 0.0).then_some(()));
}

#[test]
fn the_metrics_are_for_this_machine_and_for_operators() {
    let bridge = TestBridge::start();
    let local = fs::read_to_string(bridge.data().join("token")).unwrap().trim().to_owned();
    let operator = bridge.person();
    bridge.without_taps();
    let pair = ["pair", "--print-token", "--yes-i-am-a-person", "--name", "bob", "--role", "person"];
    let person = bridge.run(&pair).good().trim().to_owned();
    let agent = bridge.run(&["token", "create", "ci"]).good().trim().to_owned();
    // Requests through a proxy seem to come from this machine.
    let far = |token: &str| bridge.get("/metrics", &format!("x-forwarded-for: 192.0.2.7\r\n{token}")).status;
    assert_eq!(bridge.get("/metrics", "").status, 200);
    assert_eq!(far(""), 401);
    assert_eq!([&local, &operator, &person, &agent].map(|token| far(&bearer(token))), [200, 200, 403, 403]);
}

#[test]
fn every_number_on_the_dashboard_exists() {
    let bridge = TestBridge::start();
    let page = bridge.get("/metrics", "").body;
    let mut exist = BTreeSet::new();
    for line in page.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        exist.insert(name.to_owned());
        if kind == "histogram" {
            exist.extend(["_bucket", "_sum", "_count"].map(|end| format!("{name}{end}")));
        }
    }
    let packaging = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging");
    let dashboard = fs::read_to_string(packaging.join("grafana/askbridge.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let alerts = fs::read_to_string(packaging.join("prometheus/alerts.yaml")).unwrap();
    let mut texts = vec![alerts];
    let mut panels = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            panels += 1;
            texts.push(target["expr"].as_str().unwrap().to_owned());
        }
    }
    assert!(panels > 10, "only {panels} queries were found");
    let wanted: BTreeSet<String> = texts.iter().flat_map(|text| names(text)).collect();
    let missing: Vec<_> = wanted.difference(&exist).collect();
    assert!(missing.is_empty(), "nobody counts {missing:?}");
    let told: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let guide = fs::read_to_string(packaging.join("../docs/guides/operations.md")).unwrap();
    let untold: Vec<_> = told.iter().filter(|name| !guide.contains(&format!("`{name}`"))).collect();
    assert!(untold.is_empty(), "the guide does not explain {untold:?}");
}

/// Returns the words that look like our names.
fn names(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    words.filter(|word| word.starts_with("askbridge_") || word.starts_with("process_")).map(str::to_owned)
}

#[test]
fn a_request_that_fails_has_a_name_that_its_maker_can_choose() {
    let bridge = TestBridge::start();
    assert_eq!(
        bridge.get("/v1/nothing", "x-request-id: from-my-proxy.1\r\n").header("x-request-id"),
        Some("from-my-proxy.1")
    );
    let (first, second) = (bridge.get("/v1/nothing", ""), bridge.get("/v1/nothing", "x-request-id: no \"good\"\r\n"));
    let (first, second) = (first.header("x-request-id").unwrap(), second.header("x-request-id").unwrap());
    assert!(first != second && !second.contains('"'), "{first} {second}");
    assert_eq!(bridge.get("/healthz", "").header("x-request-id"), None, "what goes well needs no name");
}

#[test]
fn logs_for_programs_are_one_object_on_each_line_and_name_no_secret() {
    let bridge = TestBridge::stopped();
    let script = "ASKBRIDGE_LISTEN=127.0.0.1:0 ASKBRIDGE_LOG=debug ASKBRIDGE_LOG_FORMAT=json exec askbridge serve";
    let server = bridge.spawn_bash(script);
    server.prints("http://");
    let token = fs::read_to_string(bridge.data().join("token")).unwrap().trim().to_owned();
    let named = format!("{}x-request-id: find-me\r\n", bearer(&token));
    assert_eq!(bridge.send("POST", "/v1/asks?hidden=query", &named, &question().to_string()).status, 201);
    assert_eq!(bridge.get("/v1/asks", &bearer("ab_not-a-token-of-ours")).status, 401);
    server.interrupt();
    let ran = server.ended();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let lines: Vec<Value> = ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &lines {
        for field in ["timestamp", "level", "message", "target"] {
            assert!(line[field].is_string(), "{line}");
        }
    }
    let answered = lines.iter().find(|line| line["request.id"] == "find-me").expect("the request was logged");
    assert_eq!((&answered["route"], &answered["status"]), (&json!("/v1/asks"), &json!(201)));
    for secret in [token.as_str(), "secret thing", "hidden=query", "ab_not-a-token-of-ours"] {
        assert!(!ran.stderr.contains(secret), "{secret} is in the log:\n{}", ran.stderr);
    }
}

#[test]
fn a_token_that_asks_too_fast_is_told_when_to_come_back_and_another_does_not_wait_for_it() {
    let mut bridge = TestBridge::stopped();
    bridge.start_with(&["--listen", "127.0.0.1:0", "--limits-requests", "1"]);
    let (mine, hers) = (fs::read_to_string(bridge.data().join("token")).unwrap(), bridge.person());
    let (mine, hers) = (bearer(mine.trim()), bearer(&hers));
    let refused = (0..10).map(|_| bridge.get("/v1/me", &mine)).find(|answered| answered.status == 429).unwrap();
    assert_eq!(refused.json()["code"], "too_fast");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(bridge.get("/v1/me", &hers).status, 200);
}
