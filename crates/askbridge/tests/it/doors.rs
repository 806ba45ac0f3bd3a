//! `askbridge doctor` on installed doors: a test ask goes through each of them.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::bridge::{Ran, TestBridge};
use crate::terminal::Terminal;

/// Returns what a check found: health, sentence, hint.
fn found(ran: &Ran, check: &str) -> Vec<(String, String, String)> {
    let lines = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines = lines.filter(|line| line["check"] == check);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    lines.map(|line| (text(&line["health"]), text(&line["what"]), text(&line["hint"]))).collect()
}

/// On a machine without a server, on a free port.
fn alone(bridge: &TestBridge, path: &str) -> Ran {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    bridge.bash(&format!("unset ASKBRIDGE_DATA; PATH={path}:$PATH askbridge-here --listen {port} doctor --json"))
}

/// Puts a program called `askbridge` before the real one, which is then called `askbridge-here`.
fn instead(bridge: &TestBridge, script: &str) -> String {
    let bin = bridge.dir.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("askbridge"), script).unwrap();
    fs::set_permissions(bin.join("askbridge"), fs::Permissions::from_mode(0o755)).unwrap();
    let here = bin.join("askbridge-here");
    if !here.exists() {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_askbridge"), here).unwrap();
    }
    bin.display().to_string()
}

/// An `askbridge` that implements both doors with just `askbridge ask`, so that the doctor is tested, not the doors.
const KEEPS_THE_CONTRACT: &str = r#"#!/usr/bin/env python3
import json, subprocess, sys

def ask(questions):
    question = questions[0]
    options = [word for option in question["options"] for word in ("-o", option["label"])]
    ran = subprocess.run(["askbridge-here", "ask", question["question"], *options], capture_output=True, text=True)
    return question["question"], ran.stdout.strip(), ran.returncode

if sys.argv[-1] == "hook":
    event = json.load(sys.stdin)
    question, answer, code = ask(event["tool_input"]["questions"])
    if code == 0:
        answers = dict(event["tool_input"], answers={question: answer})
        decision = {"behavior": "allow", "updatedInput": answers}
        print(json.dumps({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}))
    sys.exit(0)

for line in sys.stdin:
    call = json.loads(line)
    if "id" not in call:
        continue
    if call["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
    elif call["method"] == "tools/list":
        result = {"tools": [{"name": "ask_user_question", "inputSchema": {"type": "object"}}]}
    else:
        question, answer, code = ask(call["params"]["arguments"]["questions"])
        result = {"content": [{"type": "text", "text": f"{question} {answer}"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}), flush=True)
"#;

const HOOK: &str =
    r#"{"hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command": "askbridge hook"}]}]}}"#;
const SERVER: &str = r#"{"mcpServers": {"askbridge": {"command": "askbridge", "args": ["mcp"]}}}"#;

fn write(bridge: &TestBridge, name: &str, text: &str) {
    let path = bridge.dir.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn where_nothing_is_installed_the_doctor_says_how_to() {
    let bridge = TestBridge::start();
    let ran = bridge.run(&["doctor", "--json"]);
    assert_eq!(found(&ran, "hooks")[0].0, "skipped");
    assert!(found(&ran, "hooks")[0].1.contains("`askbridge init claude`"), "{}", ran.stdout);
    assert!(found(&ran, "mcp")[0].1.contains("see `askbridge init`"), "{}", ran.stdout);
}

#[test]
fn without_a_server_a_test_goes_through_every_door_to_one_that_is_thrown_away() {
    let bridge = TestBridge::stopped();
    let bin = instead(&bridge, KEEPS_THE_CONTRACT);
    write(&bridge, ".claude/settings.json", HOOK);
    write(&bridge, ".cursor/mcp.json", SERVER);
    let ran = alone(&bridge, &bin);
    let file = |name: &str| bridge.dir.path().join(name).display().to_string();
    let good = |program: &str, name: &str| {
        (
            "good".to_owned(),
            format!("{program} (`{}`): a test was asked, answered and heard", file(name)),
            String::new(),
        )
    };
    assert!(found(&ran, "hooks").contains(&good("Claude Code", ".claude/settings.json")), "{}", ran.stdout);
    assert_eq!(found(&ran, "mcp"), [good("Cursor", ".cursor/mcp.json")], "{}", ran.stdout);
}

#[test]
fn on_a_running_server_a_script_asks_through_the_doors_and_withdraws() {
    let bridge = TestBridge::start();
    let bin = instead(&bridge, KEEPS_THE_CONTRACT);
    write(&bridge, ".claude/settings.json", HOOK);
    write(&bridge, ".gemini/settings.json", SERVER);
    let ran = bridge.bash(&format!("PATH={bin}:$PATH askbridge-here doctor --json"));
    for check in ["hooks", "mcp"] {
        let found = found(&ran, check);
        let (health, what, _) = found.last().unwrap();
        assert_eq!(health, "good", "{}", ran.stdout);
        assert!(what.contains("asked, seen and withdrawn; not answered, since there is no terminal here"), "{what}");
    }
    assert!(bridge.open().is_empty());
}

#[test]
fn a_person_at_a_terminal_sees_the_whole_way_through_the_doors() {
    let bridge = TestBridge::start();
    let bin = instead(&bridge, KEEPS_THE_CONTRACT);
    write(&bridge, ".claude/settings.json", HOOK);
    write(&bridge, ".codex/config.toml", "[mcp_servers.askbridge]\ncommand = \"askbridge\"\nargs = [\"mcp\"]\n");
    let script = format!("PATH={bin}:$PATH askbridge-here doctor --json | cat");
    let mut terminal = Terminal::open(bridge.at_a_terminal("bash", &["-c", &script]));
    terminal.shows("settings.json`): a test was asked, answered and heard");
    terminal.shows("config.toml`): a test was asked, answered and heard");
    assert_eq!(terminal.ends(), 0);
    assert!(bridge.open().is_empty());
}

#[test]
fn what_is_wrong_with_a_door_is_one_sentence_and_what_to_type_another() {
    let bridge = TestBridge::start();
    let bad = |script: &str, what: &str| {
        let bin = instead(&bridge, script);
        let ran = bridge.bash(&format!("PATH={bin}:$PATH askbridge-here doctor --json"));
        for (check, init) in [("hooks", "askbridge init claude"), ("mcp", "askbridge init claude --project --mcp")] {
            let (health, said, hint) = found(&ran, check).pop().unwrap();
            assert_eq!((ran.code, health.as_str()), (Some(1), "bad"), "{}", ran.stdout);
            assert!(said.contains(what), "{said}");
            assert_eq!(hint, format!("type `{init}` to write it anew"));
        }
    };
    write(&bridge, ".claude/settings.json", HOOK);
    write(&bridge, ".mcp.json", SERVER);
    bad("#!/bin/sh\necho \"error: unrecognized subcommand '$1'\" >&2\nexit 2\n", "this askbridge has no `");
    bad("#!/bin/sh\necho 'error: no room' >&2\nexit 3\n", "does not work: it ended with 3: error: no room");
}

#[test]
fn a_program_that_is_gone_is_named() {
    let bridge = TestBridge::start();
    write(&bridge, ".claude/settings.json", &HOOK.replace("askbridge hook", "/gone/askbridge hook"));
    let ran = bridge.run(&["doctor", "--json"]);
    let (health, said, hint) = found(&ran, "hooks").pop().unwrap();
    assert_eq!((health.as_str(), hint.as_str()), ("bad", "type `askbridge init claude` to write it anew"));
    assert!(said.contains("`/gone/askbridge hook` does not work: there is no such program"), "{said}");
}

#[test]
fn settings_that_cannot_be_read_are_told() {
    let bridge = TestBridge::start();
    write(&bridge, ".claude/settings.json", "{ \"hooks\": ");
    let ran = bridge.run(&["doctor", "--json"]);
    let (health, said, _) = found(&ran, "hooks").remove(0);
    assert_eq!(health, "warning");
    assert!(said.contains("line 1, column 12: the text ends where a value is expected"), "{said}");
}

#[test]
fn hooks_that_are_switched_off_and_servers_too_are_told() {
    let bridge = TestBridge::start();
    write(&bridge, ".claude/settings.json", &HOOK.replacen('{', "{\"disableAllHooks\": true, ", 1));
    write(
        &bridge,
        ".codex/config.toml",
        "[mcp_servers.askbridge]\ncommand = \"askbridge\"\nargs = [\"mcp\"]\nenabled = false\n",
    );
    let ran = bridge.run(&["doctor", "--json"]);
    let (health, said, hint) = found(&ran, "hooks").pop().unwrap();
    assert!(health == "warning" && said.contains("`disableAllHooks` is on, so no hook is run"), "{said}");
    assert!(hint.starts_with("take `disableAllHooks` out of `"), "{hint}");
    assert_eq!(found(&ran, "mcp")[0].0, "skipped", "{}", ran.stdout);
}

#[test]
fn hooks_that_codex_does_not_run_are_told() {
    let bridge = TestBridge::start();
    bridge.run(&["init", "codex", "--hooks"]).good();
    let file = bridge.dir.path().join(".codex/config.toml").canonicalize().unwrap();
    let written = fs::read_to_string(&file).unwrap();
    let found_with = |more: &str| {
        fs::write(&file, format!("{written}{more}")).unwrap();
        found(&bridge.run(&["doctor", "--json"]), "hooks")
    };
    // As Codex 0.166 stores it; the real one is tested in `tests/agents`.
    let state = |event: &str, more: &str| {
        format!("\n[hooks.state.\"{}:{event}:0:0\"]\ntrusted_hash = \"sha256:x\"\n{more}", file.display())
    };
    let others = ["session_start", "stop", "session_end"].map(|event| state(event, "")).concat();
    let [(health, said, hint), (tried, ..)] = &found_with("")[..] else { panic!("one is told and tried") };
    assert_eq!((health.as_str(), tried.as_str()), ("warning", "good"));
    assert!(said.ends_with("so Codex does not run them: PermissionRequest, SessionEnd, SessionStart, Stop"), "{said}");
    assert_eq!(hint, "start `codex`, look at the hooks that it shows, and trust them there");
    let (_, said, _) = found_with(&others).remove(0);
    assert!(said.ends_with("so Codex does not run them: PermissionRequest"), "{said}");
    let off = format!("{others}{}", state("permission_request", "enabled = false\n"));
    let (_, said, hint) = found_with(&off).remove(0);
    assert!(said.ends_with("these hooks are turned off in Codex: PermissionRequest"), "{said}");
    assert!(hint.contains("type `/hooks`"), "{hint}");
    let all = format!("{others}{}", state("permission_request", ""));
    assert_eq!(found_with(&all).len(), 1, "it is tried, and nothing else is said");
    let (health, said, _) = found_with(&format!("{all}\n[features]\nhooks = false\n")).remove(0);
    assert!(health == "warning" && said.contains("`features.hooks` is off, so no hook is run"), "{said}");
}

#[test]
fn a_claude_that_our_hooks_were_not_tried_with_is_told() {
    let bridge = TestBridge::start();
    write(&bridge, ".claude/settings.json", HOOK);
    let bin = instead(&bridge, KEEPS_THE_CONTRACT);
    let claude = bridge.dir.path().join("old-claude");
    fs::write(&claude, "#!/bin/sh\necho '2.1.197 (Claude Code)'\n").unwrap();
    fs::set_permissions(&claude, fs::Permissions::from_mode(0o755)).unwrap();
    let ran =
        bridge.bash(&format!("PATH={bin}:$PATH ASKBRIDGE_CLAUDE={} askbridge-here doctor --json", claude.display()));
    let (health, said, hint) = found(&ran, "hooks").remove(0);
    assert_eq!((health.as_str(), hint.as_str()), ("warning", "run `claude update`"));
    assert!(said.contains("tried with Claude Code 2.1.325, and this is 2.1.197"), "{said}");
}

#[test]
fn a_hook_over_http_without_its_token_is_told() {
    let bridge = TestBridge::start();
    bridge.run(&["init", "claude", "--http"]).good();
    let ran = bridge.run(&["doctor", "--json"]);
    let (health, said, hint) = found(&ran, "hooks").pop().unwrap();
    assert_eq!(health, "warning", "{}", ran.stdout);
    assert!(said.contains("$ASKBRIDGE_TOKEN is not set here"), "{said}");
    assert!(hint.contains("askbridge token create claude"), "{hint}");
    let ran = bridge.bash_with_token("askbridge doctor --json", "ab_wrong");
    let (health, said, _) = found(&ran, "hooks").pop().unwrap();
    assert_eq!(health, "bad");
    assert!(said.contains("the token is not known to the server"), "{said}");
    let token = bridge.run(&["token", "create", "claude"]).good().trim().to_owned();
    let ran = bridge.bash_with_token("askbridge doctor --json", &token);
    let (health, said, _) = found(&ran, "hooks").pop().unwrap();
    assert_eq!(health, "good", "{said}");
}

#[test]
fn what_init_wrote_is_tried_with_this_very_askbridge() {
    let bridge = TestBridge::start();
    bridge.run(&["init", "claude", "--mcp"]).good();
    let ran = bridge.run(&["doctor", "--json"]);
    for check in ["hooks", "mcp"] {
        let (health, said, _) = found(&ran, check).pop().unwrap();
        assert_eq!(health, "good", "{said}");
    }
}

#[test]
fn a_person_sees_a_test_go_through_the_real_doors_and_stays_a_person() {
    let bridge = TestBridge::start();
    bridge.run(&["init", "claude", "--mcp"]).good();
    for _ in 0..2 {
        let mut terminal = Terminal::open(bridge.at_a_terminal("bash", &["-c", "askbridge doctor --json | cat"]));
        terminal.shows("settings.json`): a test was asked, answered and heard");
        terminal.shows(".claude.json`): a test was asked, answered and heard");
        assert_eq!(terminal.ends(), 0);
    }
    assert!(bridge.open().is_empty());
}

#[test]
fn the_real_doors_are_tried_without_a_server_as_well() {
    let bridge = TestBridge::stopped();
    bridge.bash("unset ASKBRIDGE_DATA; askbridge init claude --mcp").good();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ran = bridge.bash(&format!("unset ASKBRIDGE_DATA; askbridge --listen {port} doctor --json"));
    for check in ["hooks", "mcp"] {
        let (health, said, _) = found(&ran, check).pop().unwrap();
        assert!(health == "good" && said.contains("a test was asked, answered and heard"), "{}", ran.stdout);
    }
}

#[test]
fn settings_that_claude_code_skips_are_not_called_good() {
    let bridge = TestBridge::stopped();
    let path = instead(&bridge, KEEPS_THE_CONTRACT);
    write(&bridge, ".claude/settings.json", &format!("// mine\n{HOOK}"));
    let ran = alone(&bridge, &path);
    let all = found(&ran, "hooks");
    assert!(all.iter().all(|(health, ..)| health != "good"), "{all:?}");
    let (_, what, hint) = all.into_iter().find(|(health, ..)| health == "bad").unwrap();
    assert!(what.contains("line 1 has a comment") && what.contains("skips this file"), "{what}");
    assert!(hint.contains("`--local`"), "{hint}");
}
