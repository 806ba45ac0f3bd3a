//! gobby's rules drive the real Claude Code: what they block, what the agent reads, and what survives.

use std::fs;
use std::path::{Path, PathBuf};

use askbridge_scripted::model::{Piece, Script, ask, on_result, on_user, text, tool};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::house::{House, Talk, id};

pub(crate) const FIRST: &str = "0.2.18";
pub(crate) const SECOND: &str = "0.4.6";

/// gobby's files of a version, as its wheel has them.
#[track_caller]
fn wheel(version: &str) -> PathBuf {
    let tools = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/gobby")).join(version);
    #[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
    let folder = std::env::var_os("ASKBRIDGE_TEST_GOBBY").map_or(tools, |folder| PathBuf::from(folder).join(version));
    assert!(folder.is_dir(), "there is no gobby {version} at {}; run `cargo xtask install`", folder.display());
    folder
}

/// A folder of rules, and a house that is driven by them.
struct Ruled {
    folder: TempDir,
    house: House,
}

impl Ruled {
    fn open(script: Script, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            write(folder.path(), file, text);
        }
        let house = House::open_with(script, &[("ASKBRIDGE_GOBBY_RULES", folder.path().to_str().unwrap())]);
        Self { folder, house }
    }

    /// With all files of a version of gobby.
    fn with_wheel(script: Script, version: &str) -> House {
        let folder = wheel(version);
        House::open_with(script, &[("ASKBRIDGE_GOBBY_RULES", folder.to_str().unwrap())])
    }
}

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A session with gobby's proxy as an MCP server.
fn with_proxy(house: &House, more: Value) -> Talk<'_> {
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/claude/gobby_server.py");
    let servers = json!({"gobby": {"type": "stdio", "command": "python3", "args": [server]}});
    let allowed = ["mcp__gobby__call_tool", "mcp__gobby__list_tools", "mcp__gobby__get_tool_schema", "mcp__gobby__list_mcp_servers", "Bash", "Edit", "Write", "Read"];
    let mut wish = json!({"mcp_servers": servers, "allowed_tools": allowed});
    wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    house.session(wish)
}

fn proxied(id: &str, server: &str, name: &str, arguments: Value) -> Piece {
    tool(id, "mcp__gobby__call_tool", json!({"server_name": server, "tool_name": name, "arguments": arguments}))
}

fn bash(id: &str, command: &str) -> Piece {
    tool(id, "Bash", json!({"command": command, "description": "d"}))
}

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
    assert!(read.text.contains("block-ask-during-stop-compliance") && read.text.contains("no person was asked"), "{read:?}");
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

/// How often the model has read this so far in its conversation.
fn read(house: &House, words: &str) -> usize {
    let heard = house.model.heard();
    let talked = heard.iter().rev().find(|heard| !heard.tool_names().is_empty()).unwrap();
    talked.messages().iter().map(|message| message.to_string().matches(words).count()).sum()
}

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
    rustix::process::kill_process_group(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL).unwrap();
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
    assert_eq!((status, refused["detail"].as_str().unwrap()), (422, "`nope` cannot be started: there is no such workflow"));
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

const GREETS: &str = "
rules:
  greets:
    event: turn_start
    enabled: true
    effects: [{type: inject_context, template: 'Source: {{ source }}. Project: {{ project.name }}.'}]
";

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
    house.until("the folder is trusted", || (house.get("/v1/rules")["gobby"]["projects"][0]["trusted"] == true).then_some(()));
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
    house.until("the new rules wait", || (gobby()["waits_for_tap"] == true && gobby()["rules"]["wrong"] == 0).then_some(()));
    talk.say("two");
    let open = house.until("the call and the tap are asked", || {
        let open = house.get("/v1/asks")["items"].as_array()?.clone();
        (open.len() == 2).then_some(open)
    });
    let (taps, calls): (Vec<_>, Vec<_>) = open.iter().partition(|ask| ask["approval"]["summary"] == "Put changed rules in force");
    assert!(taps[0].to_string().contains("touch second"), "{}", taps[0]);
    house.answer(id(calls[0]), json!({"decision": "deny", "words": "no"}));
    talk.until_turns(2);
    house.answer(id(taps[0]), json!({"decision": "allow"}));
    house.until("the rules are agreed to", || (gobby()["waits_for_tap"] == false).then_some(()));
    talk.say("three");
    talk.until_turns(3);
    assert!(work.join("second").exists() && !work.join("made").exists());
}
