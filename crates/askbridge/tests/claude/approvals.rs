//! Approvals of other tools, plans and subagents.

use askbridge_scripted::model::{Script, all, in_subagent, not, on_any_result, on_result, on_user, text, tool};
use serde_json::json;

use crate::house::{House, id};

const CALL: &str = "toolu_1";

fn touches(file: &str) -> Script {
    let input = json!({"command": format!("touch {file}"), "description": "Touch a file"});
    Script::new()
        .turn(on_user("go on"), [text("going on")])
        .turn(on_result("toolu_2"), [text("done twice")])
        .turn(on_user("again"), [tool("toolu_2", "Bash", input.clone())])
        .turn(on_any_result(), [text("done")])
        .turn(on_user("hi"), [tool(CALL, "Bash", input)])
}

#[test]
fn a_command_runs_once_it_is_allowed() {
    let house = House::open(touches("made"));
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    assert_eq!((&asked["kind"], &asked["approval"]["summary"]), (&json!("approval"), &json!("touch made")));
    assert!(!house.scratch.work().join("made").exists());
    house.answer(id(&asked), json!({"decision": "allow"}));
    talk.until_delivered(id(&asked));
    assert!(house.scratch.work().join("made").exists());
}

#[test]
fn what_is_always_allowed_is_not_asked_again() {
    let house = House::open(touches("made"));
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    let rules = asked["approval"]["rules"].as_array().unwrap();
    let place = rules.iter().position(|rule| rule["label"].as_str().unwrap().ends_with("for this session"));
    house.answer(id(&asked), json!({"decision": "allow", "always": place.unwrap()}));
    talk.until_turns(1);
    talk.say("again");
    talk.until_turns(2);
    assert_eq!(talk.events_of("asked").len(), 1);
}

#[test]
fn an_edited_command_is_what_runs_and_a_denied_one_does_not() {
    let house = House::open(touches("made"));
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    house.answer(id(&asked), json!({"decision": "allow", "input": {"command": "touch other", "description": "x"}}));
    talk.until_turns(1);
    assert!(house.scratch.work().join("other").exists() && !house.scratch.work().join("made").exists());
    talk.say("again");
    let asked = talk.open_ask();
    house.answer(id(&asked), json!({"decision": "deny", "words": "not today"}));
    let read = house.model.until_result("toolu_2");
    assert_eq!((read.text.as_str(), read.is_error), ("Denied: not today", true));
    talk.until_delivered(id(&asked));
}

#[test]
fn a_change_that_would_not_run_is_refused_with_its_fields_and_nothing_runs() {
    let house = House::open(touches("made"));
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    let path = format!("/v1/asks/{}/answer", id(&asked));
    let whole = |why: &str| json!([{"detail": why}]);
    let field = |name: &str, why: &str| json!([{"question": name, "detail": why}]);
    let alike = |kind: &str| whole(&format!("the input is an object; the changed one has to be as well, not {kind}"));
    let empty = "the changed input is empty, and the agent would run the original; leave it out to change nothing, or deny the call";
    let rows = [
        (json!("x"), alike("text")),
        (json!([]), alike("a list")),
        (json!(5), alike("a number")),
        (json!(true), alike("true or false")),
        (json!(null), alike("null")),
        (json!({}), whole(empty)),
        (json!({"command": 5}), field("command", "it has to be text, not 5")),
        (json!({"description": "z"}), field("command", "it is missing; it has to be text")),
        (json!({"command": "touch x", "timeout": "12"}), field("timeout", "it has to be a number, not “12”")),
        (json!({"command": "touch x", "cwd": "/"}), field("cwd", "this tool has no such field")),
    ];
    for (input, why) in rows {
        let (status, problem) = house.post(&path, &json!({"decision": "allow", "input": input}));
        assert_eq!((status, &problem["code"]), (422, &json!("answer_does_not_fit")), "{input}: {problem}");
        assert_eq!(problem["errors"], why, "{input}");
    }
    assert_eq!(house.ask(id(&asked))["state"], "open");
    house.answer(id(&asked), json!({"decision": "deny"}));
    house.model.until_result(CALL);
    assert_eq!(std::fs::read_dir(house.scratch.work()).unwrap().count(), 0);
}

#[test]
fn the_model_reads_what_ran_where_a_person_changed_it() {
    let house = House::open(touches("made"));
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    house.answer(id(&asked), json!({"decision": "allow", "input": {"command": "touch other"}}));
    talk.until_delivered(id(&asked));
    talk.until_turns(1);
    let read = house.model.last().unwrap().body["messages"].to_string();
    let words = r#"The person changed the input of this call before allowing it. What ran, and what its result is about, is: {\"command\":\"touch other\"}"#;
    assert!(read.contains(words), "{read}");
    assert_eq!(house.ask(id(&asked))["ran"], json!(null));
}

/// Writes one file, and changes another.
fn writes() -> Script {
    Script::new()
        .turn(on_result("toolu_2"), [text("done twice")])
        .turn(
            on_user("again"),
            [tool("toolu_2", "Write", json!({"file_path": "second.txt", "content": "as it was\n"}))],
        )
        .turn(on_any_result(), [text("done")])
        .turn(on_user("hi"), [tool(CALL, "Write", json!({"file_path": "first.txt", "content": "one\n"}))])
}

#[test]
fn a_file_is_written_as_it_was_allowed_and_both_ways_are_proven() {
    let house = House::open(writes());
    let talk = house.session(json!({}));
    let work = house.scratch.work();
    talk.say("hi");
    let asked = talk.open_ask();
    house.answer(id(&asked), json!({"decision": "allow", "input": {"file_path": "first.txt", "content": "two\n"}}));
    talk.until_delivered(id(&asked));
    talk.until_turns(1);
    assert_eq!(std::fs::read_to_string(work.join("first.txt")).unwrap(), "two\n");
    talk.say("again");
    let asked = talk.open_ask();
    house.answer(id(&asked), json!({"decision": "allow"}));
    talk.until_delivered(id(&asked));
    talk.until_turns(2);
    assert_eq!(std::fs::read_to_string(work.join("second.txt")).unwrap(), "as it was\n");
    let read = house.model.last().unwrap().body["messages"].to_string();
    assert_eq!(read.matches("The person changed the input of this call").count(), 1, "{read}");
}

#[test]
fn the_words_of_a_stop_go_in_front_of_the_next_message() {
    let house = House::open(touches("made"));
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    house.answer(id(&asked), json!({"decision": "deny", "words": "wrong branch", "stop": true}));
    talk.until_turns(1);
    talk.until_delivered(id(&asked));
    talk.say("go on");
    talk.until_turns(2);
    let read = house.model.last().unwrap().last_user_text().unwrap();
    assert!(read.contains("Denied: wrong branch") && read.ends_with("go on"), "{read}");
}

#[test]
fn a_plan_is_sent_back_with_words_and_approved_with_changes() {
    let plan = |call: &str| tool(call, "ExitPlanMode", json!({}));
    let script = Script::new()
        .turn(on_result("toolu_2"), [text("done")])
        .turn(on_result(CALL), [plan("toolu_2")])
        .turn(on_user("hi"), [plan(CALL)]);
    let house = House::open(script);
    let talk = house.session(json!({"permission_mode": "plan"}));
    talk.say("hi");
    let asked = talk.open_ask();
    assert_eq!(asked["kind"], "plan");
    house.answer(id(&asked), json!({"decision": "send_back", "words": "smaller steps"}));
    assert_eq!(house.model.until_result(CALL).text, "Sent back: smaller steps");
    let asked = house.until("the second plan", || talk.open_asks(1).pop().filter(|next| next["id"] != asked["id"]));
    house.answer(id(&asked), json!({"decision": "approve", "plan": "# Just one step"}));
    let read = house.model.until_result("toolu_2").text;
    assert!(read.contains("# Just one step"), "{read}");
    talk.until_turns(1);
}

/// Claude Code starts a subagent, which asks with our own tool.
pub(crate) fn a_subagent_that_asks() -> Script {
    let question = json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]});
    let task = json!({"description": "d", "prompt": "ask them", "subagent_type": "general-purpose", "run_in_background": false});
    Script::new()
        .turn(all([in_subagent(), on_any_result()]), [text("they chose")])
        .turn(in_subagent(), [tool("toolu_ask", "mcp__askbridge__ask_user", question)])
        .turn(on_any_result(), [text("done")])
        .turn(all([on_user("hi"), not(in_subagent())]), [tool(CALL, "Agent", task)])
        .turn(on_user(""), [text("ok")])
}

#[test]
fn a_subagent_asks_with_our_own_tool() {
    let house = House::open(a_subagent_that_asks());
    let talk = house.session(json!({"allowed_tools": ["Agent"]}));
    talk.say("hi");
    let asked = talk.open_ask();
    assert_eq!(asked["questions"][0]["question"], "Which?");
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    assert_eq!(house.model.until_result("toolu_ask").text, "The person answered: B");
    talk.until_delivered(id(&asked));
}

#[test]
fn a_permission_that_nobody_gives_in_time_is_denied_and_may_be_answered_late() {
    let script = touches("made").turn(on_user("A late answer"), [text("I see")]);
    let house = House::open_with(script, &[("ASKBRIDGE_HOLD_MAX", "1s")]);
    let talk = house.session(json!({}));
    talk.say("hi");
    let read = house.model.until_result(CALL);
    let words = "Denied: nobody answered within 1 second. Go on without this tool call, or ask again.";
    assert_eq!((read.text.as_str(), read.is_error), (words, true));
    let ask = talk.events_of("asked")[0]["ask"]["id"].as_str().unwrap().to_owned();
    talk.until_delivered(&ask);
    assert_eq!(house.ask(&ask)["state"], "expired");
    talk.until_turns(1);
    house.answer(&ask, json!({"decision": "allow"}));
    talk.until_turns(2);
    let read = house.model.last().unwrap().last_user_text().unwrap();
    let late =
        "A late answer to your earlier question “touch made”. You were told at the time that nobody had answered. ";
    assert_eq!(read, format!("{late}ada now says: allowed"));
    assert!(!house.scratch.work().join("made").exists(), "a late word runs nothing");
}

#[test]
fn a_session_that_says_how_long_it_waits_is_not_bound_by_how_long_others_are_held() {
    let house = House::open_with(touches("made"), &[("ASKBRIDGE_HOLD_MAX", "0")]);
    let talk = house.session(json!({"timeout_seconds": 7200}));
    talk.say("hi");
    house.answer(id(&talk.open_ask()), json!({"decision": "allow"}));
    house.model.until_result(CALL);
    assert!(house.scratch.work().join("made").exists());
}
