//! Auto mode denies a call in an agent that we run; a person overrules that, and the real Claude Code runs it, once.
//!
//! The classifier runs on the vendor's server, which the scripted model is not, so Claude Code denies every call that
//! needs it: what people behind a gateway see.

use askbridge_scripted::model::{Piece, Script, gate, on_result, on_user, text, tool};
use serde_json::{Value, json};

use crate::house::{House, Talk, id};

/// Auto mode lets through what only touches files of the project, so the command is one that it cannot look into.
pub(crate) fn makes(call: &str, file: &str) -> Piece {
    tool(
        call,
        "Bash",
        json!({"command": format!("python3 -c \"open('{file}', 'a').write('x')\""), "description": call}),
    )
}

fn auto(house: &House) -> Talk<'_> {
    house.session(json!({"permission_mode": "auto"}))
}

/// Tries the same call up to three times.
pub(crate) fn three_times() -> Script {
    Script::new()
        .turn(on_user("use-something-else"), [text("understood")])
        .turn(on_result("toolu_3"), [text("given up")])
        .turn(on_result("toolu_2"), [makes("toolu_3", "made")])
        .turn(on_result("toolu_1"), [gate("again"), makes("toolu_2", "made")])
        .turn(on_user("hi-there"), [makes("toolu_1", "made")])
}

pub(crate) fn made(house: &House) -> String {
    std::fs::read_to_string(house.scratch.work().join("made")).unwrap_or_default()
}

#[track_caller]
fn is_a_denial(ask: &Value) {
    assert_eq!((&ask["kind"], &ask["approval"]["overrule"]), (&json!("approval"), &json!(true)), "{ask}");
    assert_eq!(ask["approval"]["reason"], "Claude Code's auto mode denied it: Classifier unavailable", "{ask}");
    assert_eq!(ask["approval"]["rules"], json!([]));
}

#[test]
fn a_person_lets_a_denied_call_through_and_it_runs_once() {
    let house = House::open(three_times());
    house.model.open("again");
    let talk = auto(&house);
    talk.say("hi-there");
    let denied = talk.open_ask();
    is_a_denial(&denied);
    assert!(house.model.tool_result("toolu_1").is_none(), "the agent waits with its denial");
    house.answer(id(&denied), json!({"decision": "allow"}));
    let ran = house.model.until_result("toolu_2");
    assert!(!ran.is_error && made(&house) == "x", "{ran:?}");

    // The same call again is denied again, and asked about again.
    let again = talk.open_ask();
    assert_ne!(id(&again), id(&denied));
    house.answer(id(&again), json!({"decision": "deny", "words": "use-something-else"}));
    let stands = house.model.until_result("toolu_3");
    assert!(stands.is_error && stands.text.contains("Auto mode"), "{stands:?}");
    house
        .model
        .until(|heard| heard.iter().any(|heard| heard.new_texts().iter().any(|it| it.contains("use-something-else"))));
    talk.until_delivered(id(&denied));
    assert_eq!(made(&house), "x");

    let used: Vec<_> = talk.events_of("overrule_used");
    assert_eq!(used.len(), 1, "{used:?}");
    assert_eq!((&used[0]["ask"], &used[0]["call"]), (&denied["id"], &json!("toolu_2")));
    let ruled = talk.events_of("tool_ruled");
    assert_eq!((&ruled[0]["rule"], &ruled[0]["ruling"]), (&json!("a person overruled the denial"), &json!("allow")));
}

#[test]
fn an_overrule_is_for_no_other_call_and_no_other_session() {
    let script = Script::new()
        .turn(on_result("toolu_3"), [text("done")])
        .turn(on_result("toolu_2"), [makes("toolu_3", "made")])
        .turn(on_result("toolu_1"), [makes("toolu_2", "other")])
        .turn(on_user("hi-there"), [makes("toolu_1", "made")]);
    let house = House::open_with(script, &[("ASKBRIDGE_AGENTS_DENIED_WAIT", "2s")]);
    let talk = auto(&house);
    talk.say("hi-there");
    house.answer(id(&talk.open_ask()), json!({"decision": "allow"}));
    // Another input: denied, and asked about by itself, which nobody answers.
    let other = house.model.until_result("toolu_2");
    assert!(other.is_error, "{other:?}");
    let same = house.model.until_result("toolu_3");
    assert!(!same.is_error && made(&house) == "x", "{same:?}");
    assert!(!house.scratch.work().join("other").exists());
    talk.until_turns(1);
    let elsewhere = auto(&house);
    elsewhere.say("hi-there");
    is_a_denial(&elsewhere.open_ask());
    assert_eq!(made(&house), "x");
}

#[test]
fn nobody_attends_so_the_denial_stands_in_words_and_a_late_yes_counts() {
    let script = Script::new()
        .turn(on_result("toolu_2"), [text("done")])
        .turn(on_user("the denial is overruled"), [makes("toolu_2", "made")])
        .turn(on_result("toolu_1"), [text("I cannot do that")])
        .turn(on_user("hi-there"), [makes("toolu_1", "made")]);
    let house = House::open_with(script, &[("ASKBRIDGE_AGENTS_DENIED_WAIT", "1s")]);
    let talk = auto(&house);
    talk.say("hi-there");
    let denied = talk.open_ask();
    talk.until_turns(1);
    let over = house.ask(id(&denied));
    assert_eq!(over["state"], "expired");
    let words = "The denial stands: nobody overruled it within 1 second. Go on without this tool call.";
    assert_eq!(over["verdict"]["words"], words);
    house.answer(id(&denied), json!({"decision": "allow"}));
    assert!(!house.model.until_result("toolu_2").is_error);
    assert_eq!(made(&house), "x");
}

#[test]
fn an_overrule_survives_a_kill_between_the_two_hooks() {
    let mut house = House::open(three_times());
    let session = {
        let talk = auto(&house);
        talk.say("hi-there");
        let denied = talk.open_ask();
        house.answer(id(&denied), json!({"decision": "allow"}));
        house.model.reached("again");
        talk.id
    };
    house.kill();
    house.model.open("again");
    house.start();
    let ran = house.model.until_result("toolu_2");
    assert!(!ran.is_error && made(&house) == "x", "{ran:?}");
    let talk = house.talk(&session);
    assert_eq!(talk.events_of("overrule_used").len(), 1);
    // Used once: the third call is denied.
    is_a_denial(&talk.open_ask());
    assert_eq!(made(&house), "x");
}

#[test]
fn a_denial_that_waits_survives_a_kill() {
    let mut house = House::open(three_times());
    house.model.open("again");
    let (session, denied) = {
        let talk = auto(&house);
        talk.say("hi-there");
        let denied = talk.open_ask();
        (talk.id, id(&denied).to_owned())
    };
    house.kill();
    house.start();
    house.answer(&denied, json!({"decision": "allow"}));
    assert!(!house.model.until_result("toolu_2").is_error);
    assert_eq!(made(&house), "x");
    house.talk(&session).until_delivered(&denied);
}
