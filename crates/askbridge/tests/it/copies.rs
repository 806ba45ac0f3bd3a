//! `askbridge journal backup` and `restore`: while agents ask, and on another machine.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::bridge::TestBridge;
use crate::patience::until;

/// Agents that ask at the same time.
const AGENTS: usize = 4;

fn question(text: &str) -> Value {
    json!({"questions": [{"question": text, "options": [{"label": "Yes"}, {"label": "No"}]}]})
}

#[test]
fn a_copy_made_while_agents_ask_is_whole_and_works_elsewhere() {
    let bridge = Arc::new(TestBridge::start());
    let (stop, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let agents: Vec<_> = (0..AGENTS)
        .map(|agent| {
            let (bridge, stop, asked) = (Arc::clone(&bridge), Arc::clone(&stop), Arc::clone(&asked));
            std::thread::spawn(move || {
                let mut ids = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    let number = ids.len();
                    ids.push(bridge.ask(&format!("{agent}-{number}"), &question("Deploy now?")));
                    asked.fetch_add(1, Ordering::Relaxed);
                }
                ids
            })
        })
        .collect();
    until("agents have asked", || (asked.load(Ordering::Relaxed) > 100).then_some(()));
    let before: Vec<Value> = bridge.open();
    let copy = bridge.dir.path().join("copy.db");
    let made = bridge.run(&["journal", "backup", copy.to_str().unwrap(), "--json"]);
    let report: Value = serde_json::from_str(made.good()).unwrap();
    let during = asked.load(Ordering::Relaxed);
    until("agents ask on", || (asked.load(Ordering::Relaxed) > during + 20).then_some(()));
    stop.store(true, Ordering::Relaxed);
    let all: usize = agents.into_iter().map(|agent| agent.join().unwrap().len()).sum();
    assert_eq!(report["good"], true);
    assert!((report["open_asks"].as_u64().unwrap() as usize) < all, "the copy is older than the journal");

    let mut elsewhere = TestBridge::stopped();
    let restored = elsewhere.run(&["journal", "restore", copy.to_str().unwrap()]);
    assert!(restored.good().contains("open asks"), "{}", restored.stdout);
    elsewhere.start_again();
    let there: Vec<Value> = elsewhere.open();
    assert_eq!(there.len() as u64, report["open_asks"].as_u64().unwrap());
    let missing = before.iter().filter(|ask| !there.iter().any(|found| found["id"] == ask["id"]));
    assert_eq!(missing.count(), 0, "what was acknowledged before the copy is in it");
    elsewhere.answer(&[before[0]["id"].as_str().unwrap(), "-o", "Yes"]).good();
    elsewhere.run(&["journal", "verify"]).good();
    // The same key is the same ask, even after a move.
    let first = bridge.ask("0-0", &question("Deploy now?"));
    assert_eq!(elsewhere.ask("0-0", &question("Deploy now?")), first);
}

#[test]
fn restoring_never_harms_a_journal_that_is_there() {
    let mut bridge = TestBridge::start();
    let copy = bridge.dir.path().join("copy.db");
    let copy = copy.to_str().unwrap();
    bridge.ask("one", &question("Deploy now?"));
    bridge.run(&["journal", "backup", copy]).good();
    let again = bridge.run(&["journal", "backup", copy]);
    assert_eq!(again.code, Some(1));
    assert!(
        again.stderr.contains("is there already") && again.stderr.contains("hint: choose another name"),
        "{again:?}"
    );
    let newer = bridge.ask("two", &question("And this?"));

    let running = bridge.run(&["journal", "restore", copy, "--replace"]);
    assert_eq!(running.code, Some(1));
    assert!(running.stderr.contains("hint: a server works on this folder; stop it"), "{}", running.stderr);
    bridge.kill();
    let refused = bridge.run(&["journal", "restore", copy]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("--replace"), "{}", refused.stderr);

    let restored = bridge.run(&["journal", "restore", copy, "--replace", "--json"]);
    let restored: Value = serde_json::from_str(restored.good()).unwrap();
    bridge.start_again();
    assert_eq!(bridge.open().len(), 1, "as it was when the copy was made");
    let aside = restored["aside"].as_str().unwrap();
    let kept = bridge.bash(&format!("ASKBRIDGE_DATA='{aside}' askbridge journal export"));
    assert!(kept.good().contains(newer.split('_').nth(1).unwrap()) || kept.stdout.contains("And this?"), "{kept:?}");
}

#[test]
fn what_is_no_copy_is_refused_with_words() {
    let bridge = TestBridge::stopped();
    let nothing = bridge.run(&["journal", "restore", "nowhere.db"]);
    assert_eq!(nothing.code, Some(1));
    assert!(nothing.stderr.contains("nowhere.db"), "{}", nothing.stderr);
    fs::write(bridge.dir.path().join("letter.db"), "Dear Sir or Madam").unwrap();
    assert_eq!(bridge.run(&["journal", "restore", "letter.db"]).code, Some(1));
    assert_eq!(bridge.run(&["journal", "backup", "copy.db"]).code, Some(1));
    assert!(!bridge.dir.path().join("copy.db").exists());
}
