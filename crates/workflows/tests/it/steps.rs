//! Step workflows of both generations.

use askbridge_workflows::{NotActivated, StartSource};
use serde_json::{Map, json};

use crate::support::{Session, is_free, reason};
use crate::tools::{FIRST, SECOND};

fn activated(mut session: Session, workflow: &str) -> Session {
    session.workflows.activate(&mut session.state, workflow, &Map::new()).expect("it has steps");
    session
}

const OWN: &str = "
name: own
enabled: false
rule_definitions:
  no_push: {tools: [Bash], command_pattern: 'git push', reason: No pushing.}
variables: {ready: false}
steps:
  - name: look
    allowed_tools: [Read, Bash]
    check_rules: [no_push]
    on_enter: [{action: inject_message, content: 'Look at {{ variables.ready }}.'}]
    transitions: [{to: work, when: ready}]
    exit_conditions: [{type: user_approval, id: go, prompt: Shall I?}]
  - name: work
    allowed_tools: all
    blocked_tools: [Write]
    blocked_mcp_tools: ['shop:*']
    rules: [{when: \"tool_name == 'Edit' and not variables.get('may_edit')\", action: block, message: Not yet.}]
";

#[test]
fn a_step_that_does_not_allow_questions_blocks_them() {
    let mut session = activated(Session::with(&[("own.yaml", OWN)], "claude"), "own");
    assert_eq!(reason(&session.asks()), "Tool 'AskUserQuestion' is not in allowed list for step 'look'.");
    is_free(&session.before("Read", json!({})));
    is_free(&session.before("mcp__gobby__list_tools", json!({})));
    session.calls("gobby-workflows", "set_variable", json!({"name": "ready", "value": true}));
    is_free(&session.asks());
    let mut gobbys = activated(Session::of_gobby(SECOND, "claude"), "qa-dev");
    let outcome = gobbys.asks();
    assert!(reason(&outcome).starts_with("Tool 'AskUserQuestion' is not allowed in the 'claim' step."));
}

#[test]
fn steps_block_tools_mcp_tools_and_by_named_and_inline_rules() {
    let mut session = activated(Session::with(&[("own.yaml", OWN)], "claude"), "own");
    assert_eq!(session.before("Read", json!({})).context, ["Look at False."]);
    assert_eq!(reason(&session.before("Bash", json!({"command": "git push"}))), "No pushing.");
    is_free(&session.before("Bash", json!({"command": "git pull"})));
    session.state.variables.insert("ready".to_owned(), json!(true));
    assert_eq!(reason(&session.before("Write", json!({}))), "Tool 'Write' is blocked in step 'work'.");
    assert_eq!(reason(&session.before("Edit", json!({}))), "Not yet.");
    let call = json!({"server_name": "shop", "tool_name": "buy", "arguments": {}});
    assert_eq!(
        reason(&session.before("mcp__gobby__call_tool", call)),
        "MCP tool 'shop:buy' is blocked in step 'work'."
    );
}

#[test]
fn while_an_approval_is_pending_every_tool_waits() {
    let mut session = activated(Session::with(&[("own.yaml", OWN)], "claude"), "own");
    assert!(session.says("Hello").context.iter().any(|text| text.starts_with("Approval required: Shall I?")));
    let waiting = "Waiting for user approval. Please respond with 'yes' or 'no'.";
    assert_eq!(reason(&session.before("Read", json!({}))), waiting);
    session.says("Tell me more");
    assert_eq!(reason(&session.before("Read", json!({}))), waiting);
    session.says("Yes, let's proceed.");
    is_free(&session.before("Read", json!({})));
    let mut refused = activated(Session::with(&[("own.yaml", OWN)], "claude"), "own");
    refused.says("Hello");
    assert_eq!(reason(&refused.says("no")), "User rejected the approval request.");
    is_free(&refused.before("Read", json!({})));
}

#[test]
fn an_agents_steps_move_on_by_the_calls_that_are_seen() {
    let mut session = activated(Session::of_gobby(SECOND, "claude"), "qa-dev");
    session.start(StartSource::Startup);
    let task = json!({"task_id": "#1"});
    let claim = json!({"server_name": "gobby-tasks", "tool_name": "claim_task", "arguments": task});
    let outcome = session.after("mcp__gobby__call_tool", claim, json!({"success": true}));
    assert!(outcome.context.iter().any(|text| text.starts_with("Step transition: claim -> review_and_fix")));
    let close = json!({"server_name": "gobby-tasks", "tool_name": "close_task", "arguments": {}});
    let outcome = session.before("mcp__gobby__call_tool", close);
    assert_eq!(reason(&outcome), "MCP tool 'gobby-tasks:close_task' is blocked in the 'review_and_fix' step.");
    session.calls("gobby-tasks-ops", "approve_review", json!({}));
    assert_eq!(session.state.active.as_ref().map(|active| active.step.as_str()), Some("terminate"));
    assert_eq!(session.variable("step_workflow_complete"), json!(true));
    let write = json!({"name": "step_workflow_complete", "value": false});
    let outcome = session.before("mcp__gobby__set_variable", write);
    assert_eq!(reason(&outcome), "Variable 'step_workflow_complete' is managed by the step workflow runtime.");
}

#[test]
fn a_failed_call_moves_nothing() {
    let mut session = activated(Session::of_gobby(SECOND, "claude"), "qa-dev");
    let claim = json!({"server_name": "gobby-tasks", "tool_name": "claim_task", "arguments": {"task_id": "#1"}});
    session.after("mcp__gobby__call_tool", claim, json!({"success": false, "error": "taken"}));
    assert_eq!(session.state.active.as_ref().map(|active| active.step.as_str()), Some("claim"));
    assert_eq!(session.variable("task_claimed"), json!(false));
}

#[test]
fn a_workflow_keeps_the_agent_from_stopping_too_early_but_not_for_ever() {
    let file = "
name: own
enabled: false
steps: [{name: work, transitions: [{to: complete, when: 'variables.get(\"done\")'}]}, {name: complete}]
exit_condition: \"current_step == 'complete'\"
on_premature_stop: {action: block, message: 'Not in {{ step }}.'}
";
    let mut session = activated(Session::with(&[("own.yaml", file)], "claude"), "own");
    let reasons: Vec<_> = (0..3).map(|_| session.stops().block_stop.map(|block| block.reason)).collect();
    assert_eq!(reasons, [Some("Not in work.".to_owned()), Some("Not in work.".to_owned()), None]);
    session.state.variables.insert("done".to_owned(), json!(true));
    session.says("Go on");
    is_free(&session.stops());
}

#[test]
fn a_loop_of_steps_ends() {
    let file = "
name: own
steps:
  - {name: a, transitions: [{to: b, when: 'true'}]}
  - {name: b, transitions: [{to: a, when: 'true'}]}
";
    let mut session = activated(Session::with(&[("own.yaml", file)], "claude"), "own");
    is_free(&session.before("Read", json!({})));
}

#[test]
fn every_step_workflow_of_the_first_generation_can_be_activated() {
    let mut session = Session::of_gobby(FIRST, "claude");
    for name in ["developer", "qa-reviewer", "code-review", "merge", "generic", "auto-task"] {
        session.state = Default::default();
        session.workflows.activate(&mut session.state, name, &Map::new()).unwrap_or_else(|why| panic!("{name}: {why}"));
        session.before("Read", json!({}));
        session.stops();
    }
    let again = session.workflows.activate(&mut session.state, "developer", &Map::new());
    assert_eq!(again, Err(NotActivated::AnotherIs("auto-task".to_owned())));
    assert_eq!(session.workflows.activate(&mut Default::default(), "nope", &Map::new()), Err(NotActivated::Unknown));
    let lifecycle = session.workflows.activate(&mut Default::default(), "session-lifecycle", &Map::new());
    assert_eq!(lifecycle, Err(NotActivated::HasNoSteps));
}
