//! When gobby's own rules keep an agent from asking a person.

use askbridge_workflows::StartSource;
use serde_json::json;

use crate::support::{Session, is_free, reason};
use crate::tools::{FIRST, SECOND};

fn sessions() -> [Session; 3] {
    [Session::of_gobby(FIRST, "claude"), Session::of_gobby(FIRST, "claude_sdk"), Session::of_gobby(SECOND, "claude")]
}

#[test]
fn a_question_is_free_until_a_stop_was_refused_with_a_task_claimed() {
    for mut session in sessions() {
        session.start(StartSource::Startup);
        session.says("Fix the shop, please.");
        is_free(&session.asks());
        session.calls("gobby-tasks", "claim_task", json!({"task_id": "#12"}));
        assert_eq!(session.variable("task_claimed"), json!(true), "{}", session.source);
        is_free(&session.asks());
        session.stops();
        assert_eq!(session.variable("stop_attempts"), json!(1));
        let outcome = session.asks();
        assert!(reason(&outcome).starts_with("Do not ask — act on the hook directive"), "{}", reason(&outcome));
        assert!(reason(&outcome).contains("git commit -m \"[shop-#N] description\""), "{}", reason(&outcome));
    }
}

#[test]
fn a_question_is_free_again_once_a_person_wrote_or_the_task_is_closed() {
    for mut session in sessions() {
        session.start(StartSource::Startup);
        session.says("Fix the shop, please.");
        session.calls("gobby-tasks", "claim_task", json!({"task_id": "#12"}));
        session.stops();
        assert!(session.asks().block.is_some());
        session.says("What is it?");
        is_free(&session.asks());
        session.stops();
        assert!(session.asks().block.is_some());
        session.calls("gobby-tasks", "close_task", json!({"task_id": "#12", "commit_sha": "abc"}));
        assert_eq!(session.variable("task_claimed"), json!(false));
        is_free(&session.asks());
    }
}

#[test]
fn another_tool_is_not_meant() {
    let mut session = Session::of_files(FIRST, &["session-lifecycle.yaml"], "claude");
    session.start(StartSource::Startup);
    session.calls("gobby-tasks", "claim_task", json!({"task_id": "#12"}));
    session.stops();
    is_free(&session.before("Read", json!({"file_path": "/a"})));
    let outcome = session.before("TaskCreate", json!({}));
    assert!(reason(&outcome).starts_with("CC native task tools are disabled."));
}

#[test]
fn an_edit_without_a_task_is_refused_and_a_plan_is_not() {
    for (version, plan) in [(FIRST, "/home/a/.claude/plans/p.md"), (SECOND, "/home/a/.claude/plans/p.md")] {
        let mut session = Session::of_gobby(version, "claude");
        session.start(StartSource::Startup);
        session.says("Change the file, please.");
        let outcome = session.before("Edit", json!({"file_path": "/home/a/x.py"}));
        assert!(reason(&outcome).starts_with("You must create or claim a task before editing files."), "{version}");
        is_free(&session.before("Edit", json!({"file_path": plan})));
        session.calls("gobby-tasks", "create_task", json!({"title": "x", "claim": true}));
        is_free(&session.before("Edit", json!({"file_path": "/home/a/x.py"})));
    }
}

#[test]
fn tools_are_unlocked_by_reading_their_schema() {
    let mut session = Session::of_files(FIRST, &["session-lifecycle.yaml"], "claude");
    session.start(StartSource::Startup);
    let tool = json!({"server_name": "shop", "tool_name": "buy"});
    let outcome = session.before("mcp__gobby__list_tools", json!({"server_name": "shop"}));
    assert!(reason(&outcome).starts_with("Call list_mcp_servers() first"));
    session.after("mcp__gobby__list_mcp_servers", json!({}), json!({}));
    is_free(&session.before("mcp__gobby__list_tools", json!({"server_name": "shop"})));
    let outcome = session.before("mcp__gobby__get_tool_schema", tool.clone());
    assert_eq!(reason(&outcome).trim(), "Call list_tools(server_name=\"shop\") first, then retry get_tool_schema.");
    session.after("mcp__gobby__list_tools", json!({"server_name": "shop"}), json!({}));
    is_free(&session.before("mcp__gobby__get_tool_schema", tool.clone()));
    let call = json!({"server_name": "shop", "tool_name": "buy", "arguments": {"what": "tea"}});
    let outcome = session.before("mcp__gobby__call_tool", call.clone());
    assert!(reason(&outcome).starts_with("Schema required before calling call_tool(\"shop\", \"buy\")."));
    session.after("mcp__gobby__get_tool_schema", tool, json!({}));
    assert_eq!(session.variable("unlocked_tools"), json!(["shop:buy"]));
    is_free(&session.before("mcp__gobby__call_tool", call));
}

#[test]
fn a_stop_is_refused_while_a_tool_was_just_blocked_but_not_for_ever() {
    let mut session = Session::of_files(FIRST, &["session-lifecycle.yaml"], "claude");
    session.start(StartSource::Startup);
    assert!(session.before("TaskList", json!({})).block.is_some());
    let refusals = (0..4).filter(|_| session.stops().block_stop.is_some()).count();
    // Attempts 1 and 2 are refused; from the third on, the agent may go.
    assert_eq!(refusals, 2);
}

#[test]
fn the_second_generation_refuses_a_stop_with_an_open_task() {
    let mut session = Session::of_gobby(SECOND, "claude");
    session.start(StartSource::Startup);
    session.says("Fix the shop, please.");
    session.calls("gobby-tasks", "claim_task", json!({"task_id": "#12"}));
    let stop = session.stops().block_stop.expect("a task is claimed");
    assert_eq!(stop.rule, "require-task-close");
    assert!(stop.reason.contains("#12"), "{}", stop.reason);
    let allowed = (0..10).position(|_| session.stops().block_stop.is_none());
    assert_eq!(allowed, Some(6), "max_stop_attempts is 8");
}

#[test]
fn plan_mode_is_seen_in_tools_and_reminders() {
    let mut session = Session::of_gobby(SECOND, "claude");
    session.start(StartSource::Startup);
    session.says("Plan mode is active");
    assert_eq!(session.variable("plan_mode"), json!(false), "a person's words are no reminder");
    session.says("Hello. <system-reminder>Plan mode is active.</system-reminder>");
    assert_eq!(session.variable("plan_mode"), json!(true));
    let outcome = session.before("Write", json!({"file_path": "/home/a/x.py"}));
    assert!(reason(&outcome).starts_with("Plan mode is active"), "{}", reason(&outcome));
    session.after("ExitPlanMode", json!({}), json!({}));
    assert_eq!(session.variable("plan_mode"), json!(false));
}

#[test]
fn a_large_input_is_no_reason_to_block_a_call() {
    for version in [FIRST, SECOND] {
        let mut session = Session::of_gobby(version, "claude");
        session.start(StartSource::Startup);
        session.says("Write it, please.");
        session.calls("gobby-tasks", "claim_task", json!({"task_id": "#12"}));
        let text = "All work and no play makes a long file - or two; and so on.\n".repeat(40_000);
        is_free(&session.before("Write", json!({"file_path": "/home/a/long.txt", "content": text})));
        // The kernel takes no longer word.
        let command = format!("cat > long.txt <<'END'\n{}END", &text[..128_000]);
        is_free(&session.before("Bash", json!({"command": command})));
    }
}
