//! What effects do, and what conditions that fail do.

use askbridge_workflows::{Did, Event, FindingKind, Hook, PermissionDecision, RuleStatus, ToolCall};
use serde_json::json;

use crate::support::{Session, is_free, reason};
use crate::tools::SECOND;

fn rule(rest: &str) -> Session {
    Session::of_rule(&format!("rules:\n  own:\n    enabled: true\n{rest}"))
}

#[test]
fn a_block_that_cannot_be_decided_blocks_and_another_effect_does_nothing() {
    let mut closed =
        rule("    event: before_tool\n    when: unknown_name > 1\n    effects: [{type: block, reason: No.}]");
    let outcome = closed.before("Read", json!({}));
    assert_eq!(reason(&outcome), "No.");
    assert_eq!(outcome.trace[0].did, Did::FailClosed);
    let mut open =
        rule("    event: before_tool\n    when: unknown_name > 1\n    effects: [{type: inject_context, template: Hi}]");
    let outcome = open.before("Read", json!({}));
    assert_eq!((outcome.context.len(), outcome.trace[0].did), (0, Did::FailOpen));
}

#[test]
fn a_condition_that_is_not_python_is_an_error_and_a_block_with_it_still_blocks() {
    let mut session = rule("    event: before_tool\n    when: not (\n    effects: [{type: block, reason: No.}]");
    assert_eq!(session.findings.len(), 1);
    assert_eq!((session.findings[0].kind, session.findings[0].line), (FindingKind::Error, Some(5)));
    assert_eq!(reason(&session.before("Read", json!({}))), "No.");
}

#[test]
fn a_rule_that_needs_the_daemon_never_fails_closed() {
    let mut session = rule(
        "    event: before_tool\n    when: not skill_loaded('python') or task_tree_complete(1)\n    effects: [{type: block, reason: No.}]",
    );
    is_free(&session.before("Edit", json!({"file_path": "a.py"})));
    assert_eq!(session.findings[0].kind, FindingKind::Inactive);
    assert_eq!(session.workflows.report().files[0].rules[0].status, RuleStatus::Inactive);
}

#[test]
fn a_rule_is_off_unless_its_file_says_that_it_is_on() {
    let mut session =
        Session::of_rule("rules:\n  own:\n    event: before_tool\n    effects: [{type: block, reason: No.}]");
    is_free(&session.before("Read", json!({})));
    let text = "rules:\n  own:\n    event: before_tool\n    enabled: yes\n    effects: [{type: block, reason: No.}]";
    assert!(Session::of_rule(text).before("Read", json!({})).block.is_some(), "YAML 1.1 has another word for true");
    let mut old = Session::with(&[("rules/deprecated/x.yaml", text)], "claude");
    is_free(&old.before("Read", json!({})));
}

#[test]
fn the_lower_number_comes_first_and_the_first_block_wins() {
    let text = "
rules:
  late: {event: before_tool, enabled: true, priority: 20, effects: [{type: block, reason: late}]}
  early: {event: before_tool, enabled: true, priority: 3, effects: [{type: block, reason: early}]}
  note: {event: before_tool, enabled: true, priority: 1, effects: [{type: inject_context, template: noted}]}
";
    let outcome = Session::of_rule(text).before("Read", json!({}));
    assert_eq!((reason(&outcome), outcome.context.as_slice()), ("early", &["noted".to_owned()][..]));
}

#[test]
fn variables_are_literals_expressions_and_templates() {
    let mut session = rule(
        "
    event: before_tool
    effects:
      - {type: set_variable, variable: list, value: \"variables.get('list', []) + [event.data.get('tool_name')]\"}
      - {type: set_variable, variable: count, value: '{{ (count or 0) + 1 }}'}
      - {type: set_variable, variable: word, value: plain}
      - {type: set_variable, variable: table, value: {a: [1, true]}}
      - {type: set_variable, variable: bad, value: 'variables.nope + 1'}
",
    );
    session.before("Read", json!({}));
    session.before("Edit", json!({}));
    assert_eq!(session.variable("list"), json!(["Read", "Edit"]));
    assert_eq!(session.variable("count"), json!(2));
    assert_eq!((session.variable("word"), session.variable("table")), (json!("plain"), json!({"a": [1, true]})));
    assert_eq!(session.variable("bad"), json!(null), "an expression that fails sets nothing");
}

#[test]
fn an_input_is_rewritten_whole_and_never_by_half() {
    let mut session = rule(
        "    event: before_tool\n    effects: [{type: rewrite_input, tools: [Bash], auto_approve: true, input_updates: {command: 'nice {{ tool_input.command }}'}}]",
    );
    let outcome = session.before("Bash", json!({"command": "make", "timeout": 5}));
    let rewritten = outcome.rewritten_input.expect("the rule rewrites");
    assert_eq!((rewritten.input, rewritten.auto_approve), (json!({"command": "nice make", "timeout": 5}), true));
    assert_eq!(session.before("Read", json!({})).rewritten_input, None);
    let mut half = rule(
        "    event: before_tool\n    effects: [{type: rewrite_input, input_updates: {command: '{{ wrapper }} {{ tool_input.command }}'}}]",
    );
    assert_eq!(half.before("Bash", json!({"command": "make"})).rewritten_input, None, "`wrapper` is not known");
}

#[test]
fn updates_of_a_call_through_the_proxy_go_to_its_arguments() {
    let mut session = rule(
        "    event: before_tool\n    when: tool_input.get('skip')\n    effects: [{type: rewrite_input, input_updates: {skip: false}}]",
    );
    let input = json!({"server_name": "s", "tool_name": "t", "arguments": "{\"skip\": true, \"a\": 1}"});
    let rewritten = session.before("mcp__gobby__call_tool", input).rewritten_input.expect("the rule rewrites");
    assert_eq!(rewritten.input, json!({"server_name": "s", "tool_name": "t", "arguments": {"skip": false, "a": 1}}));
}

#[test]
fn a_permission_request_is_answered() {
    let mut session = rule(
        "    event: permission_request\n    effects: [{type: set_permission_response, tools: [Bash], command_pattern: ^ls, permission_decision: allow, input_updates: {timeout: 1}}]",
    );
    let mut ask = |command: &str| {
        let call = ToolCall::new("Bash", json!({"command": command}));
        session.on(Hook::PermissionRequest(call)).permission
    };
    let permission = ask("ls").expect("the rule answers");
    assert_eq!(permission.decision, Some(PermissionDecision::Allow));
    assert_eq!(permission.updated_input, Some(json!({"command": "ls", "timeout": 1})));
    assert_eq!(ask("rm x"), None);
}

#[test]
fn notes_are_kept_and_commands_are_never_run() {
    let mut session = rule(
        "
    event: after_tool
    effects:
      - {type: run_command, argv: [touch, /tmp/never]}
      - {type: observe, category: calls, message: 'saw {{ event.data.tool_name }}'}
",
    );
    let outcome = session.after("Read", json!({}), json!("text"));
    assert_eq!(outcome.observed[0].message, "saw Read");
    assert_eq!(session.variable("_observations")[0]["category"], "calls");
    let finding = session.findings.iter().find(|it| it.kind == FindingKind::WithoutEffect).expect("it is listed");
    assert!(finding.what.starts_with("effect `run_command` (commands are never run)"), "{}", finding.what);
}

#[test]
fn rules_are_for_tools_commands_and_mcp_tools() {
    let mut session = rule(
        "
    event: before_tool
    effects: [{type: block, reason: No., tools: [Bash], mcp_tools: ['shop:*', 'bank:pay'], command_pattern: '\\bpush\\b', command_not_pattern: dry}]
",
    );
    assert!(session.before("Bash", json!({"command": "git push"})).block.is_some());
    is_free(&session.before("Bash", json!({"command": "git push --dry-run"})));
    is_free(&session.before("Bash", json!({"command": "git pull"})));
    is_free(&session.before("Read", json!({})));
    assert!(session.before("mcp__shop__buy", json!({})).block.is_some());
    assert!(
        session.before("mcp__gobby__call_tool", json!({"server_name": "bank", "tool_name": "pay"})).block.is_some()
    );
    is_free(&session.before("mcp__gobby__call_tool", json!({"server_name": "bank", "tool_name": "look"})));
}

#[test]
fn audiences_and_agents_decide_whom_a_rule_is_for() {
    let text = "
rules:
  people: {event: before_tool, enabled: true, audience: interactive, effects: [{type: inject_context, template: people}]}
  robots: {event: before_tool, enabled: true, audience: autonomous, effects: [{type: inject_context, template: robots}]}
  planner: {event: before_tool, enabled: true, agent_scope: [planner], effects: [{type: inject_context, template: planner}]}
";
    let mut session = Session::of_rule(text);
    assert_eq!(session.before("Read", json!({})).context, ["people"]);
    session.facts.agent = Some("planner".to_owned());
    assert_eq!(session.before("Read", json!({})).context, ["planner"]);
    session.facts.agent = None;
    session.state.variables.insert("is_spawned_agent".to_owned(), json!(true));
    assert_eq!(session.before("Read", json!({})).context, ["robots"]);
}

#[test]
fn a_stop_is_blocked_by_either_word() {
    for word in ["block", "block_stop"] {
        let mut session = rule(&format!("    event: stop\n    effects: [{{type: {word}, reason: Not yet.}}]"));
        assert_eq!(session.stops().block_stop.map(|block| block.reason).as_deref(), Some("Not yet."), "{word}");
    }
}

#[test]
fn an_agents_definition_selects_rules_and_blocks_tools() {
    let rules = "
tags: [default]
rules:
  kept: {event: before_tool, enabled: true, effects: [{type: inject_context, template: kept}]}
  no-use: {event: before_tool, enabled: true, effects: [{type: inject_context, template: unused}]}
";
    let agent = "
name: clerk
instructions: Write.
blocked_tools: [Bash]
blocked_mcp_tools: ['shop:*']
workflows: {rule_selectors: {include: ['tag:default'], exclude: ['name:no-*']}}
";
    let mut session = Session::with(&[("rules/a/r.yaml", rules), ("agents/clerk.yaml", agent)], "claude");
    assert_eq!(session.before("Read", json!({})).context, ["kept", "unused"]);
    session.facts.agent = Some("clerk".to_owned());
    assert_eq!(session.before("Read", json!({})).context, ["kept"]);
    assert_eq!(
        reason(&session.before("Bash", json!({"command": "ls"}))),
        "Tool 'Bash' is blocked for the 'clerk' agent."
    );
    let call = json!({"server_name": "shop", "tool_name": "buy", "arguments": {}});
    let outcome = session.before("mcp__gobby__call_tool", call);
    assert_eq!(reason(&outcome), "MCP tool 'shop:buy' is blocked for the 'clerk' agent.");
}

#[test]
fn a_failed_call_is_answered_with_guidance_and_a_good_one_is_not() {
    let mut session = Session::of_files(SECOND, &["inject-tool-error-recovery.yaml"], "claude");
    let call = ToolCall::new("Bash", json!({"command": "make"}));
    let mut after =
        |output, is_failure| session.on(Hook::PostToolUse { call: call.clone(), output, is_failure }).context;
    assert_eq!(after(json!("done"), false), [""; 0]);
    assert_eq!(after(json!("Exit code: 2"), false).len(), 1, "the shell's exit code counts");
    let guidance = after(json!("boom"), true);
    assert!(guidance[0].starts_with("The previous tool call failed."), "{guidance:?}");
}

#[test]
fn further_members_of_a_hook_are_seen_and_replace_none_of_its_own() {
    let mut session = rule(
        "    event: before_tool\n    effects: [{type: inject_context, template: '{{ event.data.permission_mode }} {{ event.data.tool_name }}'}]",
    );
    let call = ToolCall::new("Read", json!({}));
    let mut event = Event::new(Hook::PreToolUse(call), "claude", session.facts.clone());
    event.extra = [("permission_mode", "plan"), ("tool_name", "Bash")]
        .map(|(key, value)| (key.to_owned(), json!(value)))
        .into_iter()
        .collect();
    assert_eq!(session.workflows.on(&mut session.state, &event).context, ["plan Read"]);
}
