//! Bugs of other systems that only the real binary could have. The list is in docs/design/others-bugs.md.

use serde_json::json;

use crate::bridge::TestBridge;

#[test]
fn bug_30_the_log_and_the_screen_of_the_server_hold_no_words_of_anybody() {
    let bridge = TestBridge::start_telling("trace");
    let body = json!({"questions": [{"question": "xyzzy-question?", "options": ["xyzzy-yes", "xyzzy-no"]}]});
    let id = bridge.ask("xyzzy-key", &body);
    let token = bridge.person();
    let answered = bridge.bash_with_token(&format!("askbridge answer {id} --text xyzzy-answer"), &token);
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let log = std::fs::read_to_string(bridge.dir.path().join("server.log")).unwrap();
    assert!(log.contains("serves"), "the server does log: {log}");
    let leaked: Vec<_> = log.lines().filter(|line| line.contains("xyzzy") || line.contains(&token)).collect();
    assert_eq!(leaked, Vec::<&str>::new());
}
