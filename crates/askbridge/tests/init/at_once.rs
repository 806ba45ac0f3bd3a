//! Several `init` at once, and some that are killed.

use std::fs;
use std::time::{Duration, Instant};

use crate::home::{CLAUDE, Home};

#[test]
fn many_at_once_are_as_one() {
    let home = Home::new();
    home.write(".claude/settings.json", CLAUDE);
    home.write(".claude.json", "{\n  \"numStartups\": 7\n}\n");
    let all = |args: &[&str]| {
        let children: Vec<_> = (0..8).map(|_| home.spawn(args)).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    };
    all(&["init", "claude", "--mcp"]);
    let put = home.read(".claude/settings.json");
    let events = home.json(".claude/settings.json")["hooks"].as_object().unwrap().len();
    assert!(events > 5);
    assert_eq!(put.matches("askbridge hook").count(), events, "once for each event");
    assert!(home.run(&["init", "claude", "--mcp"]).good().matches("nothing to change").count() == 2);
    all(&["uninstall", "claude"]);
    assert_eq!(home.read(".claude/settings.json"), CLAUDE);
    assert_eq!(home.read(".claude.json"), "{\n  \"numStartups\": 7\n}\n");
    assert_eq!(home.files(), [".claude.json", ".claude/settings.json"]);
}

#[test]
fn in_and_out_at_once_leaves_one_of_both() {
    let home = Home::new();
    home.write(".claude/settings.json", CLAUDE);
    home.run(&["init", "claude"]).good();
    let put = home.read(".claude/settings.json");
    for _ in 0..4 {
        let verbs = ["init", "uninstall", "init", "uninstall"];
        let children: Vec<_> = verbs.iter().map(|verb| home.spawn(&[verb, "claude"])).collect();
        for child in children {
            assert!(child.wait_with_output().unwrap().status.success());
        }
        let now = home.read(".claude/settings.json");
        assert!(now == CLAUDE || now == put, "{now}");
    }
    home.run(&["uninstall", "claude"]).good();
    assert_eq!(home.read(".claude/settings.json"), CLAUDE);
}

#[test]
fn whenever_it_is_killed_the_file_is_old_or_new_and_never_half() {
    let home = Home::new();
    home.write(".claude/settings.json", CLAUDE);
    home.run(&["init", "claude"]).good();
    let put = home.read(".claude/settings.json");
    let began = Instant::now();
    home.run(&["uninstall", "claude"]).good();
    // Kills are spread over the time that one run takes on this machine, and a little more.
    let whole = began.elapsed() * 5 / 4;
    for round in 0..80_u32 {
        let verb = if round % 2 == 0 { "init" } else { "uninstall" };
        let mut child = home.spawn(&[verb, "claude"]);
        let (spawned, end) = (Instant::now(), whole * round / 80);
        while spawned.elapsed() < end && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(100));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let now = home.read(".claude/settings.json");
        assert!(now == CLAUDE || now == put, "after {end:?}: {now}");
    }
    // Whatever a killed run left behind, `init` and `uninstall` still give the same results.
    home.run(&["init", "claude"]).good();
    assert_eq!(home.read(".claude/settings.json"), put);
    home.run(&["uninstall", "claude"]).good();
    assert_eq!(home.read(".claude/settings.json"), CLAUDE);
    let beside: Vec<_> = fs::read_dir(home.path(".claude")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(beside, ["settings.json"]);
}
