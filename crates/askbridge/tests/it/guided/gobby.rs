//! The guide to gobby's rules, followed line by line.

use std::fs;

use serde_json::json;

use super::page::{assert_says, block_with, blocks, steps};
use super::reader::Reader;
use crate::bridge::TestBridge;

const PAGE: &str = include_str!("../../../../../docs/guides/gobby-rules.md");

#[test]
fn gobbys_rules_are_checked_and_a_workflow_started_with_the_lines_of_the_guide() {
    let mut reader = Reader::at(TestBridge::stopped());
    let folder = reader.home().join("gobby-rules");
    fs::create_dir_all(folder.join("rules")).unwrap();
    let files: Vec<_> = blocks(PAGE).into_iter().filter(|block| block.language == "yaml").map(|it| it.text).collect();
    fs::write(folder.join("rules/no-push.yaml"), &files[0]).unwrap();
    fs::write(folder.join("careful.yaml"), &files[1]).unwrap();
    let check = steps(&block_with(PAGE, "policy check --gobby"));
    let checked = reader.types(&check[0].command);
    assert_says(&check[0].output, checked.good());
    let serve = block_with(PAGE, "askbridge serve --gobby-rules").text;
    assert_eq!(serve.trim(), "askbridge serve --gobby-rules gobby-rules");
    reader.bridge.start_with(&["--listen", "127.0.0.1:0", "--gobby-rules", folder.to_str().unwrap()]);
    let session = reader.bridge.post("/v1/sessions", "one", &json!({"agent": "ci"}));
    let session = session["id"].as_str().unwrap();
    let lines = block_with(PAGE, "askbridge policy workflow start").text;
    let done = reader.types(&format!("session={session}\n{lines}"));
    let said = format!("{}{}", done.good(), done.stderr);
    for line in ["careful: look", "  ready = false", "  task = \"#12\"", "no workflow is active in this session"] {
        assert!(said.contains(line), "{said}");
    }
    let wrong = reader.types(&format!("askbridge policy workflow start nope --session {session}"));
    assert!(wrong.stderr.contains("`nope` cannot be started: there is no such workflow"), "{}", wrong.stderr);
}
