//! `askbridge connect`: a laptop that asks at the askbridge at home, over https with an authority of the tests.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::bridge::{Ran, Running, TestBridge};
use crate::https::certify;
use crate::nginx::free_port;
use crate::patience::until;

/// An askbridge at home with a paired phone, and a laptop that has a home folder of its own and no server.
pub(crate) struct Home {
    pub(crate) bridge: TestBridge,
    pub(crate) laptop: TestBridge,
    port: u16,
}

impl Home {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    fn start_with(args: &[&str]) -> Self {
        let mut home = Self { bridge: TestBridge::stopped(), laptop: TestBridge::stopped(), port: free_port() };
        let authority = certify(home.bridge.dir.path());
        fs::copy(authority, home.laptop.dir.path().join("home.pem")).unwrap();
        home.serve(args);
        home.bridge.person();
        home
    }

    /// Serves, again at the same address.
    fn serve(&mut self, args: &[&str]) {
        let listen = format!("127.0.0.1:{}", self.port);
        let tls = ["--listen", &listen, "--tls-cert", "fullchain.pem", "--tls-key", "privkey.pem"];
        self.bridge.start_with(&[&tls, args].concat());
    }

    pub(crate) fn url(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    fn connecting(&self) -> Running {
        self.laptop.spawn(&["connect", &self.url(), "--ca", "home.pem", "--name", "laptop"])
    }

    /// The laptop is connected by a tap.
    #[track_caller]
    pub(crate) fn connect(&self) {
        let connecting = self.connecting();
        self.bridge.tap("--allow");
        assert_eq!(connecting.ended().good(), format!("connected to {} as laptop\n", self.url()));
    }

    /// The laptop is connected, to a home with these flags.
    fn connected_with(args: &[&str]) -> Self {
        let home = Self::start_with(args);
        home.connect();
        home
    }

    fn connected() -> Self {
        Self::connected_with(&[])
    }

    fn all(&self) -> Vec<Value> {
        let all = self.bridge.run(&["inbox", "--json"]);
        all.good().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The machines that are connected at home.
    fn machines(&self) -> Vec<Value> {
        let tokens = self.bridge.run(&["token", "list", "--json"]);
        let tokens = tokens.good().lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        tokens.filter(|token| token["device"] == "machine").collect()
    }

    /// The open ask of the laptop.
    #[track_caller]
    fn the_open_ask(&self) -> Value {
        until("the laptop asks", || self.all().into_iter().find(|ask| ask["machine"] == "laptop"))
    }

    /// Starts a hook that asks, as an agent on the laptop does.
    fn hook(&self, question: &str) -> Running {
        self.laptop.spawn_bash(&format!("echo '{}' | CLAUDE_CODE_ENTRYPOINT=cli askbridge hook", event(question)))
    }
}

fn event(question: &str) -> Value {
    let options = json!([{"label": "Yes", "description": ""}, {"label": "No", "description": ""}]);
    let questions = json!([{"question": question, "header": "H", "multiSelect": false, "options": options}]);
    json!({"hook_event_name": "PermissionRequest", "session_id": "conversation", "cwd": "/srv/shop", "tool_use_id": question,
        "tool_name": "AskUserQuestion", "tool_input": {"questions": questions}})
}

/// What a hook printed as the answer.
fn answered(said: &Ran, question: &str) -> Value {
    let said: Value = serde_json::from_str(said.good()).unwrap();
    said["hookSpecificOutput"]["decision"]["updatedInput"]["answers"][question].clone()
}

/// An MCP client that asks, and waits as long as it takes.
fn mcp(home: &Home, question: &str) -> Running {
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "clientInfo": {"name": "claude-code"}}});
    let arguments = json!({"questions": [{"question": question, "options": [{"label": "Yes"}, {"label": "No"}]}]});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "ask_user_question", "arguments": arguments}});
    // The pipe stays open until the answer has been read.
    let pipe = home.laptop.dir.path().join("until-here");
    let _ = std::process::Command::new("mkfifo").arg(pipe).status().unwrap();
    home.laptop.spawn_bash(&format!("(printf '%s\\n' '{hello}' '{call}'; cat until-here) | askbridge mcp"))
}

#[test]
fn a_laptop_is_connected_by_one_tap_and_everything_on_it_asks_at_home() {
    let home = Home::start();
    let status = home.laptop.run(&["connect", "--status"]);
    assert_eq!((status.code, status.stdout.contains("not connected")), (Some(1), true), "{}", status.stdout);
    let connecting = home.connecting();
    let tap = home.bridge.the_open_tap();
    assert_eq!(tap["approval"]["summary"], "Let the machine laptop ask here");
    let code = tap["approval"]["input"]["code"].as_str().unwrap();
    connecting.tells(&format!("it has to show the code {code}"));
    home.bridge.tap("--allow");
    let connected = connecting.ended();
    assert_eq!(connected.good(), format!("connected to {} as laptop\n", home.url()));

    let file = home.laptop.data().join("connection");
    let stored: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let token = stored["token"].as_str().unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!home.laptop.data().join("connection-pending").exists());
    let status = home.laptop.run(&["connect", "--status"]);
    assert!(status.good().contains("as laptop") && status.stderr.contains("knows this machine"), "{}", status.stderr);
    for ran in [&connected, &status, &home.laptop.run(&["connect", "--status", "--json"])] {
        assert!(!ran.stdout.contains(token) && !ran.stderr.contains(token), "it is never printed");
    }
    let listed = home.bridge.run(&["token", "list"]);
    assert!(listed.good().contains("laptop (machine), connected by ada, last used 20"), "{}", listed.stdout);
    assert_eq!(home.connecting().ended().good(), connected.stdout, "once is enough, and needs no second tap");

    let asking = home.laptop.spawn(&["ask", "Deploy now?", "-o", "Yes", "-o", "No"]);
    let ask = home.the_open_ask();
    assert_eq!(ask["context"]["folder"], home.laptop.dir.path().display().to_string());
    let shown = home.bridge.run(&["inbox"]);
    assert!(shown.good().contains("shell on laptop in "), "{}", shown.stdout);
    home.bridge.answer(&[ask["id"].as_str().unwrap(), "--option", "Yes"]).good();
    assert_eq!(asking.ended().good(), "Yes\n");

    let hook = home.hook("By hook?");
    let ask = home.the_open_ask();
    assert_eq!((&ask["door"], &ask["context"]["folder"]), (&json!("hook"), &json!("/srv/shop")));
    home.bridge.answer(&[ask["id"].as_str().unwrap(), "--option", "No"]).good();
    assert_eq!(answered(&hook.ended(), "By hook?"), "No");

    let calling = mcp(&home, "By tool?");
    let ask = home.the_open_ask();
    home.bridge.answer(&[ask["id"].as_str().unwrap(), "--option", "Yes"]).good();
    calling.prints("Yes");
    drop(calling);

    // What the laptop asked can be read there, and decided nowhere but on the phone.
    let asking = home.laptop.spawn(&["ask", "Mine?", "-o", "Yes"]);
    let ask = home.the_open_ask();
    let inbox = home.laptop.run(&["inbox"]);
    assert!(inbox.good().contains("Mine?"), "{}", inbox.stdout);
    let refused = home.laptop.run(&["answer", ask["id"].as_str().unwrap(), "--option", "Yes"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("a connected machine asks and never decides"), "{}", refused.stderr);
    asking.interrupt();
    assert_eq!(asking.ended().code, Some(130));

    let off = home.laptop.run(&["disconnect"]);
    assert!(off.good().starts_with("disconnected from https://localhost:"), "{}", off.stdout);
    assert!(!file.exists() && home.machines().is_empty(), "neither side keeps it");
    let alone = home.laptop.run(&["ask", "Deploy now?", "-o", "Yes"]);
    assert_eq!(alone.code, Some(13), "{}", alone.stderr);
    assert!(alone.stderr.contains("not running"), "{}", alone.stderr);
}

#[test]
fn a_question_waits_for_a_home_that_is_down_and_is_asked_once() {
    let mut home = Home::connected();
    home.bridge.kill();
    let asking = home.laptop.spawn(&["ask", "Deploy now?", "-o", "Yes", "-o", "No"]);
    asking.tells(&format!("askbridge cannot be reached at {}", home.url()));
    asking.tells("the question waits here, and is asked once that answers");
    let at_once = home.laptop.run(&["ask", "Id?", "--no-wait"]);
    assert_eq!(at_once.code, Some(13), "a script that does not wait is told: {}", at_once.stderr);
    let in_time = home.laptop.run(&["ask", "Soon?", "--timeout", "100ms"]);
    assert_eq!(in_time.code, Some(13), "{}", in_time.stderr);
    assert!(in_time.stderr.contains("not asked within its `--timeout`"), "{}", in_time.stderr);
    let given_up = home.laptop.spawn(&["ask", "Never mind?"]);
    given_up.tells("Ctrl-C gives up");
    given_up.interrupt();
    assert_eq!(given_up.ended().code, Some(130));

    home.serve(&[]);
    let ask = home.the_open_ask();
    home.bridge.kill();
    home.serve(&[]);
    asking.tells("lost the connection to askbridge");
    home.bridge.answer(&[ask["id"].as_str().unwrap(), "--option", "Yes"]).good();
    assert_eq!(asking.ended().good(), "Yes\n");
    let all = home.bridge.bash(
        "curl -s -H \"authorization: Bearer $(cat data/token)\" http://$(cat data/run/address)/v1/asks?state=all",
    );
    let all: Value = serde_json::from_str(all.good()).unwrap();
    let asked = all["items"].as_array().unwrap().iter().filter(|ask| ask["machine"] == "laptop").count();
    assert_eq!(asked, 1, "{all}");
}

#[test]
fn a_home_that_is_killed_in_the_middle_is_found_again_by_hooks_and_by_mcp() {
    let mut home = Home::connected();
    let hook = home.hook("By hook?");
    let by_hook = home.the_open_ask();
    home.bridge.kill();
    home.serve(&[]);
    assert_eq!(home.the_open_ask()["id"], by_hook["id"]);
    home.bridge.answer(&[by_hook["id"].as_str().unwrap(), "--option", "Yes"]).good();
    assert_eq!(answered(&hook.ended(), "By hook?"), "Yes");
    assert!(home.all().is_empty(), "it was one ask");

    let calling = mcp(&home, "By tool?");
    let by_tool = home.the_open_ask();
    home.bridge.kill();
    home.serve(&[]);
    assert_eq!(home.the_open_ask()["id"], by_tool["id"]);
    home.bridge.answer(&[by_tool["id"].as_str().unwrap(), "--option", "No"]).good();
    calling.prints("No");
}

/// Takes connections at an address and never says anything. Returns how many came.
fn silent_at(port: u16) -> Arc<AtomicUsize> {
    let listener = until("the port is free", || TcpListener::bind(("127.0.0.1", port)).ok());
    let came = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&came);
    std::thread::spawn(move || {
        let mut held: Vec<TcpStream> = Vec::new();
        for stream in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
            held.extend(stream);
        }
    });
    came
}

#[test]
fn hooks_have_no_opinion_while_home_is_silent_and_ask_it_once_in_a_while_only() {
    let mut home = Home::connected();
    home.bridge.kill();
    let came = silent_at(home.port);
    for number in 0..4 {
        let said = home.hook(&format!("Number {number}?")).ended();
        assert_eq!((said.good(), said.stderr.as_str()), ("", ""), "the terminal works as if we were not installed");
    }
    assert_eq!(came.load(Ordering::SeqCst), 1, "that it is down is remembered");
    let down: Value = serde_json::from_slice(&fs::read(home.laptop.data().join("home-down")).unwrap()).unwrap();
    assert_eq!((&down["failures"], &down["place"]), (&json!(1), &json!(home.url())));
}

#[test]
fn a_revoked_laptop_says_so_and_is_connected_again_with_another_tap() {
    let home = Home::connected();
    let hook = home.hook("By hook?");
    home.the_open_ask();
    let machine = home.machines().pop().unwrap();
    home.bridge.run(&["token", "revoke", machine["id"].as_str().unwrap()]).good();
    assert_eq!(hook.ended().good(), "", "the terminal's dialog is left alone");
    let refused = home.laptop.run(&["ask", "Still?", "-o", "Yes"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(refused.stderr.contains("does not know this machine any more"), "{}", refused.stderr);
    assert!(refused.stderr.contains(&format!("`askbridge connect {}`", home.url())), "{}", refused.stderr);
    let status = home.laptop.run(&["connect", "--status", "--json"]);
    let status: Value = serde_json::from_str(&status.stdout).unwrap();
    assert_eq!((&status["works"], &status["revoked"]), (&json!(false), &json!(true)));
    assert_eq!(home.hook("And now?").ended().good(), "");
    let doctor = home.laptop.run(&["doctor", "--json"]);
    let found = doctor.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let found = found.into_iter().find(|line| line["check"] == "home").unwrap();
    assert_eq!(found["health"], "bad", "{found}");
    assert!(home.all().is_empty());

    home.connect();
    let asking = home.laptop.spawn(&["ask", "Again?", "-o", "Yes"]);
    home.bridge.answer(&[home.the_open_ask()["id"].as_str().unwrap(), "--option", "Yes"]).good();
    assert_eq!(asking.ended().good(), "Yes\n");
}

#[test]
fn a_home_that_cannot_prove_who_it_is_is_told_nothing() {
    let mut home = Home::start();
    let stranger = home.laptop.run(&["connect", &home.url(), "--name", "laptop"]);
    assert_eq!(stranger.code, Some(13), "{}", stranger.stderr);
    assert!(
        stranger.stderr.contains("cannot be trusted") && stranger.stderr.contains("--ca FILE"),
        "{}",
        stranger.stderr
    );
    let clear = home.laptop.run(&["connect", "http://192.168.1.5:4760"]);
    assert_eq!(clear.code, Some(2), "{}", clear.stderr);
    assert!(clear.stderr.contains("in the clear") && clear.stderr.contains("ssh -L"), "{}", clear.stderr);
    let gone = home.laptop.run(&["connect", "https://nobody.invalid"]);
    assert_eq!(gone.code, Some(13), "{}", gone.stderr);
    assert!(home.bridge.open().is_empty(), "no phone rang");

    home.connect();
    home.bridge.kill();
    // Another authority, and another server at the same address.
    certify(home.bridge.dir.path());
    home.serve(&[]);
    let refused = home.laptop.run(&["ask", "Deploy now?", "-o", "Yes"]);
    assert_eq!(refused.code, Some(13), "it does not wait for a stranger: {}", refused.stderr);
    assert!(refused.stderr.contains("cannot be trusted"), "{}", refused.stderr);
    assert_eq!(home.hook("By hook?").ended().good(), "");
    assert!(home.all().is_empty());
}

#[test]
fn a_tap_that_is_denied_connects_nothing_and_one_that_nobody_waits_for_is_taken_back() {
    let home = Home::start();
    let connecting = home.connecting();
    home.bridge.tap("--deny");
    let denied = connecting.ended();
    assert_eq!(denied.code, Some(1), "{}", denied.stderr);
    assert!(denied.stderr.contains("a paired device denied this"), "{}", denied.stderr);
    assert!(!home.laptop.data().join("connection").exists() && home.machines().is_empty());

    let connecting = home.connecting();
    home.bridge.the_open_tap();
    connecting.interrupt();
    assert_eq!(connecting.ended().code, Some(130));
    until("the tap is taken back", || home.bridge.open().is_empty().then_some(()));
}

#[test]
fn a_connect_that_is_killed_goes_on_with_the_same_tap() {
    let home = Home::start();
    let connecting = home.connecting();
    home.bridge.the_open_tap();
    // Killed, as the OOM killer would.
    drop(connecting);
    home.bridge.tap("--allow");
    assert_eq!(home.connecting().ended().good(), format!("connected to {} as laptop\n", home.url()));
    assert_eq!(home.machines().len(), 1);
}

#[test]
fn what_is_named_for_a_command_wins_over_the_connection() {
    let mut home = Home::connected();
    let off = format!("echo '{}' | ASKBRIDGE_HOOKS_ACCEPT=0 askbridge hook", event("Off?"));
    assert_eq!(home.laptop.bash(&off).good(), "", "hooks are off");
    home.laptop.start_with(&["--listen", "127.0.0.1:0"]);
    let here = home.laptop.run(&["ask", "Here?", "--no-wait", "--url", "here"]);
    let here = here.good().trim().to_owned();
    assert!(home.all().is_empty());
    let inbox = home.laptop.run(&["inbox", "--url", "here"]);
    assert!(inbox.good().contains("Here?"), "{}", inbox.stdout);
    // A token that is named alone is for the server of this machine, and is not sent elsewhere.
    let token = home.laptop.run(&["token", "create", "ci"]);
    let with_token = format!("ASKBRIDGE_TOKEN={} askbridge ask 'With a token?' --no-wait", token.good().trim());
    home.laptop.bash(&with_token).good();
    assert!(home.all().is_empty());
    let other = home.bridge.run(&["token", "create", "other"]);
    let named = format!(
        "ASKBRIDGE_URL={} ASKBRIDGE_TOKEN={} ASKBRIDGE_AUTHORITIES=home.pem askbridge ask 'Named?' --no-wait",
        home.url(),
        other.good().trim()
    );
    home.laptop.bash(&named).good();
    let asked = home.all();
    assert_eq!((asked.len(), asked[0].get("machine")), (1, None), "{asked:?}");
    home.laptop.run(&["ask", "Home?", "--no-wait"]).good();
    assert_eq!(home.the_open_ask()["questions"][0]["question"], "Home?");
    assert_ne!(home.the_open_ask()["id"], here);
}

#[test]
fn an_agent_does_not_choose_where_its_questions_are_answered() {
    let mut home = Home::start();
    home.laptop.start_with(&["--listen", "127.0.0.1:0"]);
    let below = ["run", "--", "askbridge", "connect", &home.url(), "--ca", "home.pem"];
    let refused = home.laptop.run(&below);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(refused.stderr.contains("an agent does not choose"), "{}", refused.stderr);
    assert!(home.bridge.open().is_empty());
    // Its hooks ask at home, and the server of this machine knows it as an agent all the same.
    home.connect();
    let begins = json!({"hook_event_name": "SessionStart", "session_id": "conversation"});
    let decides = "askbridge pair --yes-i-am-a-person";
    let script = format!("echo '{begins}' | askbridge hook; {decides}");
    // An agent that starts its hook itself, without a shell in between.
    let agent = format!("import subprocess\nsubprocess.run(['bash', '-c', '''{script}'''])");
    let said = home.laptop.python(&agent);
    assert!(said.stderr.contains("an agent may ask but never decide"), "{}", said.stderr);
}

#[test]
fn the_doctor_looks_after_the_connection_and_tries_the_doors_through_it() {
    let home = Home::connected();
    home.laptop.run(&["init", "claude"]).good();
    let listen = format!("127.0.0.1:{}", free_port());
    let doctor = home.laptop.run(&["doctor", "--json", "--listen", &listen]);
    let found: Vec<Value> = doctor.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |check: &str| found.iter().filter(|line| line["check"] == check).collect::<Vec<_>>();
    assert_eq!(of("home")[0]["health"], "good", "{found:?}");
    assert!(of("home")[0]["what"].as_str().unwrap().contains("knows this machine as `laptop`"));
    let hooks = of("hooks");
    let tried = hooks.iter().find(|line| line["what"].as_str().unwrap().contains("a test was asked")).unwrap();
    assert_eq!(tried["health"], "good", "{hooks:?}");
    assert!(tried["what"].as_str().unwrap().contains("a connected machine asks and never decides"), "{tried}");
    assert!(home.all().is_empty(), "the test was taken back");
}
