//! A remembered approval allows the very call again, and nothing else.

use askbridge_core::ask::{Approval, Body, Plan};
use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::{AskFacts, Call, RuleFile, RuleSet, Ruled, TermsOf, rule_ask};
use askbridge_core::terms::Wishes;
use askbridge_policy::{JsonCall, NotRemembered, Reach, Remembered, read, remember};
use proptest::prelude::*;
use serde_json::{Value, json};

const UNTIL: &str = "2026-12-31T18:00:00Z";

fn approval(tool: &str, input: &Value) -> Body {
    let input = input.to_string().into();
    Body::Approval(Approval {
        tool: tool.to_owned(),
        input,
        summary: None,
        reason: None,
        rules: Vec::new(),
        overrule: false,
    })
}

fn allows(remembered: &Remembered, body: &Body, session: &str, folder: &str, at: Timestamp) -> bool {
    let none = Wishes::default();
    let Body::Approval(asked) = body else { return false };
    let call = JsonCall::from(asked);
    let facts = AskFacts {
        at,
        door: "claude",
        agent: "claude",
        session: Some(session),
        title: None,
        folder: Some(folder),
        branch: None,
        body: Some(body),
        call: Some(&call as &dyn Call),
        digest_questions: None,
        local: None,
        present: None,
        decided_before: 0,
        wishes: [&none; 4],
    };
    let rules = read("remembered.toml", &remembered.toml, None).unwrap().rules;
    let set = RuleSet::new(vec![RuleFile { terms: TermsOf::Every, rules }], Wishes::default());
    matches!(rule_ask(&set, &facts).ruled, Ruled::Says(_))
}

fn made(body: &Body, reach: &Reach) -> Remembered {
    remember(body, reach, UNTIL).unwrap()
}

#[test]
fn the_rule_is_shown_as_it_stands_in_a_file() {
    let body = approval("Bash", &json!({"command": "npm test"}));
    let remembered = made(&body, &Reach::Folder("/srv/app".to_owned()));
    let Remembered { id, toml, .. } = &remembered;
    let digest = toml.lines().find_map(|line| line.strip_prefix("input_sha256 = ")).unwrap();
    let wanted = format!(
        "[[rules]]\nname = \"remembered {id}\"\ndo = \"allow\"\nkind = \"approval\"\ntool = \"Bash\"\ninput_sha256 = {digest}\n\
         folder = \"/srv/app\"\nuntil = {UNTIL}\n"
    );
    assert_eq!(*toml, wanted);
}

#[test]
fn it_holds_where_and_as_long_as_was_said() {
    let body = approval("Bash", &json!({"command": "npm test"}));
    let end = askbridge_policy::until(UNTIL).unwrap();
    let before = Timestamp(end.0 - 1);
    let here = made(&body, &Reach::Folder("/srv/app".to_owned()));
    assert!(allows(&here, &body, "ses_1", "/srv/app", before) && allows(&here, &body, "ses_2", "/srv/app/x", before));
    assert!(!allows(&here, &body, "ses_1", "/srv/apples", before) && !allows(&here, &body, "ses_1", "/srv/app", end));
    let session = made(&body, &Reach::Session("ses_1".to_owned()));
    assert!(allows(&session, &body, "ses_1", "/", before) && !allows(&session, &body, "ses_2", "/", before));
    let everywhere = made(&body, &Reach::Everywhere);
    assert!(allows(&everywhere, &body, "ses_2", "/tmp", before));
    assert_ne!(here.id, session.id);
    assert_eq!(here.id, made(&body, &Reach::Folder("/srv/app".to_owned())).id, "again is the same");
}

#[test]
fn what_cannot_be_bound_exactly_is_not_remembered() {
    let plan = Body::Plan(Plan { text: "First this".to_owned() });
    assert_eq!(remember(&plan, &Reach::Everywhere, UNTIL).unwrap_err(), NotRemembered::NoApproval);
    let raw = Approval {
        tool: "Bash".to_owned(),
        input: "{".into(),
        summary: None,
        reason: None,
        rules: Vec::new(),
        overrule: false,
    };
    assert_eq!(remember(&Body::Approval(raw), &Reach::Everywhere, UNTIL).unwrap_err(), NotRemembered::Unreadable);
    for (tool, reach) in [
        ("*", Reach::Everywhere),
        ("Bash(ls *)", Reach::Everywhere),
        ("AskUserQuestion", Reach::Everywhere),
        ("Bash", Reach::Folder("relative".to_owned())),
        ("Bash", Reach::Folder("/srv/*".to_owned())),
    ] {
        let body = approval(tool, &json!({"command": "ls"}));
        assert!(matches!(remember(&body, &reach, UNTIL), Err(NotRemembered::NoRule(_))), "{tool} {reach:?}");
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z*\"\\\\\n é]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-e*.]{1,3}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn input() -> impl Strategy<Value = Value> {
    (".{0,12}", json_value(), json_value()).prop_map(|(command, a, b)| json!({"command": command, "a": a, "b": b}))
}

proptest! {
    #[test]
    fn the_very_call_is_allowed_again_and_no_other(one in input(), other in input(), tool in prop::sample::select(&["Bash", "Write", "mcp__x__y"])) {
        let body = approval(tool, &one);
        let remembered = made(&body, &Reach::Everywhere);
        prop_assert!(allows(&remembered, &body, "ses_1", "/", Timestamp(1)));
        let different = approval(tool, &other);
        prop_assert_eq!(allows(&remembered, &different, "ses_1", "/", Timestamp(1)), one == other);
        let elsewhere = approval("Edit", &one);
        prop_assert!(!allows(&remembered, &elsewhere, "ses_1", "/", Timestamp(1)));
    }
}
