//! One ask on every screen at once, answered from each in turn.

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::{Script, ask, on_result, on_user, text};
use serde_json::json;

use crate::house::House;
use crate::http::call_local;
use crate::node::play_with;

const DIALECTS: &str = "prime,whimmy,ccc=127.0.0.1:0,gobby=127.0.0.1:0,seline=127.0.0.1:0";
/// prime, ccc, gobby, seline and our own.
const MOUTHS: usize = 5;

/// Returns the ports of the dialects that have their own.
fn ports(house: &House) -> String {
    let written = std::fs::read_to_string(house.data().join("run/dialects")).unwrap();
    let port = |name: &str| {
        let line = written.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap().to_owned()
    };
    ["ccc", "gobby", "seline"].map(port).join(",")
}

#[test]
fn an_ask_is_shown_in_every_dialect_and_answered_from_each_in_turn() {
    // Later turns come first in the script: `ask 1` also contains `ask`.
    let script = (0..MOUTHS).rev().fold(Script::new(), |script, number| {
        let call = format!("toolu_{number}");
        let said = if number == 0 { "ask".to_owned() } else { format!("ask {number}") };
        script.turn(on_result(call.as_str()), [text("done")]).turn(on_user(said), [ask(&call, "Which?", ["A", "B"])])
    });
    let house = House::open_as(Subject::Fake, script, &[("ASKBRIDGE_DIALECTS", DIALECTS)]);
    play_with(&house, "table", "all_at_once", &[("PORTS", &ports(&house))]);
    for number in 0..MOUTHS {
        assert!(house.model.until_result(&format!("toolu_{number}")).text.contains(r#""Which?"="B""#));
    }
}

/// Plays a scene in a house where a plugin has an account.
fn with_a_plugin(scene: &str) {
    let house = House::open_as(Subject::Fake, Script::new(), &[("ASKBRIDGE_DIALECTS", DIALECTS)]);
    let socket = house.data().join("run/askbridge.sock");
    let (status, made) = call_local(&socket, "POST", "/v1/tokens", &json!({"name": "openclaw"})).unwrap();
    assert_eq!(status, 201, "{made}");
    let account = made["token"].as_str().unwrap();
    play_with(&house, "table", scene, &[("PORTS", &ports(&house)), ("ACCOUNT", account)]);
}

#[test]
fn an_ask_of_a_plugin_is_shown_in_every_dialect_and_answered_from_each_in_turn() {
    with_a_plugin("a_plugin_asks");
}

#[test]
fn a_conversation_that_has_grown_long_goes_on_in_every_dialect() {
    with_a_plugin("a_conversation_that_grew_long");
}
