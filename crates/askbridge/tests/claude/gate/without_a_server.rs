//! A server that is down blocks no terminal, unless a rule says so.

use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::{Script, ToolResult, on_any_result, on_user, text, tool};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::table::{Ruled, furnish_for_rules, run};

const RULES: &str = r#"
[[rules]]
name = "closed"
do = "deny"
words = "Never."
tool = "Bash(touch closed*)"
every_call = true
when_down = "deny"

[[rules]]
name = "closed too"
do = "ask"
tool = "Bash(touch asked*)"
every_call = true
when_down = "deny"

[[rules]]
name = "open"
do = "deny"
words = "Never."
tool = "Bash(touch open*)"
every_call = true
"#;

fn script(command: &str) -> Script {
    let call = tool("toolu_1", "Bash", json!({"command": command, "description": "d"}));
    Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [call])
}

fn open(command: &str) -> Ruled {
    let ruled = Ruled::open(Subject::Real, script(command), RULES, &[]);
    furnish_for_rules(&ruled.house);
    ruled
}

/// Runs the command in a person's own run, and returns what the model read and whether it ran.
fn outcome(ruled: &Ruled, name: &str) -> (ToolResult, bool) {
    let ended = run(&ruled.house, "hi", "bypassPermissions").wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    (ruled.house.model.tool_result("toolu_1").unwrap(), ruled.house.scratch.work().join(name).exists())
}

#[test]
fn without_a_server_only_what_a_rule_says_is_denied() {
    for (name, rule) in [("closed", Some("closed")), ("asked", Some("closed too")), ("open", None), ("other", None)] {
        let mut ruled = open(&format!("touch {name}"));
        ruled.house.kill();
        let (read, has_run) = outcome(&ruled, name);
        assert_eq!(has_run, rule.is_none(), "{name}: {read:?}");
        if let Some(rule) = rule {
            assert!(read.is_error && read.text.contains(&format!("“{rule}”")), "{read:?}");
            assert!(read.text.contains("askbridge does not answer") && read.text.contains("rules.toml:"), "{read:?}");
        }
    }
}

/// Waits until the run has called a hook about its call.
fn until_hook(ruled: &Ruled, running: &mut Child) {
    let data = format!("ASKBRIDGE_DATA={}", ruled.house.data().display());
    let end = Instant::now() + Duration::from_secs(60);
    let waits = || {
        fs::read_dir("/proc").unwrap().flatten().any(|process| {
            let read = |name: &str| fs::read(process.path().join(name)).unwrap_or_default();
            read("cmdline").ends_with(b"askbridge\0hook\0--rules\0")
                && read("environ").split(|byte| *byte == 0).any(|variable| variable == data.as_bytes())
        })
    };
    while !ruled.house.model.heard().iter().any(|heard| heard.last_user_text().is_some()) || !waits() {
        assert!(Instant::now() < end && running.try_wait().unwrap().is_none(), "no hook was called");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn killed_while_a_hook_waits_for_its_rules_the_call_is_denied_only_if_a_rule_says_so() {
    for (name, runs) in [("closed", false), ("open", true)] {
        let mut ruled = open(&format!("touch {name}"));
        // It takes connections and answers nothing: the hook is in the middle of its consultation.
        let server = ruled.house.server_pid();
        let mut running = run(&ruled.house, "hi", "bypassPermissions");
        ruled.house.model.until(|heard| !heard.is_empty());
        kill_process(Pid::from_raw(server).unwrap(), Signal::STOP).unwrap();
        until_hook(&ruled, &mut running);
        ruled.house.kill();
        let ended = running.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
        let read = ruled.house.model.tool_result("toolu_1").unwrap();
        assert_eq!(ruled.house.scratch.work().join(name).exists(), runs, "{name}: {read:?}");
    }
}

#[test]
fn the_copy_for_terminals_follows_the_rules() {
    let ruled = open("touch closed");
    let copy = ruled.house.data().join("run/when-down.json");
    assert!(fs::read_to_string(&copy).unwrap().contains("closed too"));
    ruled.write("[[rules]]\nname = \"one\"\ndo = \"ask\"\nevery_call = true\ntool = \"Bash(x)\"\n", 1);
    assert!(!copy.exists(), "no rule wants it");
    ruled.write(RULES, 3);
    assert!(copy.exists());
    // A version that cannot be read leaves the last good one in force, here too.
    fs::write(&ruled.rules, "[[rules]]\nname = 7\n").unwrap();
    ruled.house.until("the problem to be seen", || {
        (!ruled.house.get("/v1/rules")["problems"].as_array()?.is_empty()).then_some(())
    });
    assert!(fs::read_to_string(&copy).unwrap().contains("closed too"));
}
