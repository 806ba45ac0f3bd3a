//! A remembered decision allows the very call again, and nothing else.

use askbridge_core::answer::{Answer, Decision, Pick, RuleSays, Scope};
use askbridge_core::ask::{Approval, Body, Choice, Plan, Question};
use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::{AskFacts, Call, RuleFile, RuleSet, Ruled, TermsOf, rule_ask};
use askbridge_core::terms::Wishes;
use askbridge_policy::{
    JsonCall, NotRemembered, Reach, Remembered, RememberedChoice, digest_questions, read, remember,
};
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

/// What the rule says about an ask.
fn says(remembered: &Remembered, body: &Body, session: &str, folder: &str, at: Timestamp) -> Option<RuleSays> {
    let none = Wishes::default();
    let call = match body {
        Body::Approval(asked) => Some(JsonCall::from(asked)),
        _ => None,
    };
    let facts = AskFacts {
        at,
        door: "claude",
        agent: "claude",
        session: Some(session),
        title: None,
        folder: Some(folder),
        branch: None,
        body: Some(body),
        call: call.as_ref().map(|call| call as &dyn Call),
        digest_questions: Some(digest_questions),
        local: None,
        present: None,
        decided_before: 0,
        wishes: [&none; 4],
    };
    let rules = read("remembered.toml", &remembered.toml, None).unwrap().rules;
    let set = RuleSet::new(vec![RuleFile { terms: TermsOf::Every, rules }], Wishes::default());
    match rule_ask(&set, &facts).ruled {
        Ruled::Says(says) => Some(says),
        Ruled::Ask | Ruled::AskSeveral => None,
    }
}

fn allows(remembered: &Remembered, body: &Body, session: &str, folder: &str, at: Timestamp) -> bool {
    let allowed = Answer::Approval(Decision::Allow { scope: Scope::Once, edited: None });
    says(remembered, body, session, folder, at) == Some(RuleSays::Answer(allowed))
}

fn made(body: &Body, reach: &Reach) -> Remembered {
    remember(body, &RememberedChoice::Allow, reach, Some(UNTIL)).unwrap()
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
    assert_eq!(
        remember(&plan, &RememberedChoice::Allow, &Reach::Everywhere, Some(UNTIL)).unwrap_err(),
        NotRemembered::NoApproval
    );
    let raw = Approval {
        tool: "Bash".to_owned(),
        input: "{".into(),
        summary: None,
        reason: None,
        rules: Vec::new(),
        overrule: false,
    };
    let unreadable = remember(&Body::Approval(raw), &RememberedChoice::Allow, &Reach::Everywhere, Some(UNTIL));
    assert_eq!(unreadable.unwrap_err(), NotRemembered::Unreadable);
    for (tool, reach) in [
        ("*", Reach::Everywhere),
        ("Bash(ls *)", Reach::Everywhere),
        ("AskUserQuestion", Reach::Everywhere),
        ("Bash", Reach::Folder("relative".to_owned())),
        ("Bash", Reach::Folder("/srv/*".to_owned())),
    ] {
        let body = approval(tool, &json!({"command": "ls"}));
        let made = remember(&body, &RememberedChoice::Allow, &reach, Some(UNTIL));
        assert!(matches!(made, Err(NotRemembered::NoRule(_))), "{tool} {reach:?}");
    }
}

fn question(text: &str, labels: &[&str], multi: bool) -> Question {
    let option = |label: &&str| Choice { label: (*label).to_owned(), description: None, preview: None };
    Question { text: text.to_owned(), header: None, options: labels.iter().map(option).collect(), multi, secret: false }
}

fn chosen(choices: &[&[u16]]) -> RuleSays {
    let pick = |chosen: &&[u16]| Pick { chosen: chosen.to_vec(), ..Pick::default() };
    RuleSays::Answer(Answer::Questions(choices.iter().map(pick).collect()))
}

#[test]
fn for_good_has_no_end_and_the_id_that_it_has_with_one() {
    let body = approval("Bash", &json!({"command": "npm test"}));
    let for_good = remember(&body, &RememberedChoice::Allow, &Reach::Everywhere, None).unwrap();
    assert!(!for_good.toml.contains("until"), "{}", for_good.toml);
    assert!(allows(&for_good, &body, "ses_1", "/", Timestamp(i64::MAX)));
    assert_eq!(for_good.id, made(&body, &Reach::Everywhere).id);
}

#[test]
fn a_denial_is_remembered_for_the_very_call() {
    let body = approval("Bash", &json!({"command": "make deploy"}));
    let denied = remember(&body, &RememberedChoice::Deny, &Reach::Everywhere, None).unwrap();
    let said = says(&denied, &body, "ses_1", "/", Timestamp(1));
    assert!(
        matches!(&said, Some(RuleSays::Answer(Answer::Approval(Decision::Deny { words: Some(_), stop: false })))),
        "{said:?}"
    );
    let other = approval("Bash", &json!({"command": "make deploy-docs"}));
    assert_eq!(says(&denied, &other, "ses_1", "/", Timestamp(1)), None);
    assert_ne!(denied.id, made(&body, &Reach::Everywhere).id, "to allow it is another rule");
}

#[test]
fn an_answer_is_remembered_for_the_very_questions() {
    let both =
        vec![question("Which *database*?", &["Postgres", "SQLite"], false), question("Also?", &["first", "b"], true)];
    let body = Body::Questions(both.clone());
    let choice = RememberedChoice::Answer(vec![vec![1], vec![0, 1]]);
    let rule = remember(&body, &choice, &Reach::Everywhere, Some(UNTIL)).unwrap();
    let said = |body: &Body| says(&rule, body, "ses_1", "/", Timestamp(1));
    assert_eq!(said(&body), Some(chosen(&[&[1], &[0, 1]])), "{}", rule.toml);
    let changed = |change: fn(&mut Vec<Question>)| {
        let mut questions = both.clone();
        change(&mut questions);
        said(&Body::Questions(questions))
    };
    assert_eq!(changed(|all| all[0].text = "Which other database?".to_owned()), None);
    assert_eq!(changed(|all| all[0].options.reverse()), None);
    assert_eq!(
        changed(|all| {
            let another = all[0].options[0].clone();
            all[1].options.push(another);
        }),
        None
    );
    assert_eq!(changed(|all| all[1].multi = false), None);
    assert_eq!(changed(|all| drop(all.pop())), None);

    let one = Body::Questions(vec![question("Go on?", &["Yes", "No"], false)]);
    let rule = remember(&one, &RememberedChoice::Answer(vec![vec![0]]), &Reach::Everywhere, None).unwrap();
    assert_eq!(says(&rule, &one, "ses_1", "/", Timestamp(1)), Some(chosen(&[&[0]])));
}

#[test]
fn no_rule_is_made_of_an_answer_that_is_not_offered_or_secret() {
    let mut asked = question("Go on?", &["Yes", " No"], false);
    for wrong in [vec![], vec![vec![]], vec![vec![2]], vec![vec![0, 1]], vec![vec![1]], vec![vec![0], vec![0]]] {
        let made = remember(
            &Body::Questions(vec![asked.clone()]),
            &RememberedChoice::Answer(wrong.clone()),
            &Reach::Everywhere,
            None,
        );
        assert!(made.is_err(), "{wrong:?} {made:?}");
    }
    asked.secret = true;
    let secret = RememberedChoice::Answer(vec![vec![0]]);
    assert!(remember(&Body::Questions(vec![asked]), &secret, &Reach::Everywhere, None).is_err());
    let call = approval("Bash", &json!({"command": "ls"}));
    assert!(remember(&call, &secret, &Reach::Everywhere, None).is_err(), "a call cannot be answered");
    let questions = Body::Questions(vec![question("Go on?", &["Yes", "No"], false)]);
    assert!(
        remember(&questions, &RememberedChoice::Allow, &Reach::Everywhere, None).is_err(),
        "nor a question allowed"
    );
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
