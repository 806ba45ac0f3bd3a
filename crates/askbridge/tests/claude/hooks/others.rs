//! Agents that also come through another door, or are not Claude Code.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use askbridge_scripted::model::Script;
use serde_json::{Value, json};

use super::workstation::{CALL, Setting, Workstation, binary, environment, furnish, question};
use crate::house::{House, id};
use crate::http::call_local;

#[test]
fn a_hosted_agent_with_our_hooks_in_its_settings_asks_once() {
    let house = House::open_with(question(), &[("PATH", path().as_str())]);
    furnish(&house, true);
    let talk = house.session(json!({}));
    talk.say("hi-there");
    let asked = talk.open_ask();
    assert_eq!(asked["door"], "claude");
    house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="Bbb""#));
    talk.until_delivered(id(&asked));
    assert_eq!(house.get("/v1/asks?state=all")["items"].as_array().unwrap().len(), 1);
}

/// A PATH with our binary, so that hooks would find it.
fn path() -> String {
    format!("{}:/usr/local/bin:/usr/bin:/bin", binary().parent().unwrap().display())
}

/// Calls the hook as Codex 0.166 does for a command that needs approval.
fn codex(house: &House, command: &str) -> Child {
    let event = json!({
        "session_id": "01a1", "turn_id": "01a2", "transcript_path": null, "cwd": house.scratch.work(),
        "hook_event_name": "PermissionRequest", "model": "gpt", "permission_mode": "default",
        "tool_name": "Bash", "tool_input": {"command": command, "description": "Create it?"},
    });
    hook(house, &event)
}

/// Calls the hook below a separate process, which is then taken for the agent.
pub(super) fn hook(house: &House, event: &Value) -> Child {
    let mut command = Command::new("timeout");
    command.arg("600").arg(binary()).arg("hook");
    // There is no terminal for a dialog, so the variable has to say that a person is there.
    command.env_clear().envs(environment(house)).env("CLAUDE_CODE_SESSION_ATTENDED", "1");
    let mut running = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    running.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    running
}

fn away(house: &House, mode: &str) {
    let socket = house.data().join("run/askbridge.sock");
    let (status, told) = call_local(&socket, "POST", "/v1/away", &json!({"mode": mode})).unwrap();
    assert_eq!((status, &told["mode"]), (200, &json!(mode)), "{told}");
}

pub(super) fn rings(house: &House) -> Value {
    house.until("the phone to ring", || house.get("/v1/asks")["items"].as_array().unwrap().first().cloned())
}

pub(super) fn printed(running: Child) -> Value {
    let told = running.wait_with_output().unwrap();
    serde_json::from_slice(&told.stdout).unwrap_or(Value::Null)
}

#[test]
fn codex_is_allowed_and_denied_with_words_for_a_person_who_is_away() {
    let house = House::open(Script::new());
    away(&house, "on");
    let running = codex(&house, "touch one");
    let asked = rings(&house);
    assert_eq!((&asked["agent"], &asked["approval"]["summary"]), (&json!("codex"), &json!("touch one")));
    house.answer(id(&asked), json!({"decision": "allow"}));
    let decision =
        |behavior: Value| json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": behavior}});
    assert_eq!(printed(running), decision(json!({"behavior": "allow"})));
    // Codex reports nothing further: an answer that its hook has received counts as delivered.
    house.until("the proof of delivery", || (!house.ask(id(&asked))["delivered_at"].is_null()).then_some(()));

    let running = codex(&house, "touch two");
    house.answer(id(&rings(&house)), json!({"decision": "deny", "words": "use /var/tmp instead", "stop": true}));
    let denied = json!({"behavior": "deny", "message": "Denied: use /var/tmp instead"});
    assert_eq!(printed(running), decision(denied), "Codex takes nothing beside the words");
}

#[test]
fn a_person_who_sits_at_codex_sees_its_own_dialog() {
    let mut house = House::open(Script::new());
    away(&house, "off");
    assert_eq!(printed(codex(&house, "touch one")), Value::Null);
    assert_eq!(house.get("/v1/asks?state=all")["items"], json!([]));
    // The next server remembers the mode.
    away(&house, "on");
    house.kill();
    house.start();
    let socket = house.data().join("run/askbridge.sock");
    let (_, told) = call_local(&socket, "GET", "/v1/away", &Value::Null).unwrap();
    assert_eq!((&told["mode"], &told["is_away"]), (&json!("on"), &json!(true)), "{told}");
}

#[test]
fn a_notification_is_a_notice_and_the_end_of_a_conversation_closes_its_session() {
    let house = House::open(Script::new());
    let event = |name: &str, more: Value| {
        let mut event = json!({"hook_event_name": name, "session_id": "c1", "cwd": house.scratch.work()});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        printed(hook(&house, &event))
    };
    let waiting = json!({"message": "Claude is waiting for your input", "notification_type": "idle_prompt"});
    assert_eq!(event("Notification", waiting), Value::Null);
    let sessions = || house.get("/v1/sessions")["items"].as_array().unwrap().clone();
    let session = sessions().pop().unwrap();
    assert_eq!((&session["door"], &session["agent"]), (&json!("hook"), &json!("claude")), "{session}");
    let talk = house.talk(id(&session));
    house.until("the notice", || {
        talk.events_of("notice").pop().filter(|notice| notice["text"] == "Claude is waiting for your input")
    });
    assert_eq!(event("SessionEnd", json!({"reason": "prompt_input_exit"})), Value::Null);
    assert_eq!(talk.events_of("closed").len(), 1);
    // The same conversation, resumed, is another session.
    event("Notification", json!({"message": "Back again", "notification_type": "idle_prompt"}));
    assert_eq!(sessions().len(), 2);
}

#[test]
fn hooks_over_http_are_an_option_with_a_token_from_the_environment() {
    let house = House::open(question());
    furnish(&house, false);
    let socket = house.data().join("run/askbridge.sock");
    let (status, made) = call_local(&socket, "POST", "/v1/tokens", &json!({"name": "terminal"})).unwrap();
    assert_eq!(status, 201, "{made}");
    let call = json!([{"matcher": "*", "hooks": [{
        "type": "http", "url": format!("http://{}/v1/hook", house.address), "timeout": 3600,
        "headers": {"authorization": "Bearer ${HOOK_TOKEN}"}, "allowedEnvVars": ["HOOK_TOKEN"],
    }]}]);
    let settings = json!({"hooks": {"PreToolUse": call, "PermissionRequest": call, "PostToolUse": call}});
    std::fs::write(house.scratch.home().join(".claude/settings.json"), settings.to_string()).unwrap();
    let token = made["token"].as_str().unwrap().to_owned();
    let mut workstation = Workstation::take(house, &Setting::default(), &[("HOOK_TOKEN", &token)]);
    workstation.prompt();
    let asked = workstation.rings();
    workstation.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    assert!(workstation.result().text.contains(r#""Which?"="Bbb""#));
    workstation.until_delivered(&asked);
}
