//! Questions as agents really send them.

use askbridge_core::ask::{Body, Choice, Question};
use askbridge_core::limits;
use askbridge_core::wild::{self, Wild, WildError};

use super::json::{json, parse, quoted};
use crate::asks::question;

fn questions(text: &str) -> Result<Vec<Question>, WildError> {
    match wild::body(&json(text), &parse)? {
        Body::Questions(questions) => Ok(questions),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_proper_ask_is_taken_whole() {
    let ask = r#"{"questions": [{"question": "Which database?", "header": "Database", "multiSelect": true, "isSecret": false,
        "options": [{"label": "Postgres", "description": "relational", "preview": " +--+\n |  |"}, {"label": "SQLite"}]}]}"#;
    let postgres = Choice {
        label: "Postgres".into(),
        description: Some("relational".into()),
        preview: Some(" +--+\n |  |".into()),
    };
    let expected = Question {
        header: Some("Database".into()),
        options: vec![postgres, Choice { label: "SQLite".into(), description: None, preview: None }],
        multi: true,
        ..question("Which database?", &[])
    };
    assert_eq!(questions(ask), Ok(vec![expected]));
}

#[test]
fn json_in_strings_is_opened_wherever_models_put_it() {
    let option = r#"{"label": "A"}"#;
    let options = format!("[{option}, \"B\"]");
    let one = format!(r#"{{"question": "Q?", "options": {options}}}"#);
    let list = format!("[{one}]");
    let whole = format!(r#"{{"questions": {list}}}"#);
    let rows = [
        whole.clone(),
        list.clone(),
        one.clone(),
        quoted(&whole),
        quoted(&list),
        quoted(&one),
        quoted(&quoted(&quoted(&whole))),
        format!(r#"{{"questions": {one}}}"#),
        format!(r#"{{"questions": {}}}"#, quoted(&list)),
        format!(r#"{{"questions": {}}}"#, quoted(&quoted(&one))),
        format!(r#"{{"questions": [{}]}}"#, quoted(&one)),
        format!(r#"{{"question": "Q?", "options": {}}}"#, quoted(&options)),
        format!(r#"{{"question": "Q?", "options": [{}, "B"]}}"#, quoted(option)),
        quoted(&format!(r#"{{"questions": {}}}"#, quoted(&format!("[{}]", quoted(&one))))),
        format!(r#"{{"questions": null, "question": "Q?", "options": {options}}}"#),
        format!(r#"{{"questions": [], "question": "Q?", "options": {options}}}"#),
    ];
    for row in rows {
        assert_eq!(questions(&row), Ok(vec![question("Q?", &["A", "B"])]), "{row}");
    }
}

#[test]
fn what_only_looks_like_json_stays_what_it_is() {
    let rows = [
        (r#""Which one?""#, question("Which one?", &[])),
        (r#"["Which one?"]"#, question("Which one?", &[])),
        (
            r#"{"question": "Q?", "options": ["42", "null", "[1, 2]", "{\"a\": 1}", "[draft]"]}"#,
            question("Q?", &["42", "null", "[1, 2]", "{\"a\": 1}", "[draft]"]),
        ),
        (r#"{"question": "{\"a\": 1}"}"#, question("{\"a\": 1}", &[])),
        (r#"{"question": "Q?", "options": [1, 2.50, true]}"#, question("Q?", &["1", "2.50", "true"])),
    ];
    for (row, expected) in rows {
        assert_eq!(questions(row), Ok(vec![expected]), "{row}");
    }
    let four = quoted(&quoted(&quoted(&quoted(r#"{"question": "Q?"}"#))));
    assert_eq!(questions(&four).map(|questions| questions.len()), Ok(1));
    assert_ne!(questions(&four), Ok(vec![question("Q?", &[])]), "four strings deep is too deep");
}

#[test]
fn one_field_has_many_names() {
    let titled = Question { header: Some("H".into()), ..question("Q?", &[]) };
    let multi = Question { multi: true, ..question("Q?", &[]) };
    let secret = Question { secret: true, ..question("Q?", &[]) };
    let rows = [
        (r#"{"text": "Q?"}"#, question("Q?", &[])),
        (r#"{"prompt": "Q?"}"#, question("Q?", &[])),
        (r#"{"title": "Q?"}"#, question("Q?", &[])),
        (r#"{"question": " ", "text": " Q? \n"}"#, question("Q?", &[])),
        (r#"{"question": "Q?", "header": " H "}"#, titled.clone()),
        (r#"{"question": "Q?", "title": "H"}"#, titled.clone()),
        (r#"{"title": "Q?", "label": "H"}"#, titled),
        (r#"{"question": "Q?", "header": ""}"#, question("Q?", &[])),
        (r#"{"question": "Q?", "multiSelect": true}"#, multi.clone()),
        (r#"{"question": "Q?", "multi_select": "true"}"#, multi.clone()),
        (r#"{"question": "Q?", "multiple": true}"#, multi.clone()),
        (r#"{"question": "Q?", "multiSelect": false, "allowMultiple": true}"#, multi),
        (r#"{"question": "Q?", "multiSelect": "no"}"#, question("Q?", &[])),
        (r#"{"question": "Q?", "secret": true}"#, secret.clone()),
        (r#"{"question": "Q?", "isSecret": true}"#, secret),
        (r#"{"question": "Q?", "options": null}"#, question("Q?", &[])),
        (r#"{"question": "Q?", "options": ""}"#, question("Q?", &[])),
        (r#"{"question": "Q?", "options": {"value": "A"}}"#, question("Q?", &["A"])),
        (
            r#"{"question": "Q?", "options": [{"value": "A"}, {"title": "B"}, {"text": "C"}, {"label": 4}, " E "]}"#,
            question("Q?", &["A", "B", "C", "4", "E"]),
        ),
        (r#"{"question": "Q?", "options": ["A", "A"]}"#, question("Q?", &["A", "A"])),
    ];
    for (row, expected) in rows {
        assert_eq!(questions(row), Ok(vec![expected]), "{row}");
    }
    let preview = questions(r#"{"question": "Q?", "options": [{"label": "A", "markdown": "*A*"}]}"#);
    assert_eq!(preview.unwrap()[0].options[0].preview.as_deref(), Some("*A*"));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let rows = [
        ("null", WildError::NotAnAsk),
        ("7", WildError::NotAnAsk),
        ("{}", WildError::NoQuestions),
        ("[]", WildError::NoQuestions),
        (r#"" ""#, WildError::NoQuestions),
        (r#"{"questions": []}"#, WildError::NoQuestions),
        (r#"{"questions": 7}"#, WildError::NotAQuestion { question: 1 }),
        (r#"{"questions": ["Q?", 7]}"#, WildError::NotAQuestion { question: 2 }),
        (r#"{"questions": ["Q?", {"header": "H"}]}"#, WildError::NoText { question: 2 }),
        (r#"{"questions": ["Q?", "\n"]}"#, WildError::NoText { question: 2 }),
        ("{\"questions\": [{\"question\": \"\u{200b}\"}]}", WildError::NoText { question: 1 }),
        (r#"{"question": "Q?", "options": 7}"#, WildError::NotOptions { question: 1 }),
        (r#"{"question": "Q?", "options": "A or B"}"#, WildError::NotOptions { question: 1 }),
        (r#"{"question": "Q?", "options": {"A": "first"}}"#, WildError::NotOptions { question: 1 }),
        (r#"{"question": "Q?", "options": ["A", []]}"#, WildError::NotAnOption { question: 1, option: 2 }),
        (r#"{"question": "Q?", "options": ["A", ""]}"#, WildError::BlankLabel { question: 1, option: 2 }),
        (r#"{"question": "Q?", "options": [null]}"#, WildError::BlankLabel { question: 1, option: 1 }),
        (r#"{"question": "Q?", "options": [{"description": "d"}]}"#, WildError::BlankLabel { question: 1, option: 1 }),
    ];
    for (row, expected) in rows {
        assert_eq!(questions(row), Err(expected), "{row}");
    }
    let said = WildError::BlankLabel { question: 1, option: 2 }.to_string();
    assert_eq!(said, "option 2 of question 1 has no label; put it under `label`, or leave the option out");
}

#[test]
fn the_limits_hold_and_the_limit_itself_is_allowed() {
    let text = |len| Wild::Text("x".repeat(len));
    let map = |fields: &[(&str, Wild)]| Wild::Map(fields.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect());
    let with_options = |options| map(&[("question", text(1)), ("options", Wild::List(options))]);
    let check = |value: Wild, expected: Option<WildError>| {
        assert_eq!(wild::body(&value, &parse).err(), expected);
    };
    let too_long = |what: &str, limit| Some(WildError::TooLong { what: what.into(), limit });
    let (ask, label) = (limits::ASK_TEXT_BYTES_MAX, limits::LABEL_BYTES_MAX);

    check(Wild::List(vec![text(1); 20]), None);
    check(Wild::List(vec![text(1); 21]), Some(WildError::TooManyQuestions { found: 21, limit: 20 }));
    check(with_options(vec![text(1); 100]), None);
    check(with_options(vec![text(1); 101]), Some(WildError::TooManyOptions { question: 1, found: 101, limit: 100 }));
    check(text(ask), None);
    check(text(ask + 1), too_long("the text of question 1", ask));
    check(map(&[("question", text(1)), ("header", text(label + 1))]), too_long("the header of question 1", label));
    check(with_options(vec![text(label)]), None);
    check(with_options(vec![text(label + 1)]), too_long("the label of option 1 of question 1", label));
    let preview = |len| with_options(vec![map(&[("label", text(1)), ("preview", text(len))])]);
    check(preview(ask), None);
    check(preview(ask + 1), too_long("the preview of option 1 of question 1", ask));
}
