//! The cases of gobby's design: questions after a stop, sessions without a start, steps, conditions that fail, all rules at once.

use std::fs;

use askbridge_scripted::model::{Script, ask, on_result, on_user, text, tool};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{FIRST, Ruled, SECOND, bash, proxied, read, wheel, with_proxy, write};
use crate::house::{House, id};

#[test]
fn a_question_is_blocked_while_stops_are_counted_and_a_task_is_claimed() {
    let server = json!({"server_name": "gobby-tasks"});
    let of = |tool: &str| json!({"server_name": "gobby-tasks", "tool_name": tool});
    let script = Script::new()
        .turn(on_user("Fix the shop"), [tool("toolu_1", "mcp__gobby__list_mcp_servers", json!({}))])
        .turn(on_result("toolu_1"), [tool("toolu_2", "mcp__gobby__list_tools", server)])
        .turn(on_result("toolu_2"), [tool("toolu_3", "mcp__gobby__get_tool_schema", of("claim_task"))])
        .turn(on_result("toolu_3"), [proxied("toolu_4", "gobby-tasks", "claim_task", json!({"task_id": "#12"}))])
        .turn(on_result("toolu_4"), [text("I am done.")])
        .turn(on_user("This session has claimed tasks"), [ask("toolu_5", "May I stop?", ["Yes", "No"])])
        .turn(on_result("toolu_5"), [tool("toolu_6", "mcp__gobby__get_tool_schema", of("close_task"))])
        .turn(
            on_result("toolu_6"),
            [proxied("toolu_7", "gobby-tasks", "close_task", json!({"task_id": "#12", "reason": "obsolete"}))],
        )
        .turn(on_result("toolu_7"), [text("Closed.")])
        .turn(on_user("Go on"), [ask("toolu_8", "Which?", ["A", "B"])])
        .turn(on_result("toolu_8"), [text("Thanks.")]);
    let house = Ruled::with_wheel(script, SECOND);
    let talk = with_proxy(&house, json!({}));
    talk.say("Fix the shop");
    talk.until_turns(1);
    let read = house.model.tool_result("toolu_5").unwrap();
    assert!(read.is_error && read.text.contains("Do not ask — act on the hook directive"), "{read:?}");
    assert!(
        read.text.contains("block-ask-during-stop-compliance") && read.text.contains("no person was asked"),
        "{read:?}"
    );
    assert_eq!(talk.events_of("asked").len(), 0, "a card appeared");
    let ruled = talk.events_of("tool_ruled");
    let ruled: Vec<_> = ruled.iter().map(|it| (it["call"].as_str().unwrap(), it["ruling"].as_str().unwrap())).collect();
    assert_eq!(ruled, [("toolu_5", "deny")]);
    // Closed, the task is no reason any more.
    talk.say("Go on");
    let asked = talk.open_ask();
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    assert!(house.model.until_result("toolu_8").text.contains(r#""Which?"="B""#));
    talk.until_turns(2);
    assert_eq!(house.model.unscripted(), Vec::<String>::new());
}

/// The policy that both generations' first events tell an agent about, once.
const POLICY: &str = "Pre-Existing Error/Warning/Failure Policy";

#[test]
fn a_session_without_a_start_is_initialized_at_its_first_message_and_once() {
    let script = Script::new().turn(on_user("hello"), [text("Hi.")]).turn(on_user("again"), [text("Yes?")]);
    let mut house = Ruled::with_wheel(script, FIRST);
    let talk = with_proxy(&house, json!({}));
    let session = talk.id.clone();
    talk.say("hello one");
    talk.until_turns(1);
    assert_eq!(read(&house, POLICY), 1);
    talk.say("again two");
    talk.until_turns(2);
    assert_eq!(read(&house, POLICY), 1, "the second message initialized it again");
    // Nor after a resume: the process is killed, and the server too.
    let pid = talk.pid().unwrap();
    house.kill();
    rustix::process::kill_process_group(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL)
        .unwrap();
    house.start();
    let talk = house.talk(&session);
    talk.say("again three");
    talk.until_turns(3);
    assert_eq!(read(&house, POLICY), 1, "a resume initialized it again");
    assert_eq!(house.model.unscripted(), Vec::<String>::new());
}

const STEPS: &str = "
name: careful
enabled: false
variables: {ready: false}
steps:
  - name: look
    status_message: Only looking.
    allowed_tools: [Read, Bash, mcp__gobby__call_tool]
    transitions: [{to: work, when: ready}]
  - name: work
    allowed_tools: all
    blocked_tools: [Write]
";

#[test]
fn a_step_blocks_a_question_before_a_person_is_asked_and_survives_a_kill() {
    let ready = json!({"name": "ready", "value": true});
    let script = Script::new()
        .turn(on_user("one"), [ask("toolu_1", "Which?", ["A", "B"])])
        .turn(on_result("toolu_1"), [text("I cannot ask.")])
        .turn(on_user("two"), [ask("toolu_2", "Which?", ["A", "B"])])
        .turn(on_result("toolu_2"), [proxied("toolu_3", "gobby-workflows", "set_variable", ready)])
        .turn(on_result("toolu_3"), [ask("toolu_4", "Which?", ["A", "B"])])
        .turn(on_result("toolu_4"), [tool("toolu_5", "Write", json!({"file_path": "x", "content": "y"}))])
        .turn(on_result("toolu_5"), [text("So be it.")]);
    let mut ruled = Ruled::open(script, &[("careful.yaml", STEPS)]);
    let unknown = json!({"agent": "claude", "cwd": ruled.house.scratch.work(), "workflow": "nope"});
    let (status, refused) = ruled.house.post("/v1/sessions", &unknown);
    assert_eq!(
        (status, refused["detail"].as_str().unwrap()),
        (422, "`nope` cannot be started: there is no such workflow")
    );
    let talk = with_proxy(&ruled.house, json!({"workflow": "careful"}));
    assert_eq!(talk.show()["workflow"], json!({"name": "careful", "step": "look"}));
    talk.say("one");
    talk.until_turns(1);
    let read = ruled.house.model.tool_result("toolu_1").unwrap();
    assert!(read.text.contains("Tool 'AskUserQuestion' is not in allowed list for step 'look'."), "{read:?}");
    let ruling = &talk.events_of("tool_ruled")[0];
    assert_eq!((&ruling["rule"], &ruling["line"]), (&json!("careful/look"), &json!(6)));
    assert_eq!(ruling["file"], ruled.folder.path().join("careful.yaml").to_str().unwrap());
    let session = talk.id.clone();
    ruled.house.kill();
    ruled.house.start();
    let talk = ruled.house.talk(&session);
    assert_eq!(talk.show()["workflow"], json!({"name": "careful", "step": "look"}));
    talk.say("two");
    // Once the step has changed, a person is asked.
    let asked = talk.open_ask();
    assert_eq!(talk.show()["workflow"]["step"], "work");
    assert!(ruled.house.model.tool_result("toolu_2").unwrap().is_error);
    // Killed with the question open: the step stays, and so does the card.
    ruled.house.kill();
    ruled.house.start();
    let talk = ruled.house.talk(&session);
    assert_eq!((id(&talk.open_ask()), &talk.show()["workflow"]["step"]), (id(&asked), &json!("work")));
    ruled.house.answer(id(&asked), json!({"answers": {"Which?": "A"}}));
    talk.until_turns(2);
    let read = ruled.house.model.tool_result("toolu_5").unwrap();
    assert!(read.text.contains("Tool 'Write' is blocked in step 'work'."), "{read:?}");
    assert_eq!(talk.events_of("asked").len(), 1);
    let notices: Vec<_> = talk.events_of("notice").iter().map(|it| it["text"].as_str().unwrap().to_owned()).collect();
    assert!(notices.contains(&"Only looking.".to_owned()), "{notices:?}");
    assert_eq!(notices.iter().filter(|text| *text == "Workflow careful: look -> work").count(), 1, "{notices:?}");
    assert_eq!(ruled.house.model.unscripted(), Vec::<String>::new());
}

#[test]
fn what_cannot_be_decided_blocks_and_any_other_effect_does_nothing() {
    let rules = "
rules:
  closed:
    event: before_tool
    enabled: true
    when: unknown_name > 1
    effects: [{type: block, tools: [Bash], reason: Not sure.}]
  open:
    event: after_tool
    enabled: true
    when: unknown_name > 1
    effects: [{type: inject_context, template: Never to be read.}]
  tells:
    event: after_tool
    enabled: true
    effects: [{type: inject_context, template: 'Read {{ tool_input.file_path }}.'}]
";
    let script = Script::new()
        .turn(on_user("go"), [bash("toolu_1", "touch made")])
        .turn(on_result("toolu_1"), [tool("toolu_2", "Read", json!({"file_path": "/nothing/here"}))])
        .turn(on_result("toolu_2"), [text("done")]);
    let ruled = Ruled::open(script, &[("rules/own.yaml", rules)]);
    let talk = with_proxy(&ruled.house, json!({}));
    talk.say("go");
    talk.until_turns(1);
    assert!(ruled.house.model.tool_result("toolu_1").unwrap().text.contains("Not sure."));
    assert!(!ruled.house.scratch.work().join("made").exists());
    assert_eq!((read(&ruled.house, "Never to be read."), read(&ruled.house, "Read /nothing/here.")), (0, 1));
}

/// All rules of the wheel, also the two that it ships switched off.
fn everything() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = wheel(SECOND);
    let mut folders = vec![from.clone()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(at).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap().replace("    enabled: false", "    enabled: true");
            write(folder.path(), path.strip_prefix(&from).unwrap().to_str().unwrap(), &text);
        }
    }
    folder
}

/// What the wheel's rules block of an ordinary piece of work: `docs/guides/gobby-rules.md` has the same list.
#[test]
fn with_all_rules_on_an_agent_edits_runs_tests_and_asks() {
    let folder = everything();
    let of = |name: &str| json!({"server_name": "gobby-tasks", "tool_name": name});
    let schema = |id: &str, name: &str| tool(id, "mcp__gobby__get_tool_schema", of(name));
    let claim = |id: &str| proxied(id, "gobby-tasks", "claim_task", json!({"task_id": "#12"}));
    let edit = |id: &str| tool(id, "Write", json!({"file_path": "shop.txt", "content": "open\n"}));
    // Each with what blocks it, if anything does.
    let calls = [
        (edit("toolu_01"), Some("require-task-before-edit")),
        (claim("toolu_02"), Some("require-schema-before-call")),
        (schema("toolu_03", "claim_task"), None),
        (claim("toolu_04"), None),
        (edit("toolu_05"), None),
        (bash("toolu_06", "sh test.sh"), None),
        (bash("toolu_07", "python3 -m pytest"), Some("require-uv")),
        (bash("toolu_08", "gobby tasks close '#12'"), Some("block-gobby-tasks-cli")),
        (bash("toolu_09", "git push --force"), Some("no-force-push-interactive")),
        (ask("toolu_10", "Which?", ["A", "B"]), None),
    ];
    let mut script = Script::new();
    let mut when = on_user("Build the shop");
    let mut wanted = Vec::new();
    for (at, (call, blocks)) in calls.into_iter().enumerate() {
        let call_id = format!("toolu_{:02}", at + 1);
        script = script.turn(when, [call]);
        when = on_result(&call_id);
        wanted.extend(blocks.map(|rule| (call_id, rule.to_owned())));
    }
    let script = script
        .turn(when, [text("Done.")])
        // The stop is refused, too, until the task is closed.
        .turn(on_user("This session has claimed tasks: #12"), [schema("toolu_11", "close_task")])
        .turn(on_result("toolu_11"), [proxied("toolu_12", "gobby-tasks", "close_task", json!({"task_id": "#12"}))])
        .turn(on_result("toolu_12"), [text("Closed.")]);
    let house = House::open_with(script, &[("ASKBRIDGE_GOBBY_RULES", folder.path().to_str().unwrap())]);
    assert_eq!(house.get("/v1/rules")["gobby"]["rules"]["wrong"], 0);
    fs::write(house.scratch.work().join("test.sh"), "echo 1 test passed\n").unwrap();
    let talk = with_proxy(&house, json!({}));
    talk.say("Build the shop");
    let asked = talk.open_ask();
    house.answer(id(&asked), json!({"answers": {"Which?": "A"}}));
    talk.until_turns(1);
    let text_of = |event: &Value, key: &str| event[key].as_str().unwrap().to_owned();
    let ruled = talk.events_of("tool_ruled");
    let ruled: Vec<_> = ruled.iter().map(|event| (text_of(event, "call"), text_of(event, "rule"))).collect();
    assert_eq!(ruled, wanted);
    assert_eq!(fs::read_to_string(house.scratch.work().join("shop.txt")).unwrap(), "open\n");
    assert!(!house.model.tool_result("toolu_12").unwrap().is_error);
    assert!(house.model.tool_result("toolu_06").unwrap().text.contains("1 test passed"));
    assert!(house.model.tool_result("toolu_10").unwrap().text.contains(r#""Which?"="A""#));
    assert_eq!(house.model.unscripted(), Vec::<String>::new());
}

#[test]
fn the_first_generation_blocks_a_question_after_a_stop_was_refused() {
    let script = Script::new()
        .turn(on_user("Fix the shop"), [proxied("toolu_1", "gobby-tasks", "claim_task", json!({"task_id": "#12"}))])
        .turn(on_result("toolu_1"), [bash("toolu_2", "echo '[main abc1234] fixed'")])
        .turn(on_result("toolu_2"), [text("I am done.")])
        .turn(on_user("You must triage"), [ask("toolu_3", "May I stop?", ["Yes", "No"])])
        .turn(on_result("toolu_3"), [text("Well then.")]);
    let text = fs::read_to_string(wheel(FIRST).join("gobby/install/shared/workflows/session-lifecycle.yaml")).unwrap();
    // As for a session of gobby's page, which has both files; with the tools looked up before.
    let unlocked = [
        ("sources: [claude,", "sources: [claude_sdk, claude,"),
        ("unlocked_tools: []", "unlocked_tools: ['gobby-tasks:claim_task']"),
        ("servers_listed: false", "servers_listed: true"),
        ("listed_servers: []", "listed_servers: [gobby-tasks]"),
    ];
    let unlocked = unlocked.iter().fold(text, |text, (from, to)| text.replacen(from, to, 1));
    let ruled = Ruled::open(script, &[("own.yaml", &unlocked)]);
    let talk = with_proxy(&ruled.house, json!({}));
    talk.say("Fix the shop");
    talk.until_turns(1);
    let read = ruled.house.model.tool_result("toolu_3").unwrap();
    assert!(read.is_error && read.text.contains("Do not ask — act on the hook directive"), "{read:?}");
    assert_eq!(talk.events_of("asked").len(), 0, "a card appeared");
}
