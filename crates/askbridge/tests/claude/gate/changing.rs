//! Rules that change while calls stream in: every call is ruled whole by one version.

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::{Script, on_result, on_user, text, tool};
use serde_json::json;

use super::table::Ruled;

/// In each version a call is denied or allowed, and the name of the rule and its words say which version it was.
fn version(number: usize) -> String {
    let does = if number.is_multiple_of(2) {
        format!("do = \"deny\"\nwords = \"Version {number}.\"")
    } else {
        "do = \"allow\"".to_owned()
    };
    let rule = format!("[[rules]]\nname = \"version {number}\"\n{does}\ntool = \"Bash(touch *)\"\nevery_call = true\n");
    // The number of rules tells when a version is in force.
    let more =
        (0..number).map(|at| format!("\n[[rules]]\nname = \"more {at}\"\ndo = \"ask\"\ntool = \"Bash(more *)\"\n"));
    format!("{rule}{}", more.collect::<String>())
}

#[test]
fn rules_that_change_while_calls_stream_in_rule_each_call_whole() {
    let calls = 40;
    let touch = |at: usize| {
        tool(format!("toolu_{at}"), "Bash", json!({"command": format!("touch made{at}"), "description": "d"}))
    };
    let script = (1..=calls).fold(Script::new(), |script, at| {
        let reply = if at == calls { text("done") } else { touch(at + 1) };
        script.turn(on_result(format!("toolu_{at}")), [reply])
    });
    let ruled = Ruled::open(Subject::Real, script.turn(on_user("hi"), [touch(1)]), &version(2), &[]);
    let talk = ruled.house.session(json!({}));
    talk.say("hi");
    let mut number = 2;
    while talk.events_of("turn_ended").is_empty() {
        number += 1;
        // A device is paired by now, so a version that allows is put in force by a tap.
        std::fs::write(&ruled.rules, version(number)).unwrap();
        ruled.house.until("the version to be in force, or the end", || {
            let taps = ruled.house.get("/v1/asks")["items"].as_array()?.clone();
            if let Some(tap) = taps.iter().find(|ask| ask["approval"]["summary"] == "Put changed rules in force") {
                ruled.house.answer(crate::house::id(tap), json!({"decision": "allow"}));
            }
            let is_in_force = ruled.house.get("/v1/rules")["rules"] == number + 1;
            (is_in_force || !talk.events_of("turn_ended").is_empty()).then_some(())
        });
    }
    let events = talk.events_of("tool_ruled");
    assert_eq!(events.len(), calls, "every call is ruled once");
    for (at, event) in (1..=calls).zip(&events) {
        let number: usize = event["rule"].as_str().unwrap().trim_start_matches("version ").parse().unwrap();
        let (denied, read) = (number.is_multiple_of(2), ruled.house.model.tool_result(&format!("toolu_{at}")).unwrap());
        assert_eq!(event["ruling"], if denied { "deny" } else { "allow" }, "{event}");
        assert_eq!(read.text.contains(&format!("Version {number}.")), denied, "{event} {read:?}");
        assert_eq!(ruled.house.scratch.work().join(format!("made{at}")).exists(), !denied, "{event}");
    }
}
