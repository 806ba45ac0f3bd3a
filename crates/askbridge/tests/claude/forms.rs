//! Forms: an MCP server of the agent asks the person, by fields or by a page to visit.

use askbridge_scripted::model::{Script, on_any_result, on_user, text, tool};
use serde_json::{Value, json};

use crate::house::{House, Talk, id};

const CALL: &str = "toolu_1";

fn calls(name: &str) -> Script {
    Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [tool(CALL, name, json!({}))])
}

/// A session with an MCP server that shows forms.
fn with_forms(house: &House) -> Talk<'_> {
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/claude/form_server.py");
    let servers = json!({"forms": {"type": "stdio", "command": "python3", "args": [server]}});
    house.session(json!({"mcp_servers": servers, "allowed_tools": ["mcp__forms__fill", "mcp__forms__visit"]}))
}

/// What the server was told, from its tool's result.
fn told(house: &House) -> Value {
    serde_json::from_str(&house.model.until_result(CALL).text).unwrap()
}

#[test]
fn a_form_is_filled_in_and_its_server_reads_the_values() {
    let house = House::open(calls("mcp__forms__fill"));
    let talk = with_forms(&house);
    talk.say("hi");
    let asked = talk.open_ask();
    assert_eq!((&asked["kind"], &asked["form"]["message"]), (&json!("form"), &json!("Where should it go?")));
    let content = json!({"host": "db.example", "port": 5432, "tier": "small", "public": false});
    house.answer(id(&asked), json!({"decision": "accept", "content": content}));
    assert_eq!(told(&house), json!({"action": "accept", "content": content}));
    talk.until_delivered(id(&asked));
    talk.until_turns(1);
}

#[test]
fn a_form_without_what_is_required_is_refused_and_stays_open() {
    let house = House::open(calls("mcp__forms__fill"));
    let talk = with_forms(&house);
    talk.say("hi");
    let asked = talk.open_ask();
    let half = json!({"decision": "accept", "content": {"host": "db.example"}});
    let (status, refused) = house.post(&format!("/v1/asks/{}/answer", id(&asked)), &half);
    assert_eq!(status, 422, "{refused}");
    house.answer(id(&asked), json!({"decision": "decline"}));
    assert_eq!(told(&house), json!({"action": "decline"}));
    talk.until_delivered(id(&asked));
}

#[test]
fn a_form_that_is_dismissed_is_cancelled() {
    let house = House::open(calls("mcp__forms__fill"));
    let talk = with_forms(&house);
    talk.say("hi");
    let asked = talk.open_ask();
    let (status, dismissed) = house.post(&format!("/v1/asks/{}/dismiss", id(&asked)), &json!({}));
    assert!(status == 200, "{status} {dismissed}");
    assert_eq!(told(&house), json!({"action": "cancel"}));
    talk.until_delivered(id(&asked));
}

#[test]
fn a_page_to_visit_is_shown_and_accepted() {
    let house = House::open(calls("mcp__forms__visit"));
    let talk = with_forms(&house);
    talk.say("hi");
    let asked = talk.open_ask();
    assert_eq!(asked["form"]["url"], "https://example.org/login", "{asked}");
    house.answer(id(&asked), json!({"decision": "accept"}));
    assert_eq!(told(&house)["action"], "accept");
    talk.until_delivered(id(&asked));
    talk.until_turns(1);
}

#[test]
fn an_interrupt_takes_an_open_form_back() {
    let house = House::open(calls("mcp__forms__fill").turn(on_user("something else"), [text("all right")]));
    let talk = with_forms(&house);
    talk.say("hi");
    let asked = talk.open_ask();
    assert_eq!(house.post(&format!("/v1/sessions/{}/interrupt", talk.id), &json!({})).0, 202);
    house.until("the form to be taken back", || (house.ask(id(&asked))["state"] == "withdrawn").then_some(()));
    talk.say("something else");
    talk.until_turns(2);
}
