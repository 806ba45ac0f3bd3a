//! Bugs of other systems that only the real Claude Code can trigger. The list is in docs/design/others-bugs.md.

use askbridge_scripted::model::{Script, ask_with, on_any_result, on_user, text};
use serde_json::json;

use crate::house::{House, id};

#[test]
fn bug_22_a_question_that_is_longer_than_a_pipe_holds_arrives_whole() {
    // A pipe holds 64 KiB, and a reader that takes a partial read for a line breaks in the middle of a character.
    let long = "ü\r\n\n".repeat(10 * 1024);
    let option = |label: &str| json!({"label": label, "description": label, "preview": long});
    let question =
        json!({"question": "Which?", "header": "H", "multiSelect": false, "options": [option("A"), option("B")]});
    let asks = [ask_with("toolu_1", json!({"questions": [question]}))];
    let house = House::open(Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), asks));
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    for option in 0..2 {
        let preview = asked["questions"][0]["options"][option]["preview"].as_str().unwrap();
        assert_eq!((preview.len(), preview == long), (long.len(), true));
    }
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    assert!(house.model.until_result("toolu_1").text.contains(r#""Which?"="B""#));
    talk.until_delivered(id(&asked));
}
