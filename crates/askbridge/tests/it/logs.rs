//! The log never contains tokens, secrets, questions, answers or names. No file contains tokens or secrets.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::bridge::TestBridge;
use crate::patience::until;

#[test]
fn a_whole_round_leaves_no_text_and_no_secret_in_a_talkative_log() {
    a_whole_round("text", "DEBUG");
}

#[test]
fn nor_in_a_log_for_programs() {
    a_whole_round("json", r#""level":"DEBUG""#);
}

/// Sends hello over a WebSocket, as a browser does, with the token in the first frame, and returns the response.
fn hello(address: &str, query: &str, token: &str) -> String {
    let mut socket = TcpStream::connect(address).unwrap();
    let head = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    write!(socket, "GET /v1/ws{query} HTTP/1.1\r\nhost: localhost\r\n{head}\r\n").unwrap();
    let text = format!(r#"{{"type":"hello","token":"{token}"}}"#);
    assert!(text.len() < 126, "its length fits into one byte");
    // A complete text frame from a client: masked, here with zeros.
    socket.write_all(&[0x81, 0x80 | text.len() as u8, 0, 0, 0, 0]).unwrap();
    socket.write_all(text.as_bytes()).unwrap();
    let mut heard = Vec::new();
    until("it is answered", || {
        let mut part = [0; 4096];
        let count = socket.read(&mut part).unwrap();
        heard.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&heard);
        (count == 0 || text.contains("snapshot") || text.contains("unauthorized")).then(|| text.into_owned())
    })
}

/// Returns every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let below = entries.flat_map(|entry| match entry.file_type().unwrap() {
        kind if kind.is_dir() => files(&entry.path()),
        kind if kind.is_file() => vec![entry.path()],
        _ => Vec::new(),
    });
    below.collect()
}

fn a_whole_round(format: &str, talkative: &str) {
    let mut bridge = TestBridge::stopped();
    bridge.start_with(&["--listen", "127.0.0.1:0", "--log-level", "debug", "--log-format", format]);
    let address = fs::read_to_string(bridge.data().join("run/address")).unwrap().trim().to_owned();

    // Pairing: by token, and by a link that is redeemed over HTTP, once in time and once too late.
    bridge.without_taps();
    let named = ["pair", "--print-token", "--yes-i-am-a-person", "--name", "Zebedee", "--device", "quokkaphone"];
    let person = bridge.run(&named).good().trim().to_owned();
    let link = bridge.post("/v1/pairings", "-", &json!({"i_am_a_person": true, "name": "Zebedee"}));
    let secret = link["secret"].as_str().unwrap().to_owned();
    let curl = |args: &str| bridge.bash(&format!("curl -s {args}"));
    let redeem = format!("http://{address}/v1/pair -d '{{\"secret\":\"{secret}\",\"device\":\"quokkaphone\"}}'");
    let paired: Value = serde_json::from_str(curl(&redeem).good()).unwrap();
    assert!(curl(&redeem).good().contains("pairing_used"));
    let device = paired["token"].as_str().unwrap().to_owned();
    let made: Value = serde_json::from_str(bridge.run(&["token", "create", "heronbot", "--json"]).good()).unwrap();
    let agent = made["token"].as_str().unwrap().to_owned();

    // Asking, watching, searching, drafting, answering, closing; and errors.
    let watching = bridge.spawn(&["inbox", "--watch", "--token", &person]);
    let ask = |body: Value| -> String {
        let script = format!("curl -s http://{address}/v1/asks -H 'authorization: Bearer {agent}' -d '{body}'");
        let asked: Value = serde_json::from_str(bridge.bash(&script).good()).unwrap();
        asked["id"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned()
    };
    let question = ask(json!({"question": "Shall the pelican fly?", "context": {"text": "walrus context"}}));
    watching.prints("pelican");
    let approval =
        ask(json!({"approval": {"tool": "Bash", "input": {"command": "rm -rf /narwhal"}, "reason": "gibbon reason"}}));
    let plan = ask(json!({"plan": "First the tapir, then the okapi."}));
    let post = |path: &str, token: &str, body: Value| {
        let script = format!("curl -s http://{address}{path} -H 'authorization: Bearer {token}' -d '{body}'");
        bridge.bash(&script).good().to_owned()
    };
    post(&format!("/v1/asks/{question}/draft"), &person, json!({"text": "half a lemur"}));
    let answers = json!({"answers": {"Shall the pelican fly?": "only over marmosets"}, "notes": {"Shall the pelican fly?": "axolotl note"}});
    assert!(post(&format!("/v1/asks/{question}/answer"), &device, answers).contains("answered"));
    post(&format!("/v1/asks/{approval}/answer"), &person, json!({"decision": "deny", "words": "capybara says no"}));
    post(&format!("/v1/asks/{plan}/dismiss"), &person, json!({"words": "ocelot later"}));
    post(&format!("/v1/asks/{plan}/answer"), &person, json!({"decision": "ibexwrong"}));
    post(&format!("/v1/asks/{question}/answer"), &person, json!({"answers": {"kinkajou?": "x"}}));
    curl(&format!("'http://{address}/v1/asks?q=bandicoot&state=all' -H 'authorization: Bearer {person}'")).good();
    curl(&format!("http://{address}/v1/me -H 'authorization: Bearer ab_wrongwombat'")).good();
    post("/v1/pair", "", json!({"secret": "pair_wrongdugong"}));
    post("/v1/asks", &agent, json!({"question": ["jerboa"]}));
    drop(watching);

    // Tokens where they belong: in a frame; and where they do not: in a query.
    assert!(hello(&address, "", &device).contains("snapshot"));
    assert!(hello(&address, "?token=ab_querytoken", "ab_frametoken").contains("unauthorized"));
    curl(&format!("'http://{address}/v1/asks?token={device}' -H 'authorization: Bearer {device}'")).good();
    curl(&format!("'http://{address}/nowhere/{device}?q={device}'")).good();

    // A client that hangs up is logged at this level only, which proves that the level is in effect.
    let log = until("the log is as talkative as it can be", || {
        let log = fs::read_to_string(bridge.dir.path().join("server.log")).unwrap();
        log.contains(talkative).then_some(log)
    });
    let local = fs::read_to_string(bridge.data().join("token")).unwrap();
    let secrets = [&person, &device, &agent, &secret, local.trim()];
    let texts = "pelican walrus narwhal gibbon tapir okapi lemur marmoset axolotl capybara ocelot ibexwrong kinkajou bandicoot \
                 wrongwombat wrongdugong jerboa querytoken frametoken Zebedee";
    for never in secrets.into_iter().map(str::to_owned).chain(texts.split_whitespace().map(str::to_owned)) {
        let line = log.lines().find(|line| line.contains(&never));
        assert_eq!(line, None, "{never} is in the log");
    }

    // Questions and answers belong on disk. Of tokens and links only hashes do, except the token that may not decide.
    let found = files(&bridge.data());
    let holds = |secret: &str| {
        let holders = found.iter().filter(|path| {
            let bytes = fs::read(path).unwrap();
            bytes.windows(secret.len()).any(|part| part == secret.as_bytes())
        });
        holders.map(|path| path.strip_prefix(bridge.data()).unwrap().display().to_string()).collect::<Vec<_>>()
    };
    assert!(!holds("pelican").is_empty(), "we would find it: {found:?}");
    for secret in [&person, &device, &agent, &secret] {
        assert_eq!(holds(secret), [""; 0]);
        // Nor without its prefix.
        assert_eq!(holds(secret.split_once('_').unwrap().1), [""; 0]);
    }
    assert_eq!(holds(local.trim()), ["token"]);
}
