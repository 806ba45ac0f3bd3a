//! Whose files count, and when: the operator's, a project's, changed ones, and none where gobby's own hooks run.

use std::fs;

use askbridge_scripted::model::{Script, on_result, on_user, text};
use serde_json::json;

use super::{GREETS, Ruled, bash, read, write};
use crate::house::{House, id};

#[test]
fn rules_are_told_where_a_session_comes_from() {
    let script = Script::new().turn(on_user("hello"), [text("Hi.")]);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "greets.yaml", GREETS);
    let rules = ("ASKBRIDGE_GOBBY_RULES", folder.path().to_str().unwrap());
    let house = House::open_with(script, &[rules, ("ASKBRIDGE_DIALECTS", "gobby")]);
    let talk = house.session(json!({}));
    talk.say("hello");
    talk.until_turns(1);
    assert_eq!(read(&house, "Source: claude_sdk. Project: desk."), 1);
    let (status, made) = house.post("/api/sessions/web-chat", &json!({"title": "From the page"}));
    assert!(status < 300, "{status} {made}");
    let sessions = house.get("/v1/sessions");
    let page = sessions["items"].as_array().unwrap().iter().find(|it| it["title"] == "From the page").unwrap();
    let talk = house.talk(page["id"].as_str().unwrap());
    talk.say("hello");
    talk.until_turns(1);
    assert_eq!(read(&house, "Source: claude_sdk_web_chat."), 1);
}

#[test]
fn a_project_tightens_by_its_own_files_and_allows_only_where_it_is_trusted() {
    let rules = "
rules:
  no-push:
    event: before_tool
    enabled: true
    priority: 1
    effects: [{type: block, tools: [Bash], command_pattern: 'git push', reason: 'Not from {{ project.name }}.'}]
  instead:
    event: before_tool
    enabled: true
    effects: [{type: rewrite_input, tools: [Bash], input_updates: {command: 'touch rewritten'}, auto_approve: true}]
";
    let script = Script::new()
        .turn(on_user("one"), [bash("toolu_1", "git push")])
        .turn(on_result("toolu_1"), [bash("toolu_2", "touch made")])
        .turn(on_result("toolu_2"), [text("done")])
        .turn(on_user("two"), [bash("toolu_3", "touch made")])
        .turn(on_result("toolu_3"), [text("done")]);
    let house = House::open(script);
    let work = house.scratch.work();
    write(&work, ".gobby/workflows/rules/own.yaml", rules);
    write(&work, ".gobby/project.json", r#"{"name": "shop"}"#);
    let talk = house.session(json!({}));
    talk.say("one");
    let asked = talk.open_ask();
    assert_eq!(asked["approval"]["summary"], "touch made", "nothing is rewritten, and a person is asked");
    assert!(house.model.tool_result("toolu_1").unwrap().text.contains("Not from shop."));
    house.answer(id(&asked), json!({"decision": "deny", "words": "no"}));
    talk.until_turns(1);
    let shown = house.get("/v1/rules")["gobby"]["projects"][0].clone();
    assert_eq!((&shown["folder"], &shown["trusted"]), (&json!(work), &json!(false)));
    assert_eq!(shown["findings"][0]["rule"], "instead");
    // The operator trusts the folder, and a tap agrees to that.
    fs::write(house.data().join("rules.toml"), format!("trusted = [{work:?}]\n")).unwrap();
    let tap = house.until("the device is asked", || {
        let open = house.get("/v1/asks")["items"].as_array()?.clone();
        open.into_iter().find(|ask| ask["approval"]["summary"] == "Put changed rules in force")
    });
    house.answer(id(&tap), json!({"decision": "allow"}));
    house.until("the folder is trusted", || {
        (house.get("/v1/rules")["gobby"]["projects"][0]["trusted"] == true).then_some(())
    });
    talk.say("two");
    talk.until_turns(2);
    assert!(work.join("rewritten").exists() && !work.join("made").exists());
    assert_eq!(talk.events_of("asked").len(), 1);
}

#[test]
fn where_gobbys_own_hooks_are_installed_its_rules_do_not_run_twice() {
    let script = Script::new().turn(on_user("hello"), [text("Hi.")]);
    let ruled = Ruled::open(script, &[("greets.yaml", GREETS)]);
    let hook = json!({"type": "command", "command": "true # ghook --gobby-owned --cli=claude --type=Stop"});
    let settings = json!({"hooks": {"Stop": [{"hooks": [hook]}]}});
    write(&ruled.house.scratch.work(), ".claude/settings.json", &settings.to_string());
    let talk = ruled.house.session(json!({}));
    talk.say("hello");
    talk.until_turns(1);
    assert_eq!(read(&ruled.house, "Source: "), 0);
    // A session that does not read those settings has no hooks of gobby's.
    let talk = ruled.house.session(json!({"setting_sources": ["user"]}));
    talk.say("hello");
    talk.until_turns(1);
    assert_eq!(read(&ruled.house, "Source: claude_sdk."), 1);
}

#[test]
fn changed_rules_count_at_once_broken_ones_do_not_and_those_that_allow_wait_for_a_tap() {
    let rule = |command: &str| {
        format!(
            "rules:\n  instead:\n    event: before_tool\n    enabled: true\n    effects: [{{type: rewrite_input, tools: [Bash], input_updates: {{command: '{command}'}}, auto_approve: true}}]\n"
        )
    };
    let script = ["one", "two", "three", "four"].into_iter().enumerate().fold(Script::new(), |script, (at, said)| {
        let call = format!("toolu_{at}");
        script.turn(on_user(said), [bash(&call, "touch made")]).turn(on_result(&call), [text("done")])
    });
    let ruled = Ruled::open(script, &[("own.yaml", &rule("touch first"))]);
    let (house, work) = (&ruled.house, ruled.house.scratch.work());
    let talk = house.session(json!({}));
    talk.say("one");
    talk.until_turns(1);
    assert!(work.join("first").exists(), "before a device is paired, and with a file of before, no tap is needed");
    let gobby = || house.get("/v1/rules")["gobby"].clone();
    // Broken: the last good version stays.
    write(ruled.folder.path(), "own.yaml", "rules: [\n");
    let found = house.until("the broken file is seen", || {
        gobby()["rules"]["findings"].as_array()?.iter().find(|it| it["kind"] == "error").cloned()
    });
    assert!(found["what"].as_str().unwrap().ends_with("its last good version stays in force"), "{found}");
    // Another one that allows: it waits for a tap, and until then only tightens.
    write(ruled.folder.path(), "own.yaml", &rule("touch second"));
    house.until("the new rules wait", || {
        (gobby()["waits_for_tap"] == true && gobby()["rules"]["wrong"] == 0).then_some(())
    });
    talk.say("two");
    let open = house.until("the call and the tap are asked", || {
        let open = house.get("/v1/asks")["items"].as_array()?.clone();
        (open.len() == 2).then_some(open)
    });
    let (taps, calls): (Vec<_>, Vec<_>) =
        open.iter().partition(|ask| ask["approval"]["summary"] == "Put changed rules in force");
    assert!(taps[0].to_string().contains("touch second"), "{}", taps[0]);
    house.answer(id(calls[0]), json!({"decision": "deny", "words": "no"}));
    talk.until_turns(2);
    house.answer(id(taps[0]), json!({"decision": "allow"}));
    house.until("the rules are agreed to", || (gobby()["waits_for_tap"] == false).then_some(()));
    talk.say("three");
    talk.until_turns(3);
    assert!(work.join("second").exists() && !work.join("made").exists());
}
