//! Taps: what a process of this machine may do for a person only when a paired device agrees. With real processes that
//! try what an agent can try.

use serde_json::Value;

use crate::bridge::{Running, TestBridge};
use crate::patience::until;
use crate::terminal::Terminal;

const BINARY: &str = env!("CARGO_BIN_EXE_askbridge");

/// A known agent that detaches what it starts: not through `askbridge run`, which would keep it below. It runs
/// `agent.sh`, and passes its process id.
const AGENT: &str = r#"
import os, socket
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["ASKBRIDGE_DATA"] + "/run/askbridge.sock")
line.sendall(b"POST /v1/agents HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}")
assert b" 204 " in line.recv(65536)
os.environ["AGENT"] = str(os.getpid())
os.execvp("bash", ["bash", "agent.sh"])
"#;

/// Waits until the agent is no longer an ancestor of this shell.
const SLIPPED_AWAY: &str = r#"
below() {
    local pid=$$
    while [ "$pid" -gt 1 ]; do
        pid=$(awk '/^PPid/ { print $2 }' /proc/$pid/status) || return 1
        [ "$pid" = "$AGENT" ] && return 0
    done
    return 1
}
while below; do sleep 0.02; done
"#;

/// Starts an agent that keeps running and detaches a process, which runs `command` and writes the output to `told`.
fn let_loose(bridge: &TestBridge, way: &str, command: &str) -> Running {
    let dir = bridge.dir.path();
    std::fs::write(dir.join("loose.sh"), format!("{SLIPPED_AWAY}\n{command} >told 2>&1 </dev/null\n")).unwrap();
    std::fs::write(dir.join("agent.sh"), format!("{way}\nexec sleep 600\n")).unwrap();
    std::fs::write(dir.join("agent.py"), AGENT).unwrap();
    let _ = std::fs::remove_file(dir.join("told"));
    bridge.spawn_bash("exec python3 agent.py")
}

fn told(bridge: &TestBridge, text: &str) {
    until(&format!("it is told {text:?}"), || {
        std::fs::read_to_string(bridge.dir.path().join("told")).ok().filter(|told| told.contains(text))
    });
}

/// Ways to escape from below an agent that keeps running.
const WAYS: &[&str] = &[
    "setsid -f bash loose.sh",
    "( bash loose.sh & )",
    // A tmux server that any shell of this user may have started.
    "if command -v tmux >/dev/null; then tmux -S tmux.sock new-session -d 'bash loose.sh'; else setsid -f bash loose.sh; fi",
];

fn a_deployment(bridge: &TestBridge) -> String {
    bridge.run(&["ask", "Deploy now?", "-o", "Yes", "-o", "No", "--no-wait"]).good().trim().to_owned()
}

fn is_open(bridge: &TestBridge, ask: &str) -> bool {
    bridge.open().iter().any(|open| open["id"] == ask)
}

#[test]
fn what_an_agent_lets_loose_finds_a_person_at_their_phone_and_no_decision() {
    for way in WAYS {
        let bridge = TestBridge::start();
        bridge.person();
        let ask = a_deployment(&bridge);
        let answer = format!("script -qec 'askbridge answer {ask} --option Yes' /dev/null");
        for command in [answer.as_str(), "askbridge pair --print-token --yes-i-am-a-person"] {
            let agent = let_loose(&bridge, way, command);
            let tap = bridge.the_open_tap();
            assert!(is_open(&bridge, &ask), "{way}: {command}");
            assert_eq!(tap["approval"]["tool"], "askbridge");
            bridge.tap("--deny");
            told(&bridge, "denied");
            assert!(is_open(&bridge, &ask), "{way}: {command}");
            drop(agent);
        }
        bridge.bash("tmux -S tmux.sock kill-server; true").good();
        let tokens = bridge.run(&["token", "list"]);
        assert_eq!(tokens.good().matches("operator").count(), 1, "{}", tokens.stdout);
    }
}

#[test]
fn a_tap_says_which_process_wants_what_below_what_and_keeps_no_secret() {
    let bridge = TestBridge::start();
    bridge.person();
    let ask = a_deployment(&bridge);
    let mut terminal = Terminal::open(bridge.at_a_terminal(BINARY, &["answer", &ask, "--text", "ab_secret"]));
    let tap = bridge.the_open_tap();
    let input = &tap["approval"]["input"];
    let text = |name: &str| input[name].as_str().unwrap_or_else(|| panic!("{name}: {tap}")).to_owned();
    assert_eq!(text("wants"), "Decide as ada from a terminal of this machine");
    assert!(text("program").contains("answer") && text("program").ends_with("--text …"), "{tap}");
    assert!(text("terminal").starts_with("pts/") && !text("below").is_empty(), "{tap}");
    assert!(tap["approval"]["reason"].as_str().unwrap().starts_with("A program on this machine wants this."), "{tap}");
    terminal.shows("this needs a tap on a paired device (phone of ada)");
    terminal.shows("Ctrl-C takes it back");
    bridge.tap("--deny");
    terminal.shows("a paired device denied this");
    assert_eq!(terminal.ends(), 1);
}

#[test]
fn a_tap_is_given_by_devices_alone() {
    let bridge = TestBridge::start();
    bridge.person();
    let pairing = bridge.spawn(&["pair", "--print-token", "--yes-i-am-a-person"]);
    let tap = bridge.the_open_tap();
    let id = tap["id"].as_str().unwrap();
    let token = std::fs::read_to_string(bridge.data().join("token")).unwrap();
    let ran = bridge.bash_with_token(&format!("askbridge answer {id} --allow"), token.trim());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let mut terminal = Terminal::open(bridge.at_a_terminal(BINARY, &["answer", id, "--allow"]));
    terminal.shows("a tap is given on a paired device, and nowhere else");
    assert_eq!(terminal.ends(), 1);
    let withdrawn = bridge.post(&format!("/v1/asks/{id}/withdraw"), "-", &serde_json::json!({}));
    assert_eq!(withdrawn["code"], "forbidden", "{withdrawn}");
    bridge.tap("--allow");
    let made = pairing.ended();
    assert!(made.good().starts_with("ab_"), "{made:?}");
}

#[test]
fn a_tap_is_remembered_for_its_shell_through_a_restart_and_for_no_other_shell() {
    let mut bridge = TestBridge::start();
    bridge.person();
    let (first, second, third) = (a_deployment(&bridge), a_deployment(&bridge), a_deployment(&bridge));
    let script = format!(
        "askbridge answer {first} --option Yes; echo [1]; until [ -e go ]; do sleep 0.05; done; askbridge answer {second} --option Yes; echo [2]"
    );
    let mut shell = Terminal::open(bridge.at_a_terminal("bash", &["-c", &script]));
    bridge.tap("--allow");
    shell.shows("[1]");
    assert!(!is_open(&bridge, &first));
    bridge.kill();
    bridge.start_again();
    std::fs::write(bridge.dir.path().join("go"), "").unwrap();
    shell.shows("[2]");
    assert!(!is_open(&bridge, &second), "{}", shell.screen());
    let other = Terminal::open(bridge.at_a_terminal(BINARY, &["answer", &third, "--option", "Yes"]));
    bridge.tap("--deny");
    assert_eq!(other.ends(), 1);
    assert!(is_open(&bridge, &third));
}

#[test]
fn a_tap_for_one_pane_is_none_for_the_next_one_of_the_same_tmux() {
    let bridge = TestBridge::start();
    if bridge.bash("command -v tmux").code != Some(0) {
        eprintln!("there is no tmux here, so no pane was tried");
        return;
    }
    bridge.person();
    let (first, second) = (a_deployment(&bridge), a_deployment(&bridge));
    let pane = |ask: &str| format!("\"askbridge answer {ask} --option Yes; exec sleep 600\"");
    bridge.bash(&format!("tmux -S panes new-session -d {} >/dev/null 2>&1 </dev/null", pane(&first))).good();
    bridge.tap("--allow");
    until("the first counts", || (!is_open(&bridge, &first)).then_some(()));
    bridge.bash(&format!("tmux -S panes split-window {}", pane(&second))).good();
    bridge.tap("--deny");
    assert!(is_open(&bridge, &second));
    bridge.bash("tmux -S panes kill-server").good();
}

#[test]
fn a_tap_is_forgotten_when_an_agent_starts_in_that_shell() {
    let bridge = TestBridge::start();
    bridge.person();
    let (first, second) = (a_deployment(&bridge), a_deployment(&bridge));
    let script = format!(
        "askbridge answer {first} --option Yes; askbridge run -- true; askbridge answer {second} --option Yes; echo end"
    );
    let mut shell = Terminal::open(bridge.at_a_terminal("bash", &["-c", &script]));
    bridge.tap("--allow");
    until("the first counts", || (!is_open(&bridge, &first)).then_some(()));
    bridge.tap("--deny");
    shell.shows("end");
    assert!(is_open(&bridge, &second));
}

#[test]
fn a_program_that_is_interrupted_takes_its_tap_back() {
    let bridge = TestBridge::start();
    bridge.person();
    let pairing = bridge.spawn(&["pair", "--yes-i-am-a-person"]);
    bridge.the_open_tap();
    pairing.tells("waiting for it");
    pairing.interrupt();
    until("the tap is gone", || bridge.open().is_empty().then_some(()));
}

#[test]
fn the_first_device_is_taken_at_its_word_and_a_second_needs_a_tap_however_it_is_made() {
    let bridge = TestBridge::start();
    // Made before there was a device, and opened after another one was paired.
    let early: Value = serde_json::from_str(bridge.run(&["pair", "--json", "--yes-i-am-a-person"]).good()).unwrap();
    bridge.person();
    let link = early["link"].as_str().unwrap();
    let (address, secret) = link.split_once("/#pair=").unwrap();
    let redeemed = bridge.bash(&format!("curl -s {address}/v1/pair -d '{{\"secret\":\"{secret}\"}}'"));
    assert!(
        redeemed.good().contains("pairing_used") && redeemed.stdout.contains("another device was paired"),
        "{redeemed:?}"
    );

    let mut terminal = Terminal::open(bridge.at_a_terminal(BINARY, &["pair"]));
    terminal.shows("this needs a tap");
    bridge.tap("--allow");
    terminal.shows("/#pair=pair_");
    assert_eq!(terminal.ends(), 0);
    let newcomer = bridge.spawn(&["pair", "--print-token", "--yes-i-am-a-person", "--name", "bob", "--role", "person"]);
    let tap = bridge.the_open_tap();
    assert_eq!(tap["approval"]["input"]["wants"], "Pair a device of bob", "an operator is asked about a new person");
    bridge.tap("--deny");
    assert_eq!((newcomer.ended().code), Some(1));
}

#[test]
fn an_empty_list_of_devices_does_not_make_the_next_pairing_the_first() {
    let mut bridge = TestBridge::start();
    bridge.person();
    let list = bridge.run(&["token", "list", "--json"]).good().to_owned();
    let tokens = list.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let phone = tokens.into_iter().find(|token| token["role"] == "operator").unwrap();
    let id = phone["id"].as_str().unwrap();

    // The token file may administer, but alone it can no longer remove a person's device.
    let file = std::fs::read_to_string(bridge.data().join("token")).unwrap();
    let address = std::fs::read_to_string(bridge.data().join("run/address")).unwrap();
    let delete = format!(
        "curl -s -X DELETE http://{}/v1/tokens/{id} -H 'authorization: Bearer {}'",
        address.trim(),
        file.trim()
    );
    assert!(bridge.bash(&delete).good().contains("tap_needed"));
    bridge.tap("--deny");
    assert!(bridge.run(&["token", "list"]).good().contains(id));

    let revoking = bridge.spawn(&["token", "revoke", id]);
    bridge.tap("--allow");
    assert_eq!(revoking.ended().code, Some(0));
    assert!(!bridge.run(&["token", "list"]).good().contains(id));
    bridge.kill();
    bridge.start_again();
    let ran = bridge.run(&["pair", "--print-token", "--yes-i-am-a-person"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    assert!(ran.stderr.contains("no device is paired any more"), "{}", ran.stderr);
}

#[test]
fn taps_are_switched_off_with_a_tap_and_on_without() {
    let bridge = TestBridge::start();
    assert!(bridge.run(&["taps"]).good().contains("none is yet"));
    assert_eq!(bridge.run(&["taps", "off"]).code, Some(1), "no device could agree to it");
    bridge.person();
    let denied = bridge.spawn(&["taps", "off"]);
    bridge.tap("--deny");
    assert_eq!(denied.ended().code, Some(1));
    assert!(bridge.run(&["taps"]).good().starts_with("on: "));
    bridge.without_taps();
    assert!(bridge.run(&["taps"]).good().starts_with("off: "));
    assert!(bridge.run(&["pair", "--print-token", "--yes-i-am-a-person"]).good().starts_with("ab_"));
    bridge.run(&["taps", "on"]).good();
    let pairing = bridge.spawn(&["pair", "--print-token", "--yes-i-am-a-person"]);
    bridge.tap("--deny");
    assert_eq!(pairing.ended().code, Some(1));
}

#[test]
fn a_server_in_a_terminal_prints_a_link_that_pairs_only_until_the_first_device_came() {
    let mut bridge = TestBridge::start();
    bridge.person();
    bridge.kill();
    let mut serve = bridge.at_a_terminal(BINARY, &["serve"]);
    serve.env("ASKBRIDGE_LISTEN", "127.0.0.1:0");
    let mut terminal = Terminal::open(serve);
    terminal.shows("To pair another one: `askbridge pair`");
    terminal.shows("http://127.0.0.1:");
    assert!(!terminal.screen().contains("#pair="), "{}", terminal.screen());
}

#[test]
fn what_an_agent_leaves_behind_stays_below_the_server_and_is_buried() {
    let bridge = TestBridge::stopped();
    // The shell becomes the server, so its children are below the server, as are orphans of agents that have ended.
    let script =
        "setsid bash -c 'until [ -e go ]; do sleep 0.05; done; askbridge pair --yes-i-am-a-person >told 2>&1' &
                  ASKBRIDGE_LISTEN=127.0.0.1:0 exec askbridge serve";
    let server = bridge.spawn_bash(script);
    server.prints("http://");
    std::fs::write(bridge.dir.path().join("go"), "").unwrap();
    told(&bridge, "may ask but never decide");
    let pid = server.pid();
    let dead = || {
        let stats = std::fs::read_dir("/proc").unwrap().flatten();
        let stats = stats.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
        stats
            .into_iter()
            .filter(|stat| stat.rsplit_once(')').is_some_and(|(_, rest)| rest.starts_with(&format!(" Z {pid} "))))
            .count()
    };
    until("nothing that has ended is left below the server", || (dead() == 0).then_some(()));
}

#[test]
fn what_a_hosted_agent_lets_go_of_stays_below_it() {
    let bridge = TestBridge::stopped();
    let agent = r#"echo $$ >agent; setsid -f bash -c "until [ -e let-go ]; do sleep 0.02; done; awk \"/^PPid/ { print \\\$2 }\" /proc/\$\$/status >adopted; mv adopted above"; touch let-go; until [ -e above ]; do sleep 0.02; done"#;
    std::fs::write(bridge.dir.path().join("agent.sh"), agent).unwrap();
    bridge.bash("mkfifo p.in; touch p.out; askbridge launch-agent $$ $PWD/p bash agent.sh; true").good();
    let read = |name: &str| until(name, || std::fs::read_to_string(bridge.dir.path().join(name)).ok());
    assert_eq!(read("above"), read("agent"));
}

/// A server in a PID namespace, and a person who comes in from outside, as `docker exec` does: below something that no
/// process inside could have put itself under. Prints the result of each step.
const FROM_OUTSIDE: &str = r#"
unshare --pid --fork --mount-proc --kill-child true 2>/dev/null || { echo no namespace; exit; }
unshare --pid --fork --mount-proc --kill-child bash -c 'ASKBRIDGE_LISTEN=127.0.0.1:0 askbridge serve >served 2>log; true' >/dev/null 2>&1 &
outer=$!
until grep -q http served 2>/dev/null; do sleep 0.05; done
inner=$(pgrep -P $outer)
inside() { nsenter -t "$inner" -p -m "$@"; }
phone=$(inside askbridge pair --print-token --yes-i-am-a-person 2>/dev/null)
inside askbridge ask 'Deploy now?' -o Yes -o No --no-wait >/dev/null
inside script -qec 'askbridge answer --option Yes' /dev/null
inside script -qec 'askbridge pair' /dev/null >pairing &
until grep -q Ctrl-C pairing 2>/dev/null; do sleep 0.05; done
cat pairing
tap=$(inside askbridge inbox --json | sed 's/.*"id":"\([^"]*\)".*/\1/')
ASKBRIDGE_TOKEN=$phone inside askbridge answer "$tap" --deny
wait %2
tail -n 1 pairing
kill -9 $outer
"#;

#[test]
fn a_terminal_below_a_login_decides_as_before_and_may_wait_for_devices_that_are_lost() {
    let bridge = TestBridge::stopped();
    let ran = bridge.bash(FROM_OUTSIDE);
    if ran.good() == "no namespace\n" {
        eprintln!("no process comes in from outside here: this system lets us make no namespace");
        return;
    }
    assert!(ran.stdout.contains("answered: Yes"), "{ran:?}");
    assert!(ran.stdout.contains("it goes on by itself in 10 minutes"), "{ran:?}");
    assert!(ran.stdout.trim_end().ends_with("a paired device denied this"), "{ran:?}");
}
