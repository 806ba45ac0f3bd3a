//! A server on another machine, behind TLS: how commands use its URL.

use serde_json::{Value, json};

use crate::bridge::{Ran, Running, TestBridge};
use crate::https::Https;
use crate::nginx::{Nginx, block, free_port};
use crate::patience::until;

const GUIDE: &str = include_str!("../../../../docs/guides/proxy.md");

/// A server behind nginx, and what a program on another machine needs to reach it; its name is one that resolves.
struct Elsewhere {
    bridge: TestBridge,
    nginx: Nginx,
    listen: String,
}

impl Elsewhere {
    fn start() -> Self {
        let mut bridge = TestBridge::stopped();
        let listen = format!("127.0.0.1:{}", free_port());
        bridge.start_with(&["--listen", &listen]);
        let nginx = Nginx::start(&bridge, free_port(), block(GUIDE, "nginx"));
        Self { bridge, nginx, listen }
    }

    fn start_again(&mut self) {
        let listen = self.listen.clone();
        self.bridge.start_with(&["--listen", &listen]);
    }

    /// Runs a script as on another machine: with no data folder to find a socket in.
    fn script(&self, token: &str, script: &str) -> String {
        let Https { port, authority, .. } = &self.nginx.https;
        format!(
            "export ASKBRIDGE_DATA=$PWD/another-machine ASKBRIDGE_URL=https://localhost:{port} ASKBRIDGE_TOKEN={token}\n\
             export ASKBRIDGE_AUTHORITIES='{}'\n{script}",
            authority.display()
        )
    }

    fn run(&self, token: &str, script: &str) -> Ran {
        self.spawn(token, script).ended()
    }

    fn spawn(&self, token: &str, script: &str) -> Running {
        self.bridge.spawn_bash(&self.script(token, script))
    }

    fn agent(&self) -> String {
        self.bridge.run(&["token", "create", "ci"]).good().trim().to_owned()
    }
}

#[test]
fn what_is_asked_at_a_url_is_seen_answered_and_waited_for_there() {
    let far = Elsewhere::start();
    let (agent, person) = (far.agent(), far.bridge.person());
    let asked = far.run(&agent, "askbridge ask 'Deploy now?' -o Yes -o No --no-wait");
    let id = asked.good().trim().to_owned();
    let seen = far.run(&person, "askbridge inbox --json");
    assert_eq!(serde_json::from_str::<Value>(seen.good()).unwrap()["id"], id);
    let mut waiting = far.spawn(&agent, &format!("askbridge wait {id}"));
    assert!(!waiting.is_over());
    far.run(&person, &format!("askbridge answer {id} --option Yes")).good();
    assert_eq!(waiting.ended().good(), "Yes\n");
    assert_eq!(far.run(&agent, &format!("askbridge wait {id}")).good(), "Yes\n", "and again, for ever");

    let asking = far.spawn(&agent, "askbridge ask 'Again?' -o Yes -o No");
    let id = far.bridge.the_open_ask();
    far.run(&person, &format!("askbridge answer {id} --option No")).good();
    assert_eq!(asking.ended().good(), "No\n");
}

#[test]
fn mcp_and_hooks_speak_to_a_url() {
    let far = Elsewhere::start();
    let (agent, person) = (far.agent(), far.bridge.person());
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "clientInfo": {"name": "try"}}});
    let arguments = json!({"questions": [{"question": "By tool?", "options": [{"label": "Yes"}, {"label": "No"}]}]});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "ask_user_question", "arguments": arguments}});
    // The pipe stays open until the answer has been read.
    std::process::Command::new("mkfifo").arg(far.bridge.dir.path().join("until-here")).status().unwrap();
    let calling = far.spawn(&agent, &format!("(printf '%s\\n' '{hello}' '{call}'; cat until-here) | askbridge mcp"));
    let id = far.bridge.the_open_ask();
    far.run(&person, &format!("askbridge answer {id} --option Yes")).good();
    calling.prints("Yes");
    drop(calling);

    let event = json!({"hook_event_name": "PermissionRequest", "session_id": "conversation", "cwd": "/", "tool_use_id": "t1",
        "tool_name": "AskUserQuestion", "tool_input": {"questions": [{"question": "By hook?", "header": "H",
        "multiSelect": false, "options": [{"label": "Yes", "description": ""}, {"label": "No", "description": ""}]}]}});
    let hook = far.spawn(&agent, &format!("echo '{event}' | CLAUDE_CODE_ENTRYPOINT=cli askbridge hook"));
    let id = far.bridge.the_open_ask();
    far.run(&person, &format!("askbridge answer {id} --option No")).good();
    let said = hook.ended();
    let said: Value = serde_json::from_str(said.good()).unwrap();
    assert_eq!(said["hookSpecificOutput"]["decision"]["updatedInput"]["answers"]["By hook?"], "No", "{said}");
}

#[test]
fn a_restart_behind_the_proxy_is_waited_for() {
    let mut far = Elsewhere::start();
    let (agent, person) = (far.agent(), far.bridge.person());
    let asking = far.spawn(&agent, "askbridge ask 'Deploy now?' -o Yes -o No");
    let id = far.bridge.the_open_ask();
    far.bridge.kill();
    asking.tells("lost the connection to askbridge");
    let meanwhile = far.spawn(&agent, "askbridge ask 'Asked of a 502?' -o Yes --no-wait");
    until("the proxy has said 502", || (far.nginx.https.get("/healthz", &[]).0 == 502).then_some(()));
    far.start_again();
    far.run(&person, &format!("askbridge answer {id} --option Yes")).good();
    assert_eq!(asking.ended().good(), "Yes\n");
    meanwhile.ended().good();
}

#[test]
fn a_server_that_nobody_vouches_for_hears_nothing_and_it_says_why() {
    let far = Elsewhere::start();
    let agent = far.agent();
    let ran = far.run(&agent, "unset ASKBRIDGE_AUTHORITIES; askbridge ask 'Deploy now?' -o Yes");
    assert_eq!(ran.code, Some(13), "{}", ran.stderr);
    assert!(ran.stderr.contains("cannot be trusted") && ran.stderr.contains("--authorities FILE"), "{}", ran.stderr);
    let other = far.run(
        &agent,
        "askbridge ask 'Deploy now?' -o Yes --url https://127.0.0.1:$PORT"
            .replace("$PORT", &far.nginx.https.port.to_string())
            .as_str(),
    );
    assert_eq!(other.code, Some(13), "the certificate is for a name, not for an address: {}", other.stderr);
    let gone = far.run(&agent, "askbridge inbox --url https://nobody.invalid");
    assert_eq!(gone.code, Some(13));
    assert!(gone.stderr.contains("cannot be reached at https://nobody.invalid"), "{}", gone.stderr);
    let nameless = far.run("''", "askbridge inbox");
    assert_eq!(nameless.code, Some(2));
    assert!(nameless.stderr.contains("needs a token"), "{}", nameless.stderr);
    assert!(far.bridge.open().is_empty());
}
