//! A question that is also shown in the client's own window, over a bare pipe: the first answer wins.

use serde_json::{Value, json};

use crate::agent::{answer, house, open, until_delivered, which_database};
use crate::house::House;
use crate::pipe::Pipe;

/// A client that shows forms, like Claude Code, and has just asked. Returns the form's id.
fn asks_in_both_places(house: &House) -> (Pipe, Value, Value) {
    let mut pipe = Pipe::open_with(house, "claude-code", &json!({"elicitation": {"form": {}}}));
    pipe.calls(1, "ask_user_question", &which_database());
    let (ask, dialog) = (open(house, 1).remove(0), shown(&mut pipe));
    (pipe, ask, dialog)
}

/// Reads a form, and returns its id.
#[track_caller]
fn shown(pipe: &mut Pipe) -> Value {
    let form = pipe.reads();
    assert_eq!(form["method"], "elicitation/create", "{form}");
    let options =
        json!([{"const": "Postgres", "title": "Postgres: relational"}, {"const": "SQLite", "title": "SQLite"}]);
    assert_eq!(form["params"]["requestedSchema"]["properties"]["q01"]["oneOf"], options, "{form}");
    form["id"].clone()
}

/// Reads the cancellation of a form.
#[track_caller]
fn closed(pipe: &mut Pipe, dialog: &Value) {
    let closed = pipe.reads();
    assert_eq!((&closed["method"], &closed["params"]["requestId"]), (&json!("notifications/cancelled"), dialog));
}

fn replies(pipe: &mut Pipe, dialog: &Value, result: &Value) {
    pipe.writes(&json!({"jsonrpc": "2.0", "id": dialog, "result": result}));
}

#[test]
fn the_phone_closes_the_dialog() {
    let house = house(&[]);
    let (mut pipe, ask, dialog) = asks_in_both_places(&house);
    answer(&house, &ask, "SQLite");
    closed(&mut pipe, &dialog);
    assert_eq!(pipe.words(), "The person answered: SQLite");
    until_delivered(&house, &ask);
}

#[test]
fn the_dialog_closes_the_card() {
    let house = house(&[]);
    for (result, words) in [
        (json!({"action": "accept", "content": {"q01": "SQLite"}}), "The person answered in the terminal: SQLite"),
        (
            json!({"action": "decline"}),
            "The person closed this question in the terminal and does not want to answer it. Do not assume an answer.",
        ),
    ] {
        let (mut pipe, ask, dialog) = asks_in_both_places(&house);
        replies(&mut pipe, &dialog, &result);
        assert_eq!(pipe.words(), words);
        let ask = house.ask(ask["id"].as_str().unwrap());
        assert_eq!((&ask["state"], &ask["words"]), (&json!("overtaken"), &json!("the terminal")));
    }
}

#[test]
fn a_program_at_which_nobody_sits_waits_for_the_phone() {
    let house = house(&[]);
    let (mut pipe, ask, dialog) = asks_in_both_places(&house);
    replies(&mut pipe, &dialog, &json!({"action": "cancel"}));
    // It arrives after it, on the same pipe.
    pipe.calls(2, "notify_user", &json!({"message": "Meanwhile"}));
    assert_eq!(pipe.reads()["id"], 2);
    answer(&house, &ask, "Postgres");
    assert_eq!(pipe.words(), "The person answered: Postgres");
}

#[test]
fn a_server_that_is_started_again_opens_its_own_dialog() {
    let mut house = house(&[]);
    let (mut pipe, ask, dialog) = asks_in_both_places(&house);
    house.kill();
    closed(&mut pipe, &dialog);
    house.start();
    let again = shown(&mut pipe);
    assert_ne!(again, dialog);
    // An answer in the old dialog no longer counts.
    replies(&mut pipe, &dialog, &json!({"action": "accept", "content": {"q01": "SQLite"}}));
    answer(&house, &ask, "Postgres");
    closed(&mut pipe, &again);
    assert_eq!(pipe.words(), "The person answered: Postgres");
}
