//! What a kill of the server does to what rules remember: nothing.

use askbridge_scripted::model::{Script, gate, on_result, on_user, text};
use serde_json::json;

use super::{Ruled, bash, read};

const COUNTS: &str = "
rules:
  counts:
    event: after_tool
    enabled: true
    effects: [{type: set_variable, variable: calls, value: \"variables.get('calls', 0) + 1\"}]
  third:
    event: before_tool
    enabled: true
    when: variables.get('calls', 0) >= 2
    effects: [{type: block, tools: [Bash], reason: 'Enough after {{ calls }}.'}]
  tells:
    event: turn_start
    enabled: true
    effects: [{type: inject_context, template: '{{ calls | default(0) }} calls so far.'}]
";

#[test]
fn events_that_are_heard_again_after_a_kill_count_once() {
    let script = Script::new()
        .turn(on_user("go"), [bash("toolu_1", "echo one")])
        .turn(on_result("toolu_1"), [text("Well. "), gate("middle"), text("So."), bash("toolu_2", "echo two")])
        .turn(on_result("toolu_2"), [bash("toolu_3", "echo three")])
        .turn(on_result("toolu_3"), [text("done")])
        .turn(on_user("again"), [text("yes")]);
    let mut ruled = Ruled::open(script, &[("counts.yaml", COUNTS)]);
    let talk = ruled.house.session(json!({}));
    talk.say("go");
    ruled.house.model.reached("middle");
    // Everything of this turn is read again by the next server, from the file that Claude Code writes to.
    let session = talk.id.clone();
    ruled.house.kill();
    ruled.house.start();
    ruled.house.model.open("middle");
    let talk = ruled.house.talk(&session);
    talk.until_turns(1);
    let result = |call: &str| ruled.house.model.tool_result(call).unwrap();
    assert!(
        !result("toolu_2").is_error && result("toolu_3").text.contains("Enough after 2."),
        "{:?}",
        result("toolu_3")
    );
    assert_eq!(talk.events_of("tool_ruled").len(), 1);
    talk.say("again");
    talk.until_turns(2);
    assert_eq!(read(&ruled.house, "2 calls so far."), 1);
}
