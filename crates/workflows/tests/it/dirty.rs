//! Which files the session has changed: against a baseline, from what the caller found in the repository.

use askbridge_workflows::{DirtyFiles, Outcome, SessionState, StartSource};
use serde_json::json;

use crate::support::{Session, is_free, reason};
use crate::tools::{FIRST, SECOND};

fn files(tracked: &[&str], untracked: &[&str]) -> Option<DirtyFiles> {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Some(DirtyFiles { tracked: set(tracked), untracked: set(untracked) })
}

const LIFECYCLE: &str = "
name: own
triggers:
  on_session_start:
    - action: capture_baseline_dirty_files
tool_rules:
  - {mcp_tools: ['gobby-tasks:close_task'], when: task_claimed and session_has_dirty_files, reason: Commit first.}
";

fn closes(session: &mut Session) -> Outcome {
    let input = json!({"server_name": "gobby-tasks", "tool_name": "close_task", "arguments": {}});
    session.before("mcp__gobby__call_tool", input)
}

#[test]
fn a_rule_about_changed_files_counts_from_the_start_of_the_session() {
    let mut session = Session::with(&[("own.yaml", LIFECYCLE)], "claude");
    assert_eq!(session.findings, []);
    session.facts.dirty_files = files(&["before.txt"], &["notes.txt"]);
    session.start(StartSource::Startup);
    assert_eq!(session.variable("baseline_dirty_files"), json!(["before.txt", "notes.txt"]));
    session.state.variables.insert("task_claimed".to_owned(), json!(true));
    is_free(&closes(&mut session));
    session.facts.dirty_files = files(&["before.txt"], &["notes.txt", "made.txt"]);
    assert_eq!(reason(&closes(&mut session)), "Commit first.");
}

#[test]
fn the_caller_is_asked_to_look_only_when_a_condition_gets_that_far() {
    let mut session = Session::with(&[("own.yaml", LIFECYCLE)], "claude");
    assert!(session.start(StartSource::Startup).wants_dirty_files, "the baseline");
    session.state = SessionState::default();
    session.facts.dirty_files = files(&[], &[]);
    session.start(StartSource::Startup);
    session.facts.dirty_files = None;
    assert!(!closes(&mut session).wants_dirty_files, "no task is claimed");
    assert!(!session.before("Read", json!({})).wants_dirty_files);
    session.state.variables.insert("task_claimed".to_owned(), json!(true));
    let outcome = closes(&mut session);
    assert!(outcome.wants_dirty_files && outcome.block.is_none());
}

#[test]
fn the_first_message_of_a_client_without_a_start_takes_the_baseline_too() {
    let mut session = Session::of_gobby(FIRST, "claude_sdk_web_chat");
    assert!(session.says("Hello").wants_dirty_files);
    session.state = SessionState::default();
    session.facts.dirty_files = files(&["a.txt"], &[]);
    assert!(!session.says("Hello").wants_dirty_files);
    assert_eq!(session.variable("baseline_dirty_files"), json!(["a.txt"]));
}

#[test]
fn gobbys_own_rule_for_a_clean_tree_blocks_what_the_session_left_uncommitted() {
    let files_of_it = ["require-commit-before-status.yaml", "capture-baseline-dirty-files-on-start.yaml"];
    let mut session = Session::of_files(SECOND, &files_of_it, "claude");
    session.facts.dirty_files = files(&["a.py"], &["b.py"]);
    session.start(StartSource::Startup);
    assert_eq!(session.variable("baseline_dirty_files"), json!(["a.py", "b.py"]));
    session.state.variables.insert("require_commit_before_status".to_owned(), json!(true));
    session.state.variables.insert("task_has_commits".to_owned(), json!(true));
    session.says("Go on.");
    is_free(&closes(&mut session));
    // Untracked files count only where the session is known to have made them.
    session.facts.dirty_files = files(&["a.py"], &["b.py", "c.py"]);
    is_free(&closes(&mut session));
    session.facts.dirty_files = files(&["a.py", "d.py"], &["b.py"]);
    assert!(reason(&closes(&mut session)).starts_with("Uncommitted changes detected."));
    session.state.variables.insert("session_edited_files".to_owned(), json!(["c.py"]));
    is_free(&closes(&mut session));
    session.facts.dirty_files = files(&[], &["c.py"]);
    assert!(closes(&mut session).block.is_some());
}

#[test]
fn without_a_baseline_the_first_look_becomes_it() {
    let rule = "
rules:
  clean:
    event: before_tool
    enabled: true
    when: has_dirty_files
    effects: [{type: block, tools: [Write], reason: Commit first.}]
";
    let mut session = Session::of_rule(rule);
    session.facts.dirty_files = files(&["a"], &["b"]);
    is_free(&session.before("Write", json!({})));
    assert_eq!(session.variable("baseline_dirty_files"), json!(["a", "b"]));
    session.facts.dirty_files = files(&["a", "c"], &[]);
    assert_eq!(reason(&session.before("Write", json!({}))), "Commit first.");
}
