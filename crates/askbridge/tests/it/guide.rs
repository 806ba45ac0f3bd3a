//! The guide for shell scripts: every `bash` block prints what the `text` block after it says.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::bridge::TestBridge;

const GUIDE: &str = include_str!("../../../../docs/guides/shell-scripts.md");

/// Returns the blocks in order, with their languages.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let blocks = GUIDE.split("```").skip(1).step_by(2);
    blocks.map(|block| block.split_once('\n').unwrap()).collect()
}

/// Answers every ask without a deadline: yes to an approval or a plan, else the first option (and the last where
/// several may be chosen), or a name.
pub(crate) fn be_friendly(bridge: &TestBridge, token: &str) {
    for ask in bridge.open() {
        if ask["deadline"] != Value::Null {
            continue;
        }
        let id = ask["id"].as_str().unwrap();
        let decision = match ask["kind"].as_str().unwrap() {
            "approval" => Some("--allow"),
            "plan" => Some("--approve"),
            _ => None,
        };
        if let Some(decision) = decision {
            bridge.bash_with_token(&format!("askbridge answer {id} {decision}"), token).good();
            continue;
        }
        let question = &ask["questions"][0];
        let options = question["options"].as_array().unwrap();
        let label = |option: &Value| format!("--option '{}'", option["label"].as_str().unwrap());
        let mut answer = options.first().map_or("--text Wanderer".to_owned(), label);
        if question["multiSelect"] == true {
            answer = format!("{answer} {}", label(options.last().unwrap()));
        }
        bridge.bash_with_token(&format!("askbridge answer {id} {answer}"), token).good();
    }
}

#[test]
fn every_example_of_the_guide_does_what_it_says() {
    let bridge = TestBridge::start();
    let token = bridge.person();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                be_friendly(&bridge, &token);
                // Yields the CPU to the examples; nothing depends on the time.
                thread::sleep(Duration::from_millis(50));
            }
        });
        let blocks = blocks();
        let examples = blocks.windows(2).filter(|pair| pair[0].0 == "bash");
        let failures: Vec<_> = examples
            .filter_map(|pair| {
                let [(_, script), (language, expected)] = pair else { unreachable!("windows of two") };
                assert_eq!(*language, "text", "what does this print?\n{script}");
                let ran = bridge.bash(script);
                (ran.stdout != *expected).then(|| format!("{script}printed\n{}{}", ran.stdout, ran.stderr))
            })
            .collect();
        done.store(true, Ordering::Relaxed);
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    });
}

#[test]
fn the_guide_and_the_help_list_the_same_exit_codes() {
    let help = TestBridge::stopped().run(&["ask", "--help"]);
    let help = help.good();
    let codes = help.split("Exit codes:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let table = GUIDE.split("|---|---|\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let of_table = table.lines().map(|row| {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        (cells.next().unwrap().to_owned(), cells.next().unwrap().to_owned())
    });
    let of_help = codes.lines().map(|line| {
        let (code, meaning) = line.trim().split_once("  ").unwrap();
        (code.to_owned(), meaning.to_owned())
    });
    assert_eq!(of_help.collect::<Vec<_>>(), of_table.collect::<Vec<_>>());
}
