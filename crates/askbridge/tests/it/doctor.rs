//! `askbridge doctor`, on healthy and on broken installations.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use serde_json::Value;

use crate::bridge::{Ran, TestBridge};
use crate::terminal::Terminal;

/// Returns what a check found, and its hint.
fn found(ran: &Ran, check: &str) -> Vec<(String, String, String)> {
    let lines = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines = lines.filter(|line| line["check"] == check);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    lines.map(|line| (text(&line["health"]), text(&line["what"]), text(&line["hint"]))).collect()
}

#[track_caller]
fn is_bad(ran: &Ran, check: &str, what: &str, hint: &str) {
    let found = found(ran, check);
    let (health, said, to_do) = &found[0];
    assert_eq!((ran.code, health.as_str()), (Some(1), "bad"), "{found:?} {}", ran.stderr);
    assert!(said.contains(what), "{said}");
    assert!(to_do.contains(hint), "{to_do}");
}

fn set_mode(path: impl AsRef<std::path::Path>, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// On a free port, so that another server on the usual one does not matter.
fn free(bridge: &TestBridge, args: &str) -> Ran {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    bridge.bash(&format!("askbridge --listen {port} doctor {args}"))
}

#[test]
fn a_fresh_machine_is_healthy_and_stays_untouched() {
    let bridge = TestBridge::stopped();
    let ran = free(&bridge, "");
    let shown = bridge.redact(ran.good());
    let depends = ["  space ", "  files ", "  claude "];
    let lines = shown.lines().filter(|line| !depends.iter().any(|check| line.contains(check)));
    let lines = lines.filter(|line| !line.contains("hint: run askbridge as another user"));
    let address = |word: &str| if word.starts_with("127.0.0.1:") { "ADDRESS".to_owned() } else { word.to_owned() };
    let shown: Vec<_> = lines.map(|line| line.split(' ').map(address).collect::<Vec<_>>().join(" ")).collect();
    assert_snapshot!(shown.join("\n"), @"
    good     settings  no file; flags, environment and defaults are right
    good     clock     the clock is plausible
    skipped  folder    `DIR/data` does not exist yet; `askbridge` makes it
    skipped  store     there is no journal yet; `askbridge` makes it
    skipped  growth    nothing is kept yet
    skipped  tokens    there is no token file yet; `askbridge` makes it
    skipped  socket    askbridge is not running; start it with `askbridge`
    good     port      ADDRESS is free
    skipped  https     no other device reaches it over https; see `askbridge expose`
    good     versions  this is 0.1.0
    skipped  rules     there is no rule file
    good     agents    no agent runs
    good     asks      a test was asked, answered and fetched, on a server that is gone again
    skipped  channels  channels are looked at when a server runs
    skipped  hooks     no program's hooks call askbridge; `askbridge init claude` sees to that
    skipped  mcp       no program knows askbridge as an MCP server; see `askbridge init`
    ");
    assert!(!bridge.data().exists());
}

#[test]
fn on_a_running_server_a_script_asks_and_withdraws() {
    let bridge = TestBridge::start();
    let ran = bridge.run(&["doctor", "--json"]);
    ran.good();
    assert!(ran.stdout.lines().all(|line| !line.contains(r#""bad""#)), "{}", ran.stdout);
    assert!(found(&ran, "asks")[0].1.contains("asked, seen and withdrawn; not answered, since there is no terminal"));
    assert!(found(&ran, "port")[0].1.starts_with("askbridge answers on 127.0.0.1:"));
    assert_eq!(found(&ran, "versions")[0].0, "good");
    assert!(bridge.open().is_empty());
    let all = bridge.run(&["inbox", "--all", "--json"]);
    let ask: Value = serde_json::from_str(all.good().trim()).unwrap();
    assert_eq!((&ask["agent"], &ask["state"]), (&Value::from("doctor"), &Value::from("withdrawn")));
    assert!(ask["questions"][0]["question"].as_str().unwrap().contains("test by `askbridge doctor`"));
    let socket = bridge.data().join("run/askbridge.sock");
    let sessions = bridge.bash(&format!("curl -sS --unix-socket '{}' http://localhost/v1/sessions", socket.display()));
    let sessions: Value = serde_json::from_str(sessions.good()).unwrap();
    let states: Vec<_> = sessions["items"].as_array().unwrap().iter().map(|it| it["state"].clone()).collect();
    assert_eq!(states, ["closed"], "a test goes on after its end: {sessions}");
}

#[test]
fn a_person_at_a_terminal_sees_the_whole_way_of_an_ask() {
    let bridge = TestBridge::start();
    let mut terminal = Terminal::open(bridge.at_a_terminal(env!("CARGO_BIN_EXE_askbridge"), &["doctor"]));
    terminal.shows("a test was asked, answered and fetched");
    terminal.shows("all is as it should be");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn a_person_at_a_terminal_is_rung_over_every_channel_of_theirs_and_a_script_rings_nobody() {
    let bridge = TestBridge::start();
    let rung = bridge.data().join("rung");
    let user = "ASKBRIDGE_USER=ada";
    let add = |name: &str, program: &str| {
        bridge
            .bash(&format!("askbridge channel add command --for ada --name {name} -- sh -c '{program}'"))
            .good()
            .to_owned()
    };
    add("bell", &format!("cat >> {}", rung.display()));
    add("dead", "echo no battery >&2; exit 1");
    let ran = bridge.bash(&format!("{user} askbridge doctor --json"));
    ran.good();
    assert!(!rung.exists(), "a script rings nobody: {}", ran.stdout);
    assert_eq!(found(&ran, "channels").len(), 2);
    let ran = bridge.bash(&format!("{user} askbridge doctor --json --ring always"));
    let mut channels: Vec<_> = found(&ran, "channels").into_iter().map(|(health, what, _)| (health, what)).collect();
    channels.sort();
    let dead = ("bad".to_owned(), "dead (command) of ada does not work: no battery".to_owned());
    assert_eq!(channels[0], dead);
    assert_eq!(channels[1].0, "good", "{channels:?}");
    assert!(std::fs::read_to_string(&rung).unwrap().contains("This is a test of the channel “bell”."));
}

#[test]
fn below_an_agent_the_doctor_decides_nothing() {
    let bridge = TestBridge::start();
    let ran = bridge.run(&["run", "--", "askbridge", "doctor", "--json"]);
    assert!(found(&ran, "asks")[0].1.contains("since a process below an agent may not decide"), "{}", ran.stdout);
}

#[test]
fn a_token_that_others_can_read_is_bad() {
    let bridge = TestBridge::start();
    set_mode(bridge.data().join("token"), 0o644);
    let ran = bridge.run(&["doctor", "--json"]);
    is_bad(&ran, "tokens", "is open to other users (mode 644)", "chmod 600");
    set_mode(bridge.data(), 0o755);
    is_bad(&bridge.run(&["doctor", "--json"]), "folder", "mode 755", "chmod 700");
}

#[test]
fn a_strangers_port_is_bad() {
    let bridge = TestBridge::stopped();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    // It accepts connections, and responds with nothing valid.
    std::thread::spawn(move || taken.incoming().for_each(drop));
    let ran = bridge.bash(&format!("ASKBRIDGE_LISTEN={address} askbridge doctor --json"));
    is_bad(&ran, "port", "another program listens on", "askbridge --listen 127.0.0.1:");
}

#[test]
fn another_askbridge_on_the_port_is_told_from_a_stranger() {
    let other = TestBridge::start();
    let address = fs::read_to_string(other.data().join("run/address")).unwrap();
    let bridge = TestBridge::stopped();
    let ran = bridge.bash(&format!("ASKBRIDGE_LISTEN={} askbridge doctor --json", address.trim()));
    is_bad(&ran, "port", "another askbridge listens on", "--data");
}

#[test]
fn a_damaged_journal_is_bad() {
    let mut bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "--no-wait"]).good();
    bridge.kill();
    for file in ["askbridge.db-wal", "askbridge.db-shm"] {
        let _ = fs::remove_file(bridge.data().join(file));
    }
    fs::write(bridge.data().join("askbridge.db"), "this is no database".repeat(1000)).unwrap();
    is_bad(&free(&bridge, "--json"), "store", "the journal", "askbridge journal export");
}

#[test]
fn a_server_that_was_killed_is_noticed() {
    let mut bridge = TestBridge::start();
    bridge.kill();
    let ran = free(&bridge, "--json");
    let found = found(&ran, "socket");
    assert_eq!(found[0].0, "warning", "{found:?}");
    assert!(found[0].1.contains("a server was killed"), "{found:?}");
}

#[test]
fn wrong_settings_are_bad_and_end_the_visit() {
    let bridge = TestBridge::stopped();
    let ran = bridge.bash("ASKBRIDGE_LISTEN=nowhere askbridge doctor --json");
    is_bad(&ran, "settings", "$ASKBRIDGE_LISTEN: `nowhere` is not an address", "askbridge config check");
    assert_eq!(ran.stdout.lines().count(), 1);
}

#[test]
fn a_variable_that_was_misspelt_is_noticed() {
    let bridge = TestBridge::start();
    let ran = bridge.bash("ASKBRIDGE_LISTN=x ASKBRIDGE_ELSEWHERE=y askbridge doctor --json");
    ran.good();
    let found = found(&ran, "settings");
    let said: Vec<_> = found[1..].iter().map(|(health, _, hint)| (health.as_str(), hint.as_str())).collect();
    assert_eq!(said, [("warning", "did you mean `ASKBRIDGE_LISTEN`?")]);
}

#[test]
fn few_files_are_bad() {
    let bridge = TestBridge::start();
    let ran = bridge.bash("ulimit -n 64; askbridge doctor --json");
    is_bad(&ran, "files", "64 files may be open", "ulimit -n 4096");
}

/// Makes a program that prints these words as its version.
fn says(bridge: &TestBridge, name: &str, words: &str) -> String {
    let path = bridge.data().with_file_name(name);
    fs::write(&path, format!("#!/bin/sh\necho '{words}'\n")).unwrap();
    set_mode(&path, 0o755);
    path.display().to_string()
}

#[test]
fn claude_code_is_found_and_what_is_wrong_with_it_is_said() {
    let bridge = TestBridge::stopped();
    let with = |program: &str| {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        bridge.bash(&format!("ASKBRIDGE_CLAUDE='{program}' askbridge --listen {port} doctor --json"))
    };
    is_bad(&with("/nowhere/claude"), "claude", "there is no such program", "unset ASKBRIDGE_CLAUDE");
    is_bad(&with("/dev/null"), "claude", "`/dev/null` does not run", "/dev/null --version");
    is_bad(&with("/bin/echo"), "claude", "which is not a version of Claude Code", "ASKBRIDGE_CLAUDE");
    let old = says(&bridge, "old-claude", "1.0.83 (Claude Code)");
    is_bad(&with(&old), "claude", "Claude Code 1.0.83 is older than 2.1.197", "claude update");
    let new = says(&bridge, "new-claude", "2.1.325 (Claude Code)");
    let found = found(&with(&new), "claude");
    assert_eq!(found[0], ("good".to_owned(), format!("Claude Code 2.1.325 runs, at `{new}`"), String::new()));
    let root = found.get(1).map(|(health, what, _)| (health.as_str(), what.contains("`bypassPermissions`")));
    assert_eq!(root, rustix::process::geteuid().is_root().then_some(("warning", true)));
}

#[test]
fn an_agent_that_nobody_looks_after_is_named_with_what_to_type() {
    let bridge = TestBridge::stopped();
    let agents = bridge.data().join("run/agents");
    fs::create_dir_all(&agents).unwrap();
    set_mode(bridge.data(), 0o700);
    let mut agent = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", agent.id())).unwrap();
    let started = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned();
    let session = "ses_00000000000000000000000007";
    fs::write(agents.join(format!("{session}.pid")), format!("{} {started}\n", agent.id())).unwrap();
    let ran = free(&bridge, "--json");
    let unowned = found(&ran, "agents").remove(0);
    agent.kill().unwrap();
    agent.wait().unwrap();
    let what = format!(
        "process {}, the agent of {session}, runs without a server that looks after it: askbridge is not running",
        agent.id()
    );
    let hint = format!("start `askbridge`, which takes it over; or end it with `kill {}`", agent.id());
    assert_eq!(unowned, ("warning".to_owned(), what, hint));
    // Once it has ended, there is nothing to report.
    assert_eq!(found(&free(&bridge, "--json"), "agents")[0].1, "no agent runs");
}
