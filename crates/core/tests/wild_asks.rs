//! Asks as agents really send them, and worse.

use askbridge_core::ask::{Approval, Body, Choice, Field, FieldKind, Form, OfferedRule, Plan, Question};
use askbridge_core::ids::Raw;
use askbridge_core::limits;
use askbridge_core::wild::{self, Wild, WildError, is_ask_tool, is_blank};
use proptest::prelude::*;

/// A JSON reader that is good enough for these tests: no escapes but `\"`, `\\` and `\n`.
fn parse(text: &str) -> Option<Wild> {
    let mut rest = text;
    let value = parse_value(&mut rest)?;
    rest.trim().is_empty().then_some(value)
}

fn parse_value(rest: &mut &str) -> Option<Wild> {
    *rest = rest.trim_start();
    for (word, value) in [("null", Wild::Null), ("true", Wild::Flag(true)), ("false", Wild::Flag(false))] {
        if eat(rest, word) {
            return Some(value);
        }
    }
    if eat(rest, "[") {
        let mut items = Vec::new();
        while !eat(rest, "]") {
            if !items.is_empty() && !eat(rest, ",") {
                return None;
            }
            items.push(parse_value(rest)?);
        }
        return Some(Wild::List(items));
    }
    if eat(rest, "{") {
        let mut fields = Vec::new();
        while !eat(rest, "}") {
            if !fields.is_empty() && !eat(rest, ",") {
                return None;
            }
            let Wild::Text(name) = parse_value(rest)? else {
                return None;
            };
            if !eat(rest, ":") {
                return None;
            }
            fields.push((name, parse_value(rest)?));
        }
        return Some(Wild::Map(fields));
    }
    if eat(rest, "\"") {
        let mut text = String::new();
        let mut chars = rest.char_indices();
        loop {
            match chars.next()? {
                (i, '"') => {
                    *rest = &rest[i + 1..];
                    return Some(Wild::Text(text));
                }
                (_, '\\') => text.push(match chars.next()?.1 {
                    'n' => '\n',
                    c => c,
                }),
                (_, c) => text.push(c),
            }
        }
    }
    let end = rest.find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c)).unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    *rest = after;
    (!number.is_empty()).then(|| Wild::Number(number.into()))
}

fn eat(rest: &mut &str, word: &str) -> bool {
    *rest = rest.trim_start();
    let after = rest.strip_prefix(word);
    *rest = after.unwrap_or(rest);
    after.is_some()
}

fn json(text: &str) -> Wild {
    parse(text).unwrap_or_else(|| panic!("not JSON: {text}"))
}

/// Puts JSON into a JSON string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// Writes a value well enough to recognise it.
fn render(value: &Wild) -> Raw {
    fn write(value: &Wild) -> String {
        match value {
            Wild::Null => "null".into(),
            Wild::Flag(flag) => flag.to_string(),
            Wild::Number(number) => number.clone(),
            Wild::Text(text) => quoted(text),
            Wild::List(items) => format!("[{}]", items.iter().map(write).collect::<Vec<_>>().join(",")),
            Wild::Map(fields) => {
                let fields = fields.iter().map(|(name, value)| format!("{}:{}", quoted(name), write(value)));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
            }
        }
    }
    write(value).into()
}

fn questions(text: &str) -> Result<Vec<Question>, WildError> {
    match wild::body(&json(text), &parse)? {
        Body::Questions(questions) => Ok(questions),
        other => panic!("{other:?}"),
    }
}

fn question(text: &str, labels: &[&str]) -> Question {
    let option = |label: &&str| Choice { label: (*label).into(), description: None, preview: None };
    Question {
        text: text.into(),
        header: None,
        options: labels.iter().map(option).collect(),
        multi: false,
        secret: false,
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
    };
    assert_eq!(read(full), Ok(expected));
    let bare = Approval { tool: "Bash".into(), input: "{}".into(), summary: None, reason: None, rules: vec![] };
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

/// Any tree, with the names that we look for much more often than chance would have it.
fn any_wild() -> impl Strategy<Value = Wild> {
    let names = vec![
        "questions",
        "question",
        "text",
        "prompt",
        "title",
        "header",
        "options",
        "label",
        "value",
        "description",
        "preview",
        "multiSelect",
        "secret",
        "tool",
        "input",
        "rules",
        "rule",
        "plan",
        "message",
        "schema",
        "properties",
        "type",
        "enum",
        "items",
        "oneOf",
        "const",
        "required",
        "url",
        "string",
        "array",
        "integer",
        "true",
        "",
    ];
    let word = prop_oneof![3 => prop::sample::select(names).prop_map(str::to_owned), 1 => any::<String>()];
    let leaf = prop_oneof![
        Just(Wild::Null),
        any::<bool>().prop_map(Wild::Flag),
        any::<i64>().prop_map(|number| Wild::Number(number.to_string())),
        word.clone().prop_map(Wild::Text),
    ];
    leaf.prop_recursive(6, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Wild::List),
            prop::collection::vec((word.clone(), inner.clone()), 0..8).prop_map(Wild::Map),
            inner.prop_map(|value| Wild::Text(render(&value).as_str().to_owned())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn no_ask_is_too_wild(value in any_wild()) {
        if let Ok(Body::Questions(questions)) = wild::body(&value, &parse) {
            prop_assert!((1..=limits::QUESTIONS_MAX).contains(&questions.len()));
            for question in questions {
                prop_assert!(!is_blank(&question.text));
                prop_assert!(question.header.is_none_or(|header| !is_blank(&header)));
                prop_assert!(question.options.len() <= limits::OPTIONS_MAX);
                prop_assert!(question.options.iter().all(|option| !is_blank(&option.label)));
            }
        }
        if let Ok(approval) = wild::approval(&value, &render) {
            prop_assert!(!is_blank(&approval.tool));
        }
        if let Ok(plan) = wild::plan(&value) {
            prop_assert!(!is_blank(&plan.text));
        }
        if let Ok(form) = wild::form(&value, &render) {
            prop_assert!(!is_blank(&form.message) && form.fields.len() <= limits::FIELDS_MAX);
        }
    }

    #[test]
    fn a_parser_that_never_ends_is_left_after_three_strings(text in any::<String>()) {
        let endless = |text: &str| Some(Wild::Text(format!("\"{text}")));
        let read = wild::body(&Wild::Text(format!("\"{text}")), &endless);
        prop_assert!(read.is_ok());
    }
}
