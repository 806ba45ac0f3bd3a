//! Rules that decide what the real Claude Code asks: it runs what is allowed, and reads what a rule says.

use askbridge_scripted::model::{Script, ask, on_result, on_user, text, tool};
use serde_json::{Value, json};

use crate::house::{House, id};

const RULES: &str = r#"
[[rules]]
name = "touching"
do = "allow"
tool = "Bash(touch *)"

[[rules]]
name = "no secrets"
do = "deny"
words = "Leave secrets alone."
tool = "Bash(touch secret*)"

[[rules]]
name = "the recommended one"
do = "answer"
question = "Which?"
answer = "recommended"

[[rules]]
name = "no small talk"
do = "deny"
words = "Decide yourself."
question = "Tea?"
"#;

fn bash(id: &str, command: &str) -> askbridge_scripted::model::Piece {
    tool(id, "Bash", json!({"command": command, "description": "d"}))
}

#[test]
fn rules_allow_deny_answer_and_refuse_and_the_agent_reads_that_no_person_was_asked() {
    let turns = [
        ("one", bash("toolu_1", "touch made")),
        ("two", bash("toolu_2", "touch made && touch secret.txt")),
        ("three", ask("toolu_3", "Which?", ["A", "B (Recommended)"])),
        ("four", ask("toolu_4", "Tea?", ["Yes", "No"])),
        ("five", bash("toolu_5", "touch other; unknown-command")),
    ];
    let script = turns.into_iter().enumerate().fold(Script::new(), |script, (at, (said, call))| {
        script.turn(on_result(format!("toolu_{}", at + 1)), [text("done")]).turn(on_user(said), [call])
    });
    let house = House::open(script);
    std::fs::write(house.data().join("rules.toml"), RULES).unwrap();
    let tap = house.until("the device is asked", || {
        let open = house.get("/v1/asks")["items"].as_array()?.clone();
        open.into_iter().find(|ask| ask["approval"]["summary"] == "Put changed rules in force")
    });
    house.answer(id(&tap), json!({"decision": "allow"}));
    house.until("the rules are in force", || (house.get("/v1/rules")["rules"] == 4).then_some(()));
    let talk = house.session(json!({}));
    for (turn, said) in ["one", "two", "three", "four"].into_iter().enumerate() {
        talk.say(said);
        talk.until_turns(turn + 1);
    }
    assert!(house.scratch.work().join("made").exists() && !house.scratch.work().join("secret.txt").exists());
    let read = |call: &str| house.model.tool_result(call).unwrap();
    let denied = read("toolu_2");
    assert!(denied.is_error && denied.text.contains("“no secrets”"), "{denied:?}");
    assert!(denied.text.contains("no person was asked") && denied.text.contains("Leave secrets alone."), "{denied:?}");
    let answered = read("toolu_3");
    assert!(answered.text.contains("\"Which?\"=\"B (Recommended)\""), "{answered:?}");
    assert!(answered.text.contains("the rule “the recommended one”; no person was asked"), "{answered:?}");
    let refused = read("toolu_4");
    assert!(refused.text.contains("“no small talk”") && refused.text.contains("Decide yourself."), "{refused:?}");
    let outcomes: Vec<Value> = talk.events_of("settled").iter().map(|event| event["outcome"]["rule"].clone()).collect();
    assert_eq!(outcomes, ["touching", "no secrets", "the recommended one", "no small talk"]);
    // A part that no rule allows goes to a person.
    talk.say("five");
    assert_eq!(talk.open_ask()["approval"]["summary"], "touch other; unknown-command");
    assert!(!house.scratch.work().join("other").exists());
}

#[test]
fn what_a_rule_decided_is_corrected_with_one_answer_and_the_agent_reads_the_correction() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.toml");
    std::fs::write(&file, RULES).unwrap();
    let script = Script::new()
        .turn(on_user("A late answer"), [text("thanks")])
        .turn(on_result("toolu_1"), [text("done")])
        .turn(on_result("toolu_2"), [text("done")])
        .turn(on_result("toolu_3"), [text("done")])
        .turn(on_user("one"), [ask("toolu_1", "Tea?", ["Yes", "No"])])
        .turn(on_user("two"), [ask("toolu_2", "Which?", ["A", "B (Recommended)"])])
        .turn(on_user("three"), [bash("toolu_3", "touch secret.txt")]);
    let house = House::open_with(script, &[("ASKBRIDGE_RULES", file.to_str().unwrap())]);
    let talk = house.session(json!({}));
    let corrections = [
        ("one", json!({"answers": {"Tea?": "Yes"}}), "“Tea?”", "ada now says: Yes"),
        ("two", json!({"answers": {"Which?": "A"}}), "At the time a rule decided: B (Recommended)", "ada now says: A"),
        ("three", json!({"decision": "allow"}), "touch secret.txt", "ada now says: allow"),
    ];
    for (turn, (said, correction, quoted, now)) in corrections.into_iter().enumerate() {
        talk.say(said);
        talk.until_turns(2 * turn + 1);
        let settled = talk.events_of("settled");
        let ruled = settled.last().and_then(|event| event["ask"].as_str()).unwrap();
        let shown = house.ask(ruled);
        assert_eq!((&shown["state"], &shown["answerable"]), (&json!("ruled"), &json!(true)), "{shown}");
        let corrected = house.answer(ruled, correction);
        assert!(corrected["late"].is_object(), "{corrected}");
        talk.until_turns(2 * turn + 2);
        let last = house.model.last().unwrap().last_user_text().unwrap();
        assert!(last.starts_with("A late answer to your earlier question"), "{last}");
        assert!(last.contains(quoted) && last.contains(now), "{last}");
    }
    assert!(!house.scratch.work().join("secret.txt").exists(), "a correction runs nothing by itself");
    assert_eq!(house.model.unscripted(), Vec::<String>::new());
}
