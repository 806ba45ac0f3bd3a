//! `askbridge inbox --watch`.

use serde_json::Value;

use crate::bridge::TestBridge;

#[test]
fn a_watcher_sees_what_is_asked_and_how_it_ends() {
    let bridge = TestBridge::start();
    bridge.run(&["ask", "First?", "-o", "Yes", "--no-wait", "--key", "a"]).good();
    let watcher = bridge.spawn(&["inbox", "--watch"]);
    watcher.prints("First?");
    let id = bridge.run(&["ask", "Second?", "-o", "Yes", "-o", "No", "--no-wait", "--key", "b"]);
    watcher.prints("asked");
    bridge.answer(&[id.good().trim(), "--option", "Yes"]).good();
    watcher.prints("answered");
    let lines = watcher.stdout();
    let short = |line: &str| line.split_whitespace().nth(1).unwrap().to_owned();
    let (first, second) = (short(lines.lines().next().unwrap()), short(lines.lines().nth(1).unwrap()));
    assert_eq!(
        lines,
        format!(
            "open       {first}  shell: First? (Yes)\n\
             asked      {second}  shell: Second? (Yes | No)\n\
             answered   {second}  shell: Second? (answered: Yes, by ada (phone))\n"
        )
    );
}

#[test]
fn a_watchers_json_has_one_object_on_each_line() {
    let bridge = TestBridge::start();
    let watcher = bridge.spawn(&["inbox", "--watch", "--json"]);
    let script = bridge.spawn(&["ask", "Deploy now?", "-o", "Yes"]);
    let ask = bridge.the_open_ask();
    watcher.prints("\"Deploy now?\"");
    bridge.answer(&[&ask, "--dismiss"]).good();
    watcher.prints(r#""event":"dismissed""#);
    assert_eq!(script.ended().code, Some(10));
    for line in watcher.stdout().lines() {
        let json: Value = serde_json::from_str(line).unwrap();
        assert_eq!(json["ask"]["id"], ask);
    }
}

#[test]
fn a_watcher_survives_the_server_and_misses_nothing() {
    let mut bridge = TestBridge::start();
    bridge.run(&["ask", "First?", "--no-wait"]).good();
    let watcher = bridge.spawn(&["inbox", "--watch"]);
    watcher.prints("First?");
    bridge.kill();
    watcher.tells("lost the connection");
    bridge.start_again();
    bridge.run(&["ask", "Second?", "--no-wait"]).good();
    watcher.prints("Second?");
    let lines = watcher.stdout();
    assert_eq!(lines.lines().count(), 2, "{lines}");
}

#[test]
fn watching_an_answer_is_not_fetching_it() {
    let bridge = TestBridge::start();
    let watcher = bridge.spawn(&["inbox", "--watch"]);
    let id = bridge.run(&["ask", "Deploy now?", "-o", "Yes", "--no-wait"]);
    watcher.prints("Deploy now?");
    bridge.answer(&[id.good().trim(), "--option", "Yes"]).good();
    watcher.prints("answered");
    let all = bridge.run(&["inbox", "--all", "--json"]);
    let ask: Value = serde_json::from_str(all.good().trim()).unwrap();
    assert_eq!(ask["delivered_at"], Value::Null);
}
