//! Tools that always go to a person, in every permission mode: parked like questions, run once.

use std::fs;

use askbridge_scripted::model::{Script, on_any_result, on_result, on_user, text, tool};
use serde_json::{Value, json};

use crate::house::{House, id};

const CALL: &str = "toolu_1";

/// As root, Claude Code skips permissions only if it is told that it runs in a sandbox.
const SANDBOX: (&str, &str) = ("IS_SANDBOX", "1");

fn notes(words: &str) -> Value {
    json!({"command": format!("echo {words} >> made"), "description": "Write a line"})
}

fn writes_a_line() -> Script {
    Script::new()
        .turn(on_result("toolu_2"), [text("done twice")])
        .turn(on_user("again"), [tool("toolu_2", "Bash", notes("second"))])
        .turn(on_any_result(), [text("done")])
        .turn(on_user("hi"), [tool(CALL, "Bash", notes("first"))])
}

fn made(house: &House) -> String {
    fs::read_to_string(house.scratch.work().join("made")).unwrap_or_default()
}

/// All settings that would let a command run without a person.
const OPEN_HOUSE: [(&str, &str); 2] = [("permission_mode", "bypassPermissions"), ("other_tools", "allow")];

fn careless(more: Value) -> Value {
    let mut wish = json!({"always_ask": ["Bash"], "allowed_tools": ["Bash"]});
    for (name, value) in OPEN_HOUSE {
        wish[name] = json!(value);
    }
    wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    wish
}

#[test]
fn a_parked_command_is_allowed_after_a_restart_and_runs_once() {
    let mut house = House::open_with(writes_a_line(), &[("ASKBRIDGE_WARM", "0"), SANDBOX]);
    let talk = house.session(careless(json!({})));
    talk.say("hi");
    let asked = talk.open_ask();
    assert_eq!((&asked["kind"], &asked["approval"]["rules"]), (&json!("approval"), &json!([])));
    assert_eq!(asked["approval"]["reason"], "Bash always goes to a person here");
    talk.until_process("parked");
    talk.until_cleared();
    assert_eq!(made(&house), "");
    let (session, asked) = (talk.id.clone(), id(&asked).to_owned());
    house.kill();
    house.start();
    let talk = house.talk(&session);
    assert_eq!((&talk.show()["process"], made(&house).as_str()), (&json!("parked"), ""));
    house.answer(&asked, json!({"decision": "allow"}));
    talk.until_delivered(&asked);
    talk.until_turns(2);
    assert_eq!(made(&house), "first\n");
    assert_eq!((talk.events_of("asked").len(), talk.events_of("parked").len()), (1, 1));
    let call = talk.events_of("tool_called").into_iter().find(|event| event["call"] == CALL).unwrap();
    assert_eq!(call["ask"], asked.as_str(), "the call is journaled with its ask");
}

#[test]
fn a_parked_command_is_denied_in_words_or_runs_as_it_was_edited() {
    let house = House::open_with(writes_a_line(), &[("ASKBRIDGE_WARM", "0"), SANDBOX]);
    let talk = house.session(careless(json!({})));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.until_process("parked");
    house.answer(id(&asked), json!({"decision": "deny", "words": "not today"}));
    let read = house.model.until_result(CALL);
    assert_eq!((read.text.as_str(), read.is_error), ("Denied: not today", true));
    talk.until_delivered(id(&asked));
    talk.until_turns(2);
    talk.say("again");
    let asked = talk.open_ask();
    talk.until_process("parked");
    let edited = json!({"command": "echo edited >> made", "description": "Write a line"});
    house.answer(id(&asked), json!({"decision": "allow", "input": edited}));
    house.model.until_result("toolu_2");
    talk.until_delivered(id(&asked));
    assert_eq!(made(&house), "edited\n");
}

#[test]
fn no_mode_and_no_rule_lets_it_run_without_a_person() {
    let house = House::open_with(writes_a_line(), &[("ASKBRIDGE_ALWAYS_ASK", "Bash"), SANDBOX]);
    for mode in ["default", "acceptEdits", "plan", "auto", "bypassPermissions"] {
        let talk = house.session(json!({"permission_mode": mode, "allowed_tools": ["Bash"], "other_tools": "allow"}));
        talk.say("hi");
        let asked = talk.open_ask();
        house.answer(id(&asked), json!({"decision": "deny", "words": "never"}));
        talk.until_delivered(id(&asked));
        talk.until_turns(1);
        let returned = talk.events_of("tool_returned");
        assert_eq!((&returned[0]["ok"], &returned[0]["output"]), (&json!(false), &json!("Denied: never")), "{mode}");
        assert_eq!(made(&house), "", "{mode}");
    }
}

#[test]
fn where_nothing_is_asked_the_hook_says_no_and_also_yes() {
    let house = House::open(writes_a_line());
    let talk = house.session(json!({"permission_mode": "dontAsk", "always_ask": ["Bash"]}));
    talk.say("hi");
    let asked = talk.open_ask();
    house.answer(id(&asked), json!({"decision": "deny", "words": "not here"}));
    let read = house.model.until_result(CALL);
    assert!(read.is_error && read.text.ends_with("Denied: not here"), "{}", read.text);
    talk.until_turns(1);
    talk.say("again");
    house.answer(id(&talk.open_ask()), json!({"decision": "allow"}));
    house.model.until_result("toolu_2");
    assert_eq!(made(&house), "second\n");
}

#[test]
fn only_what_looks_like_the_pattern_goes_to_a_person() {
    let house = House::open_with(writes_a_line(), &[SANDBOX]);
    let talk = house.session(careless(json!({"always_ask": ["Bash(*second*)"]})));
    talk.say("hi");
    talk.until_turns(1);
    assert_eq!(made(&house), "first\n");
    talk.say("again");
    let asked = talk.open_ask();
    house.answer(id(&asked), json!({"decision": "allow"}));
    talk.until_turns(2);
    assert_eq!((made(&house).as_str(), talk.events_of("asked").len()), ("first\nsecond\n", 1));
}

#[test]
fn what_a_rule_decided_is_recorded_with_its_name_and_once() {
    let mut house = House::open(writes_a_line());
    let talk = house.session(json!({"other_tools": "allow", "always_ask": ["Bash(*second*)"]}));
    talk.say("hi");
    talk.until_turns(1);
    let allowed =
        json!({"type": "tool_ruled", "call": CALL, "tool": "Bash", "rule": "other_tools = allow", "ruling": "allow"});
    assert_eq!((talk.events_of("tool_ruled"), talk.events_of("asked").len()), (vec![allowed.clone()], 0));
    talk.say("again");
    let asked = talk.open_ask();
    let sent = json!({"type": "tool_ruled", "call": "toolu_2", "tool": "Bash", "rule": "always_ask = Bash(*second*)",
        "ruling": "ask"});
    assert_eq!(talk.events_of("tool_ruled"), [allowed.clone(), sent.clone()]);
    // The next server gets the call again.
    let session = talk.id.clone();
    house.kill();
    house.start();
    let talk = house.talk(&session);
    house.answer(id(&asked), json!({"decision": "allow"}));
    talk.until_turns(2);
    assert_eq!(made(&house), "first\nsecond\n");
    assert_eq!(talk.events_of("tool_ruled"), [allowed, sent]);
}

#[test]
fn a_session_says_how_long_a_permission_is_held_and_what_is_no_tool_is_refused() {
    let house = House::open_with(writes_a_line(), &[("ASKBRIDGE_HOLD_MAX", "off")]);
    let talk = house.session(json!({"hold_max_seconds": 1}));
    talk.say("hi");
    let read = house.model.until_result(CALL);
    assert!(read.is_error && read.text.starts_with("Denied: nobody answered within 1 second."), "{}", read.text);
    let refused = |wish: Value| {
        let mut whole = json!({"agent": "claude", "cwd": house.scratch.work()});
        whole.as_object_mut().unwrap().extend(wish.as_object().unwrap().clone());
        let (status, problem) = house.post("/v1/sessions", &whole);
        (status, problem["detail"].as_str().unwrap_or_default().to_owned())
    };
    let (status, why) = refused(json!({"always_ask": ["Bash("]}));
    assert!(status == 422 && why.contains("`Bash(` is not a tool or a pattern"), "{why}");
    assert_eq!(refused(json!({"hold_max_seconds": "soon"})).0, 422);
}
