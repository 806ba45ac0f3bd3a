//! What the log may never hold: tokens, secrets, questions, answers, names.

use std::fs;

use serde_json::{Value, json};

use crate::bridge::TestBridge;
use crate::patience::until;

#[test]
fn a_whole_round_leaves_no_text_and_no_secret_in_a_talkative_log() {
    let bridge = TestBridge::start_telling("debug");
    let address = fs::read_to_string(bridge.data().join("run/address")).unwrap().trim().to_owned();

    // Pairing: by token, and by a link that is redeemed over HTTP, once well and once too late.
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

    // Asking, watching, searching, drafting, answering, closing; and what goes wrong.
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

    // Somebody who hangs up in the middle is worth a line at this level: then we know that it holds.
    let log = until("the log is as talkative as it can be", || {
        let log = fs::read_to_string(bridge.dir.path().join("server.log")).unwrap();
        log.contains("DEBUG").then_some(log)
    });
    let local = fs::read_to_string(bridge.data().join("token")).unwrap();
    let secrets = [&person, &device, &agent, &secret, local.trim()];
    let texts = "pelican walrus narwhal gibbon tapir okapi lemur marmoset axolotl capybara ocelot ibexwrong kinkajou bandicoot \
                 wrongwombat wrongdugong jerboa Zebedee";
    for never in secrets.into_iter().map(str::to_owned).chain(texts.split_whitespace().map(str::to_owned)) {
        let line = log.lines().find(|line| line.contains(&never));
        assert_eq!(line, None, "{never} is in the log");
    }
}
