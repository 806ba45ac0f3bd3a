//! Subagents of the real CLI: the script recognises them, and they cannot ask questions.

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::{Script, all, ask, in_subagent, not, on_any_result, on_user, text, tool};
use serde_json::json;

use crate::given::given;

#[test]
fn real_subagents_cannot_ask() {
    let task = json!({"description": "d", "prompt": "look around", "subagent_type": "general-purpose"});
    let script = Script::new()
        .turn(all([in_subagent(), on_any_result()]), [text("found nothing")])
        .turn(in_subagent(), [ask("toolu_inner", "Which?", ["A", "B"])])
        .turn(all([on_user("hi"), not(on_any_result())]), [tool("toolu_outer", "Agent", task)])
        .turn(not(in_subagent()), [text("done")]);
    let given = given(Subject::Real, script);
    let mut host = given.launch().start();
    host.initialize("");
    host.say("hi");
    let inner = given.model.until_result("toolu_inner");
    assert!(inner.is_error && inner.text.contains("AskUserQuestion is not available inside subagents"), "{inner:?}");
    host.result();
    let asked = host.said().iter().any(|frame| frame["type"] == "control_request");
    assert!(!asked, "nothing of it reaches the host");
    let inside = given.model.heard().into_iter().find(|heard| heard.is_subagent()).unwrap();
    assert!(!inside.tool_names().contains(&"AskUserQuestion"));
    assert_eq!(given.model.unscripted(), Vec::<String>::new());
}
