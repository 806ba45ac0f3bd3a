//! Tools, approvals, plans and forms as agents really send them.

use askbridge_core::ask::{Approval, Field, FieldKind, Form, OfferedRule, Plan};
use askbridge_core::wild::{self, WildError, is_ask_tool, is_blank};

use super::json::{json, render};

#[test]
fn the_tool_that_asks_is_known_by_all_its_names() {
    for name in [
        "AskUserQuestion",
        "askUserQuestion",
        "ask_user_question",
        "AskFollowupQuestion",
        "ask_followup_question",
        "ask_user",
        "AskUser",
        "request_user_input",
        "requestUserInput",
        "question",
        "Question",
        "ask_question",
        "askQuestion",
        "mcp__bridge__ask_user",
        "mcp__my_server__AskUserQuestion",
        "mcp__my__server__ask_question",
    ] {
        assert!(is_ask_tool(name), "{name}");
    }
    for name in
        ["", "Bash", "ask", "ask_user_", "_ask_user", "questions", "mcp__ask_user__run", "mcp__", "mcp__x__", "AskÜser"]
    {
        assert!(!is_ask_tool(name), "{name}");
    }
}

#[test]
fn blank_is_what_nobody_can_see() {
    for text in [
        "",
        " \t\r\n",
        "\u{a0}\u{3000}",
        "\u{200b}\u{200d}\u{2060}\u{feff}",
        "\u{202e}\u{2066}",
        "\u{3164}\0\u{7f}",
        "\u{e0041}",
    ] {
        assert!(is_blank(text), "{text:?}");
    }
    for text in ["a", " . ", "\u{200b}x", "—", "日本", "0", "👍"] {
        assert!(!is_blank(text), "{text:?}");
    }
}

#[test]
fn an_approval_is_read_with_its_input_untouched() {
    let read = |text: &str| wild::approval(&json(text), &render);
    let full = r#"{"tool_name": "Bash", "input": {"command": "ls", "x": [1.0]}, "description": "List", "reason": "asked",
        "rules": [{"label": "ls *", "rule": {"toolName": "Bash"}}]}"#;
    let expected = Approval {
        tool: "Bash".into(),
        input: r#"{"command":"ls","x":[1.0]}"#.into(),
        summary: Some("List".into()),
        reason: Some("asked".into()),
        rules: vec![OfferedRule { label: "ls *".into(), rule: r#"{"toolName":"Bash"}"#.into() }],
        overrule: false,
    };
    assert_eq!(read(full), Ok(expected.clone()));
    let bare = Approval { rules: vec![], reason: None, summary: None, input: "{}".into(), ..expected.clone() };
    assert_eq!(read(r#"{"tool": "Bash"}"#), Ok(bare));
    let rows = [
        ("7", WildError::NoTool),
        (r#"{"tool": " "}"#, WildError::NoTool),
        (r#"{"tool": "Bash", "rules": {}}"#, WildError::NotRules),
        (r#"{"tool": "Bash", "rules": [{"label": "a", "rule": 1}, {"label": "b"}]}"#, WildError::BadRule { rule: 2 }),
        (r#"{"tool": "Bash", "rules": [{"label": " ", "rule": 1}]}"#, WildError::BadRule { rule: 1 }),
    ];
    for (row, expected) in rows {
        assert_eq!(read(row), Err(expected), "{row}");
    }
}

#[test]
fn a_plan_is_its_text() {
    let read = |text: &str| wild::plan(&json(text));
    for row in [r##""# Plan""##, r##"{"plan": "# Plan"}"##, r##"{"text": "# Plan"}"##] {
        assert_eq!(read(row), Ok(Plan { text: "# Plan".into() }), "{row}");
    }
    for row in ["{}", r#"" ""#, r#"{"plan": ""}"#, "[]", "null"] {
        assert_eq!(read(row), Err(WildError::NoPlan), "{row}");
    }
}

#[test]
fn a_form_is_read_from_a_flat_schema() {
    let schema = r#"{"type":"object","properties":{"name":{"type":"string","title":"Your name","description":"In full"},"size":{"type":"number"},"age":{"type":["integer","null"]},"ok":{"type":"boolean"},"db":{"type":"string","oneOf":[{"const":"pg","title":"Postgres"},{"const":"SQLite","title":"SQLite"}]},"pet":{"enum":["cat","dog","cat"]},"pets":{"type":"array","items":{"type":"string","enum":["cat","dog"]}},"langs":{"type":"array","title":"Languages","items":{"anyOf":[{"const":"Rust"}]}},"n":{"type":"integer","enum":[1,2]}},"required":["name","db"]}"#;
    let read = wild::form(&json(&format!(r#"{{"message": "About you", "schema": {schema}}}"#)), &render);
    let field = |name: &str, kind| Field { name: name.into(), title: None, description: None, kind, required: false };
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let expected = Form {
        message: "About you".into(),
        fields: vec![
            Field {
                title: Some("Your name".into()),
                description: Some("In full".into()),
                required: true,
                ..field("name", FieldKind::Text)
            },
            field("size", FieldKind::Number),
            field("age", FieldKind::Integer),
            field("ok", FieldKind::Flag),
            Field {
                description: Some("pg: Postgres".into()),
                required: true,
                ..field("db", FieldKind::OneOf(words(&["pg", "SQLite"])))
            },
            field("pet", FieldKind::OneOf(words(&["cat", "dog"]))),
            field("pets", FieldKind::ManyOf(words(&["cat", "dog"]))),
            Field { title: Some("Languages".into()), ..field("langs", FieldKind::ManyOf(words(&["Rust"]))) },
            Field { description: Some("One of: 1, 2".into()), ..field("n", FieldKind::Integer) },
        ],
        url: None,
        schema: Some(schema.into()),
    };
    assert_eq!(read, Ok(expected));
    let page = wild::form(&json(r#"{"message": "Log in", "url": "https://example.org"}"#), &render);
    let expected =
        Form { message: "Log in".into(), fields: vec![], url: Some("https://example.org".into()), schema: None };
    assert_eq!(page, Ok(expected));
}

#[test]
fn a_form_that_cannot_be_shown_is_refused_with_its_field() {
    let bad = |field: &str, why| WildError::BadField { field: field.into(), why };
    let neither = "is none of string, number, integer, boolean and list of offered values";
    let rows = [
        (r#"{"schema": {}}"#, WildError::NoMessage),
        (r#"{"message": "M"}"#, WildError::NoFields),
        (r#"{"message": "M", "schema": 7}"#, WildError::NotASchema),
        (r#"{"message": "M", "schema": {"properties": []}}"#, WildError::NotASchema),
        (r#"{"message": "M", "schema": {"properties": {"a": {"type": "object"}}}}"#, bad("a", neither)),
        (r#"{"message": "M", "schema": {"properties": {"a": 7}}}"#, bad("a", neither)),
        (
            r#"{"message": "M", "schema": {"properties": {"a": {"type": "array"}}}}"#,
            bad("a", "is a list without `items`"),
        ),
        (
            r#"{"message": "M", "schema": {"properties": {"a": {"type": "array", "items": {"type": "string"}}}}}"#,
            bad("a", "is a list of anything; offer values with `enum` or `anyOf`"),
        ),
        (r#"{"message": "M", "schema": {"properties": {"a": {"enum": []}}}}"#, bad("a", "offers no value at all")),
        (
            r#"{"message": "M", "schema": {"properties": {"a": {"enum": [null]}}}}"#,
            bad("a", "offers a value that is neither a text nor a number"),
        ),
        (
            r#"{"message": "M", "schema": {"properties": {"a": {"type": "string"}, "a": {"type": "string"}}}}"#,
            bad("a", "is there twice; name it once"),
        ),
        (r#"{"message": "M", "schema": {"properties": {" ": {"type": "string"}}}}"#, bad(" ", "has a blank name")),
    ];
    for (row, expected) in rows {
        assert_eq!(wild::form(&json(row), &render), Err(expected), "{row}");
    }
}
