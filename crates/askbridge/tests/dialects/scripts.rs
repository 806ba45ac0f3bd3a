//! The model's scripts for every dialect.

use std::fs;

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::{Piece, Script, ask, ask_with, on_any_result, on_user, text, tool};
use serde_json::{Value, json};

use crate::house::House;

pub(crate) const CALL: &str = "toolu_1";
const FORM_SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/claude/form_server.py");

pub(crate) fn script() -> Script {
    Script::new()
        .turn(on_user("A late answer"), [text("thanks")])
        .turn(on_user("later"), [text("it waited")])
        .turn(on_any_result(), [text("done")])
        .turn(on_user("ask"), [text("I have to ask."), ask(CALL, "Which?", ["A", "B"])])
        .turn(on_user("bare"), [ask(CALL, "Bare?", ["A", "B"])])
        .turn(on_user("three"), [ask_with(CALL, three())])
        .turn(on_user("soon"), [ask(CALL, "Soon?", ["A", "B"])])
        .turn(on_user("many"), many())
        .turn(on_user("bash"), [tool(CALL, "Bash", json!({"command": "echo hi", "description": "says hi"}))])
        // A browser would write these arguments differently: numeric keys first, and numbers shorter.
        .turn(on_user("odd"), [tool(CALL, "Bash", json!({"command": "echo hi", "10": 1.0, "2": [1e21]}))])
        .turn(on_user("plan"), [tool(CALL, "ExitPlanMode", json!({"plan": "1. Do it"}))])
        .turn(on_user("form"), [tool(CALL, "mcp__forms__fill", json!({}))])
}

/// More calls than one message usually has.
fn many() -> Vec<Piece> {
    (0..300).map(|number| tool(format!("toolu_{number}"), "Bash", json!({"command": "true"}))).collect()
}

fn three() -> Value {
    let option = |label: &str| json!({"label": label, "description": label});
    let question = |text: &str, multi: bool| json!({"question": text, "header": "H", "multiSelect": multi, "options": [option("A"), option("B"), option("C")]});
    json!({"questions": [question("First?", false), question("Second?", true), question("Who?", false)]})
}

/// Checks that the model's result of the three questions contains these.
#[track_caller]
pub(crate) fn reads(house: &House, pairs: [&str; 3]) {
    let read = house.model.until_result(CALL).text;
    for pair in pairs {
        assert!(read.contains(pair), "{read}");
    }
}

/// The answers to the three questions in dialects with free text.
pub(crate) const THREE: [&str; 3] = [r#""First?"="B""#, r#""Second?"="A, C""#, r#""Who?"="Bob""#];

/// Checks that the model is told of a late answer.
#[track_caller]
pub(crate) fn hears_of_a_late_answer(house: &House) {
    let last = house.model.last().unwrap().last_user_text().unwrap();
    assert!(last.contains("A late answer to your earlier question “Soon?”."), "{last}");
}

/// A server with this dialect. `Soon?` is open for two seconds only.
pub(crate) fn house(dialect: &str, subject: Subject) -> House {
    house_in_haste(dialect, subject, "Soon?")
}

/// The same, with another question that is open for two seconds only.
pub(crate) fn house_in_haste(dialect: &str, subject: Subject, about: &str) -> House {
    house_with(dialect, subject, about, &[])
}

/// The same, for pages that cannot send a token.
pub(crate) fn house_without_tokens(dialect: &str) -> House {
    house_with(dialect, Subject::Fake, "Soon?", &[("ASKBRIDGE_DIALECTS_INSECURE_LOOPBACK", "true")])
}

/// The same with these extra variables.
pub(crate) fn house_with(dialect: &str, subject: Subject, about: &str, more: &[(&str, &str)]) -> House {
    let config = tempfile::NamedTempFile::new().unwrap();
    let rule = format!("[[rules]]\nname = \"soon\"\nasks_about = \"{about}\"\ntimeout = \"2s\"\n");
    fs::write(config.path(), rule).unwrap();
    let file = config.path().to_str().unwrap().to_owned();
    let mut settings = vec![("ASKBRIDGE_DIALECTS", dialect), ("ASKBRIDGE_CONFIG", &*file)];
    settings.extend(more);
    House::open_as(subject, script(), &settings)
}

/// The same with the real Claude Code and an MCP server in the project that shows forms: the double supports neither.
pub(crate) fn house_with_forms(dialect: &str) -> House {
    with_forms(house(dialect, Subject::Real))
}

pub(crate) fn with_forms(house: House) -> House {
    let servers = json!({"mcpServers": {"forms": {"type": "stdio", "command": "python3", "args": [FORM_SERVER]}}});
    fs::write(house.scratch.work().join(".mcp.json"), servers.to_string()).unwrap();
    let settings = house.scratch.work().join(".claude");
    fs::create_dir_all(&settings).unwrap();
    let allowed = json!({"enableAllProjectMcpServers": true, "permissions": {"allow": ["mcp__forms"]}});
    fs::write(settings.join("settings.json"), allowed.to_string()).unwrap();
    house
}
