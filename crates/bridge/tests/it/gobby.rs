//! gobby's rules over the API: terminals whose hooks report every event, step workflows, what survives and what is forgotten.

use std::fs;

use askbridge_bridge::clock::Clock;
use askbridge_core::event::{Audience, Settings};
use askbridge_core::ids::{SessionId, Timestamp};
use askbridge_core::intent::{Intent, Start};
use askbridge_journal::shelf::Shelf;
use askbridge_journal::sqlite;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::kit::House;

/// A workflow whose first step looks only.
pub(crate) const STEPS: &str = "
name: own
enabled: false
variables: {ready: false}
steps:
  - {name: look, allowed_tools: [Read], transitions: [{to: work, when: ready}]}
  - {name: work, allowed_tools: all}
";

const RULES: &str = "
rules:
  count-stops:
    event: before_tool
    enabled: true
    when: variables.get('stop_attempts', 0) > 0
    effects: [{type: block, tools: [AskUserQuestion], reason: 'After {{ stop_attempts }} stops, from {{ source }}.'}]
  keep-going:
    event: turn_end
    enabled: true
    when: variables.get('stop_attempts', 0) < 2
    effects: [{type: block, reason: Go on.}]
  begun:
    event: session_start
    enabled: true
    effects: [{type: inject_context, template: 'Begun by {{ event.data.source }}.'}]
  calls:
    event: after_tool
    enabled: true
    effects: [{type: set_variable, variable: calls, value: \"variables.get('calls', 0) + 1\"}]
  tells:
    event: turn_start
    enabled: true
    effects: [{type: inject_context, template: '{{ calls | default(0) }} calls.'}]
  no-force:
    event: permission_request
    enabled: true
    effects: [{type: set_permission_response, tools: [Bash], command_pattern: force, permission_decision: deny}]
  may-list:
    event: permission_request
    enabled: true
    effects: [{type: set_permission_response, tools: [Bash], command_pattern: '^ls', permission_decision: allow}]
";

/// A terminal, as its hooks tell of it.
struct Shell<'h> {
    house: &'h House,
    token: String,
    conversation: &'static str,
}

impl Shell<'_> {
    async fn tells(&self, event: &str, more: Value) -> Value {
        let mut body = json!({"hook_event_name": event, "session_id": self.conversation, "cwd": "/work/shop"});
        let body_fields = body.as_object_mut().expect("it is an object");
        body_fields.extend(more.as_object().expect("fields").clone());
        let (status, output) = self.house.post("/v1/hook", &self.token, &body).await;
        assert_eq!(status, 200, "{output}");
        output
    }

    async fn says(&self, text: &str) -> String {
        let output = self.tells("UserPromptSubmit", json!({"prompt": text})).await;
        output["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    }

    async fn asks(&self, call: &str) -> Value {
        let input =
            json!({"questions": [{"question": "Which?", "header": "H", "options": [{"label": "A"}, {"label": "B"}]}]});
        self.tells("PreToolUse", json!({"tool_name": "AskUserQuestion", "tool_input": input, "tool_use_id": call}))
            .await
    }

    async fn ran(&self, call: &str) {
        let ran =
            json!({"tool_name": "Read", "tool_input": {"file_path": "x"}, "tool_use_id": call, "tool_response": "y"});
        self.tells("PostToolUse", ran).await;
    }
}

fn rules(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (file, text) in files {
        fs::write(folder.path().join(file), text).expect("it can be written");
    }
    folder
}

#[tokio::test]
async fn a_terminal_is_driven_by_what_its_hooks_report() {
    let house = House::open().await;
    let folder = rules(&[("own.yaml", RULES)]);
    house.rule_by_gobby(folder.path()).await;
    let shell = Shell { house: &house, token: house.local().await, conversation: "c1" };
    let begun = shell.tells("SessionStart", json!({"source": "startup"})).await;
    assert_eq!(begun["hookSpecificOutput"]["additionalContext"], "Begun by startup.");
    assert_eq!(shell.says("Hello").await, "0 calls.", "the start that was reported does not happen again");
    assert_eq!(shell.asks("toolu_1").await, json!({}));
    assert_eq!(shell.tells("Stop", json!({})).await, json!({"decision": "block", "reason": "Go on."}));
    let denied = shell.asks("toolu_2").await["hookSpecificOutput"].clone();
    assert_eq!(denied["permissionDecision"], "deny");
    let words = denied["permissionDecisionReason"].as_str().unwrap();
    assert!(words.contains("“count-stops”") && words.ends_with("After 1 stops, from claude."), "{words}");
    assert_eq!(shell.tells("Stop", json!({"stop_hook_active": true})).await, json!({}));
    // Without a start that is reported, the first message stands in for it.
    let other = Shell { conversation: "c2", token: shell.token.clone(), ..shell };
    assert_eq!(other.says("Hello").await, "Begun by startup.\n\n0 calls.");
    assert_eq!(other.says("Hello again").await, "0 calls.");
    house.close().await;
}

#[tokio::test]
async fn an_event_that_is_heard_twice_counts_once_and_state_survives_a_restart_and_a_resume() {
    let data = tempfile::tempdir().unwrap();
    let folder = rules(&[("own.yaml", RULES)]);
    let open = || async {
        let house = House::open_file(&sqlite::Options::new(data.path(), 1), Clock::System, 1).await;
        house.rule_by_gobby(folder.path()).await;
        house
    };
    let house = open().await;
    let token = house.local().await;
    let shell = Shell { house: &house, token: token.clone(), conversation: "c1" };
    shell.says("Hello").await;
    shell.ran("toolu_1").await;
    shell.ran("toolu_1").await;
    shell.tells("Stop", json!({})).await;
    let first = shell.asks("toolu_2").await;
    assert_eq!(first["hookSpecificOutput"]["permissionDecision"], "deny");
    house.close().await;
    let house = open().await;
    let shell = Shell { house: &house, token, conversation: "c1" };
    // The same call again is told the same, and the one that has run does not count again.
    assert_eq!(shell.asks("toolu_2").await, first);
    shell.ran("toolu_1").await;
    assert_eq!(shell.asks("toolu_3").await["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(shell.says("Go on").await, "1 calls.");
    // The terminal is closed, and the conversation is taken up again: another session here, the same to the rules.
    shell.tells("SessionEnd", json!({"reason": "exit"})).await;
    let begun = shell.tells("SessionStart", json!({"source": "resume"})).await;
    assert_eq!(begun["hookSpecificOutput"]["additionalContext"], "Begun by resume.");
    assert_eq!(shell.says("Here again").await, "1 calls.");
    house.close().await;
}

#[tokio::test]
async fn a_permission_is_answered_before_a_person_is_asked() {
    let house = House::open().await;
    let folder = rules(&[("own.yaml", RULES)]);
    house.rule_by_gobby(folder.path()).await;
    let shell = Shell { house: &house, token: house.local().await, conversation: "c1" };
    let wants = |command: &str| json!({"tool_name": "Bash", "tool_input": {"command": command}});
    let denied = shell.tells("PermissionRequest", wants("git push --force")).await["hookSpecificOutput"].clone();
    assert_eq!(denied["decision"]["behavior"], "deny", "{denied}");
    assert!(denied["decision"]["message"].as_str().unwrap().contains("no-force"), "{denied}");
    let allowed = shell.tells("PermissionRequest", wants("ls -l")).await["hookSpecificOutput"].clone();
    assert_eq!(allowed["decision"]["behavior"], "allow", "{allowed}");
    let ruled = house.get("/v1/asks?state=ruled", &shell.token).await.1;
    let by: Vec<_> = ruled["items"].as_array().unwrap().iter().map(|ask| ask["by"]["rule"].clone()).collect();
    assert_eq!(by.len(), 2, "{ruled}");
    assert!(ruled["items"][0]["by"]["file"].as_str().unwrap().ends_with("own.yaml"), "{ruled}");
    house.close().await;
}

#[tokio::test]
async fn a_step_workflow_is_started_shown_and_ended_and_forgotten_with_its_session() {
    let house = House::open().await;
    let folder = rules(&[("own.yaml", STEPS)]);
    let (agent, operator, local) = (house.agent("ci").await, house.operator("bob").await, house.local().await);
    let (_, session) = house.post("/v1/sessions", &agent, &json!({"title": "T"})).await;
    let id = session["id"].as_str().unwrap();
    let path = format!("/v1/sessions/{id}/workflow");
    let own = json!({"name": "own", "variables": {"task": "#12"}});
    let (status, none) = house.post(&path, &local, &own).await;
    assert_eq!(status, 422, "{none}");
    assert!(none["detail"].as_str().unwrap().starts_with("no rules of gobby's hold in this session"), "{none}");
    house.rule_by_gobby(folder.path()).await;
    assert_eq!(house.post(&path, &agent, &own).await.0, 403, "not the agent itself");
    let (_, begun) = house.post(&path, &local, &own).await;
    assert_eq!(begun["workflow"], json!({"name": "own", "step": "look"}));
    assert_eq!(begun["variables"], json!({"ready": false, "task": "#12"}));
    assert_eq!(house.get(&path, &agent).await.1, begun);
    let (status, other) = house.post(&path, &local, &json!({"name": "nope"})).await;
    assert_eq!((status, &other["detail"]), (422, &json!("`nope` cannot be started: the workflow `own` is active")));
    assert_eq!(house.get(&format!("/v1/sessions/{id}"), &agent).await.1["workflow"]["step"], "look");
    assert_eq!(house.delete(&path, &agent).await.0, 403);
    assert_eq!(house.delete(&path, &operator).await.1["workflow"], Value::Null);
    let stored = || async { house.handle.store().list("workflows/", Timestamp(0)).await.unwrap().len() };
    assert_eq!(stored().await, 1);
    assert_eq!(house.post(&format!("/v1/sessions/{id}/close"), &agent, &json!({})).await.0, 200);
    assert_eq!(house.delete(&format!("/v1/sessions/{id}"), &operator).await.0, 200);
    assert_eq!(stored().await, 0, "the state is forgotten with its session");
    assert!(id.parse::<SessionId>().is_ok());
    house.close().await;
}

#[tokio::test]
async fn a_session_that_continues_another_goes_on_in_its_step() {
    let house = House::open().await;
    let folder = rules(&[("own.yaml", STEPS)]);
    house.rule_by_gobby(folder.path()).await;
    let local = house.local().await;
    let (_, session) = house.post("/v1/sessions", &local, &json!({"title": "T"})).await;
    let id = session["id"].as_str().unwrap();
    let path = format!("/v1/sessions/{id}/workflow");
    let (_, begun) = house.post(&path, &local, &json!({"name": "own", "variables": {"task": "#12"}})).await;
    let (from, to) = (id.parse::<SessionId>().unwrap(), SessionId(77));
    let start = Start {
        door: "http".to_owned(),
        agent: "ci".to_owned(),
        owner: house.app.tokens.caller(&local).unwrap().party,
        audience: Audience::Everyone,
        settings: Settings::default(),
        continues: Some(from),
        host: None,
    };
    house.handle.submit(to, vec![Intent::Start(Box::new(start))]).await.unwrap();
    house.handle.submit(from, vec![Intent::Continue { to }]).await.unwrap();
    assert_eq!(house.get(&path, &local).await.1["variables"], begun["variables"]);
    let shown = house.get(&format!("/v1/sessions/{to}"), &local).await.1;
    assert_eq!(shown["workflow"], begun["workflow"]);
    house.close().await;
}
