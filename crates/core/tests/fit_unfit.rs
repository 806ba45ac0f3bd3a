//! Cards and the way back from them: `fit` for every screen, `unfit` for every reply.

use std::collections::BTreeSet;
use std::time::Duration;

use askbridge_core::answer::{Answer, Decision, FieldValue, Filled, Pick, Review, Scope};
use askbridge_core::ask::{
    Approval, Ask, Asker, Body, Choice, Context, Field, FieldKind, Form, Kind, OfferedRule, Plan, Question, Reach,
};
use askbridge_core::fit::{Abilities, Card, CardOption, CardQuestion};
use askbridge_core::ids::{AskId, SessionId, Timestamp};
use askbridge_core::limits;
use askbridge_core::terms::{OnDismissal, OnExpiry, OtherTools, Terms, Warm, WhileOpen};
use askbridge_core::unfit::{FormReply, Given, Mismatch, Problem, QuestionKey, Reply, Value};
use askbridge_core::wild::Wild;
use askbridge_core::{fit, unfit};
use proptest::prelude::*;

fn ask(body: Body) -> Ask {
    Ask {
        id: AskId { session: SessionId(1), number: 1 },
        at: Timestamp(0),
        body,
        terms: Terms {
            deadline: None,
            on_expiry: OnExpiry::Tell,
            on_dismissal: OnDismissal::Tell,
            warm: Warm::Hold,
            undo: Duration::ZERO,
            messages: WhileOpen::Hold,
            parallel: true,
            other_tools: OtherTools::Ask,
            quorum: 1,
        },
        reach: Reach::Held,
        asker: Asker { door: "http".into(), agent: "ci".into(), party: "p".into() },
        call: None,
        context: Context::default(),
        key: None,
        original: None,
        instead_of: None,
    }
}

fn option(label: &str) -> Choice {
    Choice { label: label.into(), description: None, preview: None }
}

fn question(text: &str, labels: &[&str]) -> Question {
    Question {
        text: text.into(),
        header: None,
        options: labels.iter().map(|label| option(label)).collect(),
        multi: false,
        secret: false,
    }
}

fn multi(text: &str, labels: &[&str]) -> Question {
    Question { multi: true, ..question(text, labels) }
}

fn approval() -> Approval {
    Approval {
        tool: "Bash".into(),
        input: r#"{"command":"rm -r build"}"#.into(),
        summary: Some("rm -r build".into()),
        reason: None,
        rules: vec![OfferedRule { label: "rm *".into(), rule: "{}".into() }],
    }
}

fn field(name: &str, kind: FieldKind, required: bool) -> Field {
    Field { name: name.into(), title: None, description: None, kind, required }
}

fn every_kind_of_field() -> Form {
    let pets = || vec!["cat".to_owned(), "dog, small".to_owned()];
    Form {
        message: "About you".into(),
        fields: vec![
            field("name", FieldKind::Text, true),
            field("height", FieldKind::Number, false),
            field("age", FieldKind::Integer, false),
            field("member", FieldKind::Flag, false),
            field("pet", FieldKind::OneOf(pets()), false),
            field("pets", FieldKind::ManyOf(pets()), false),
        ],
        url: None,
        schema: None,
    }
}

fn given(key: usize, value: Value) -> Given {
    Given { key: QuestionKey::Index(key), value: Some(value), note: None }
}

fn named(key: &str, value: Value) -> Given {
    Given { key: QuestionKey::Text(key.into()), value: Some(value), note: None }
}

fn label(text: &str) -> Value {
    Value::Label(text.into())
}

fn typed(text: &str) -> Value {
    Value::Typed(text.into())
}

fn words(text: &str) -> Value {
    Value::Text(text.into())
}

fn chosen(indices: &[u16]) -> Pick {
    Pick { chosen: indices.to_vec(), ..Pick::default() }
}

fn said(indices: &[u16], text: &str) -> Pick {
    Pick { chosen: indices.to_vec(), text: Some(text.into()), note: None }
}

/// Answers one question and returns what was understood.
fn pick(question: Question, value: Value) -> Result<Pick, String> {
    match unfit(&ask(Body::Questions(vec![question])), Reply::Questions(vec![given(0, value)])) {
        Ok(Answer::Questions(picks)) => Ok(picks.into_iter().next().expect("there is a pick for each question")),
        Ok(other) => panic!("{other:?}"),
        Err(mismatch) => Err(mismatch.problems.into_iter().next().expect("a mismatch has a problem").why),
    }
}

fn whole(why: &str) -> Mismatch {
    Mismatch { problems: vec![Problem { about: None, why: why.into() }] }
}

fn about(problems: &[(&str, &str)]) -> Mismatch {
    let problem = |(about, why): &(&str, &str)| Problem { about: Some((*about).into()), why: (*why).into() };
    Mismatch { problems: problems.iter().map(problem).collect() }
}

const BLANK: &str = "the answer is blank; leave it out to skip it";

// What is said to one question.

#[test]
fn one_answer_is_read_as_it_was_typed() {
    let q = || question("Which?", &["Yes", "No", "Yes, but later", "3"]);
    let rows = [
        (Value::Index(1), chosen(&[1])),
        (label("Yes"), chosen(&[0])),
        (label(" yes\n"), chosen(&[0])),
        (label("Yes, but later"), chosen(&[2])),
        (label("yes,BUT later"), chosen(&[2])),
        (label("Yes,but later"), chosen(&[2])),
        (label("Yes, No"), said(&[], "Yes, No")),
        (label("1"), said(&[], "1")),
        (label("Perhaps"), said(&[], "Perhaps")),
        (words("Yes"), said(&[], "Yes")),
        (typed("1"), chosen(&[0])),
        (typed(" 2 "), chosen(&[1])),
        (typed("3"), chosen(&[3])),
        (typed("4"), chosen(&[3])),
        (typed("0"), said(&[], "0")),
        (typed("5"), said(&[], "5")),
        (typed("1,2"), said(&[], "1,2")),
        (typed("no"), chosen(&[1])),
        (Value::List(vec![label("No")]), chosen(&[1])),
        (Value::List(vec![words("No")]), said(&[], "No")),
    ];
    for (value, expected) in rows {
        assert_eq!(pick(q(), value.clone()), Ok(expected), "{value:?}");
    }
}

#[test]
fn several_answers_are_read_as_they_were_typed() {
    let q = || multi("Which?", &["Rust", "Go", "C, C++", "10"]);
    let rows = [
        (Value::Index(3), chosen(&[3])),
        (label("Go"), chosen(&[1])),
        (label("Go, Rust"), chosen(&[0, 1])),
        (label("Go,Rust,Go"), chosen(&[0, 1])),
        (label("rust , c,c++"), chosen(&[0, 2])),
        (label("C, C++, Rust"), chosen(&[0, 2])),
        (label("Rust, my own words, and more"), said(&[0], "my own words, and more")),
        (label("No, not Rust, Go"), said(&[], "No, not Rust, Go")),
        (label("go, and more"), said(&[], "go, and more")),
        (label("Rust,"), chosen(&[0])),
        (words("Rust, Go"), said(&[], "Rust, Go")),
        (typed("1,3"), chosen(&[0, 2])),
        (typed("3 1"), chosen(&[0, 2])),
        (typed("10"), chosen(&[3])),
        (typed("1, 10"), chosen(&[0, 3])),
        (typed("1,9"), said(&[], "1,9")),
        (typed("Go, 1"), said(&[1], "1")),
        (typed(","), said(&[], ",")),
        (Value::List(vec![label("Go"), Value::Index(0), words("a"), words("b, c")]), said(&[0, 1], "a, b, c")),
        (Value::List(vec![label("Go, Rust")]), chosen(&[0, 1])),
    ];
    for (value, expected) in rows {
        assert_eq!(pick(q(), value.clone()), Ok(expected), "{value:?}");
    }
}

#[test]
fn what_can_be_read_in_two_ways_is_not_read_as_labels() {
    let q = || multi("Which?", &["a", "b", "a, b", "c"]);
    let rows = [
        (label("a, b"), chosen(&[2])),
        (label("a,b"), said(&[], "a,b")),
        (label("c, a, b"), said(&[3], "a, b")),
        (label("b, a"), chosen(&[0, 1])),
        (label("a, c"), chosen(&[0, 3])),
        (label("a, b, x"), said(&[], "a, b, x")),
        (Value::List(vec![label("a"), label("b")]), chosen(&[0, 1])),
        (Value::List(vec![label("a, b"), label("c")]), chosen(&[2, 3])),
    ];
    for (value, expected) in rows {
        assert_eq!(pick(q(), value.clone()), Ok(expected), "{value:?}");
    }
    let cases = multi("Which?", &["go", "Go"]);
    assert_eq!(pick(cases.clone(), label("Go")), Ok(chosen(&[1])));
    assert_eq!(pick(cases, label("GO")), Ok(said(&[], "GO")));
}

#[test]
fn what_is_no_answer_is_refused_with_a_reason() {
    let one = || question("Which?", &["Yes", "No"]);
    let many = || multi("Which?", &["Yes", "No"]);
    let long = "x".repeat(limits::ANSWER_TEXT_BYTES_MAX + 1);
    let too_long = format!("it is longer than {} bytes; shorten it", limits::ANSWER_TEXT_BYTES_MAX);
    let rows = [
        (one(), label(""), BLANK),
        (one(), words(" \n\t"), BLANK),
        (one(), typed("\u{200b}\u{feff}\u{202e}"), BLANK),
        (one(), Value::List(vec![]), BLANK),
        (many(), Value::List(vec![]), BLANK),
        (many(), Value::List(vec![label("Yes"), label(" ")]), BLANK),
        (one(), Value::Index(2), "there is no option 2; there are 2, counted from 0"),
        (one(), Value::Index(usize::MAX), &format!("there is no option {}; there are 2, counted from 0", usize::MAX)),
        (one(), Value::List(vec![label("Yes"), label("No")]), "only one answer is possible"),
        (one(), Value::List(vec![label("Yes"), words("but")]), "only one answer is possible"),
        (many(), Value::List(vec![Value::List(vec![])]), "it is a list within a list; one is enough"),
        (one(), words(&long), &too_long),
        (many(), Value::List(vec![words(&long[1..]), words("x")]), &too_long),
    ];
    for (question, value, why) in rows {
        assert_eq!(pick(question, value), Err(why.to_owned()));
    }
    assert!(pick(one(), words(&long[1..])).is_ok(), "the limit itself is allowed");
}

// Which question is meant.

#[test]
fn questions_are_found_by_place_by_shown_text_and_by_their_own_text() {
    let ask = ask(Body::Questions(vec![
        question("Name?", &["A"]),
        question("Name?", &["B"]),
        question("Name? (2)", &["C"]),
        question("  Age?", &["D"]),
    ]));
    let rows = [
        (QuestionKey::Index(1), 1),
        (QuestionKey::Text("Name?".into()), 0),
        (QuestionKey::Text("Name? (3)".into()), 1),
        (QuestionKey::Text("Name? (2)".into()), 2),
        (QuestionKey::Text("name? (2) ".into()), 2),
        (QuestionKey::Text("  Age?".into()), 3),
        (QuestionKey::Text("AGE?".into()), 3),
    ];
    for (key, index) in rows {
        let reply = Reply::Questions(vec![Given { key: key.clone(), value: Some(Value::Index(0)), note: None }]);
        let mut picks = vec![Pick::default(); 4];
        picks[index] = Pick::option(0);
        assert_eq!(unfit(&ask, reply), Ok(Answer::Questions(picks)), "{key:?}");
    }
}

#[test]
fn every_problem_is_told_once_with_its_question() {
    let ask = ask(Body::Questions(vec![
        question("One?", &["A"]),
        question("Two?", &["A"]),
        question("two?", &["A"]),
        question("Three?", &["A"]),
    ]));
    let reply = Reply::Questions(vec![
        given(0, label("A")),
        named("One?", label("A")),
        named("One?", label("A")),
        named("Four?", label("A")),
        named("Four?", label("B")),
        given(9, label("A")),
        named("TWO?", label("A")),
        given(3, label(" ")),
        given(3, label("A")),
    ]);
    let expected = about(&[
        ("One?", "it is answered twice; say it once"),
        ("Four?", "there is no such question"),
        ("question 9", "there is no such question; there are 4, counted from 0"),
        ("TWO?", "more than one question could be meant; write it exactly"),
        ("Three?", BLANK),
    ]);
    assert_eq!(unfit(&ask, reply), Err(expected.clone()));
    assert_eq!(expected.to_string().split("; “").count(), 5, "{expected}");
}

#[test]
fn questions_left_out_are_skipped_but_nothing_at_all_is_no_answer() {
    let ask = ask(Body::Questions(vec![question("One?", &["A"]), question("Two?", &["A"])]));
    let note = |note: &str| Given { key: QuestionKey::Index(1), value: None, note: Some(note.into()) };
    let nothing = || Err(whole("nothing was answered; dismiss it instead"));
    let noted = Pick { note: Some("later".into()), ..Pick::default() };
    let rows = [
        (vec![given(0, label("A"))], Ok(Answer::Questions(vec![Pick::option(0), Pick::default()]))),
        (vec![note("later")], Ok(Answer::Questions(vec![Pick::default(), noted]))),
        (vec![], nothing()),
        (vec![note(" ")], nothing()),
        (vec![Given { key: QuestionKey::Index(0), value: None, note: None }], nothing()),
    ];
    for (given, expected) in rows {
        assert_eq!(unfit(&ask, Reply::Questions(given.clone())), expected, "{given:?}");
    }
}

// Approvals, plans and forms.

#[test]
fn a_reply_of_another_kind_is_refused_and_says_what_is_wanted() {
    let allow = || Reply::Approval(Decision::Allow { scope: Scope::Once, edited: None });
    let approve = || Reply::Plan(Review::Approve { edited: None });
    let rows = [
        (
            Body::Questions(vec![question("One?", &[])]),
            allow(),
            "these are questions; answer them with options or words",
        ),
        (Body::Approval(approval()), approve(), "this ask is an approval; answer it with allow or deny"),
        (
            Body::Plan(Plan { text: "1.".into() }),
            allow(),
            "this ask is a plan; answer it by approving it or sending it back",
        ),
        (Body::Form(every_kind_of_field()), allow(), "this ask is a form; answer it by filling it in or declining"),
    ];
    for (body, reply, why) in rows {
        assert_eq!(unfit(&ask(body), reply), Err(whole(why)));
    }
}

#[test]
fn decisions_are_checked_against_what_was_offered() {
    let ask = ask(Body::Approval(approval()));
    let allow = |scope, edited: Option<&str>| Decision::Allow { scope, edited: edited.map(Into::into) };
    let deny = |words: Option<&str>| Decision::Deny { words: words.map(Into::into), stop: true };
    let rows = [
        (allow(Scope::Once, None), Ok(allow(Scope::Once, None))),
        (allow(Scope::Always(0), Some("{}")), Ok(allow(Scope::Always(0), Some("{}")))),
        (allow(Scope::Always(1), None), Err(whole("rule 1 was not offered; 1 were, counted from 0"))),
        (allow(Scope::Once, Some(" ")), Err(whole("the changed input is blank; leave it out to change nothing"))),
        (deny(Some("no")), Ok(deny(Some("no")))),
        (deny(Some(" ")), Ok(deny(None))),
    ];
    for (decision, expected) in rows {
        assert_eq!(unfit(&ask, Reply::Approval(decision)), expected.map(Answer::Approval));
    }
}

#[test]
fn a_plan_is_sent_back_with_words() {
    let ask = ask(Body::Plan(Plan { text: "1. Build".into() }));
    let back = |words: &str| Review::SendBack { words: words.into() };
    let edited = |plan: &str| Review::Approve { edited: Some(plan.into()) };
    let rows = [
        (back("shorter"), Ok(back("shorter"))),
        (back("\u{200b}"), Err(whole("a plan is sent back with words; say what should change"))),
        (edited("1. Test"), Ok(edited("1. Test"))),
        (edited(" "), Err(whole("the changed plan is blank; leave it out to change nothing"))),
    ];
    for (review, expected) in rows {
        assert_eq!(unfit(&ask, Reply::Plan(review)), expected.map(Answer::Plan));
    }
}

#[test]
fn a_form_takes_each_field_in_its_own_kind_and_order() {
    let ask = ask(Body::Form(every_kind_of_field()));
    let text = |text: &str| Wild::Text(text.into());
    let fill = |values: &[(&str, Wild)]| {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        unfit(&ask, Reply::Form(FormReply::Accept(values)))
    };
    let full = fill(&[
        ("pets", Wild::List(vec![text("dog, small"), text("cat"), text("cat")])),
        ("pet", text("dog, small")),
        ("member", Wild::Flag(false)),
        ("age", text(" 42 ")),
        ("height", Wild::Number("1.80e0".into())),
        ("name", text("Ada")),
    ]);
    let values = [
        ("name", FieldValue::Text("Ada".into())),
        ("height", FieldValue::Number("1.80e0".into())),
        ("age", FieldValue::Number("42".into())),
        ("member", FieldValue::Flag(false)),
        ("pet", FieldValue::Text("dog, small".into())),
        ("pets", FieldValue::Many(vec!["cat".into(), "dog, small".into()])),
    ];
    let values = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    assert_eq!(full, Ok(Answer::Form(Filled::Accept(values))));

    let wrong = fill(&[
        ("name", text(" ")),
        ("height", text("1,80")),
        ("age", Wild::Number("1.5".into())),
        ("member", text("maybe")),
        ("pet", text("cow")),
        ("pets", Wild::List(vec![text("cat"), text("cow")])),
        ("shoe", Wild::Null),
    ]);
    let expected = about(&[
        ("name", "it has to be filled in"),
        ("height", "it has to be a number"),
        ("age", "it has to be a whole number"),
        ("member", "it has to be true or false"),
        ("pet", "it has to be one of: cat, dog, small"),
        ("pets", "each has to be one of: cat, dog, small"),
        ("shoe", "there is no such field"),
    ]);
    assert_eq!(wrong, Err(expected));
    let twice = fill(&[("name", text("Ada")), ("name", text("Eve"))]);
    assert_eq!(twice, Err(about(&[("name", "it is given twice; say it once")])));
    let decline = |words: &str| Reply::Form(FormReply::Decline { words: Some(words.into()) });
    let declined = |words: Option<&str>| Ok(Answer::Form(Filled::Decline { words: words.map(Into::into) }));
    assert_eq!(unfit(&ask, decline("no")), declined(Some("no")));
    assert_eq!(unfit(&ask, decline(" ")), declined(None));
}

// Cards.

#[test]
fn a_full_screen_sees_the_ask_as_it_is() {
    let preview =
        Choice { description: Some("the elephant".into()), preview: Some("CREATE".into()), ..option("Postgres") };
    let q = Question { header: Some("Database".into()), options: vec![preview], ..multi("Which?", &[]) };
    let card = fit(&ask(Body::Questions(vec![q])), &Abilities::FULL);
    let expected = CardQuestion {
        index: 0,
        text: "Which?".into(),
        header: Some("Database".into()),
        options: vec![CardOption {
            index: 0,
            label: "Postgres".into(),
            description: Some("the elephant".into()),
            preview: Some("CREATE".into()),
        }],
        multi: true,
        free_text: true,
        note: true,
        secret: false,
    };
    assert_eq!(card, Card::Questions(vec![expected]));
    for body in [Body::Approval(approval()), Body::Plan(Plan { text: "1.".into() }), Body::Form(every_kind_of_field())]
    {
        let expected = match body.clone() {
            Body::Approval(approval) => Card::Approval(approval),
            Body::Plan(plan) => Card::Plan(plan),
            Body::Form(form) => Card::Form(form),
            Body::Questions(_) => unreachable!(),
        };
        assert_eq!(fit(&ask(body), &Abilities::FULL), expected);
    }
}

#[test]
fn a_lesser_screen_sees_in_the_text_what_it_cannot_show_otherwise() {
    let described = |label: &str, text: &str| Choice { description: Some(text.into()), ..option(label) };
    let q = Question {
        header: Some("Database".into()),
        options: vec![described("Postgres", "the elephant"), option("SQLite"), described("Redis", "in memory")],
        ..multi("Which?", &[])
    };
    let lesser = Abilities {
        options_max: 2,
        multi: false,
        descriptions: false,
        previews: false,
        notes: false,
        header_chars_max: 5,
        ..Abilities::FULL
    };
    let card = fit(&ask(Body::Questions(vec![q])), &lesser);
    let plain = |index, label: &str| CardOption { index, label: label.into(), description: None, preview: None };
    let expected = CardQuestion {
        index: 0,
        text: "Which?\n\n———\n• Postgres: the elephant\n\nAlso possible, by writing it:\n• Redis: in memory\n\n\
               Several may be chosen: write them with commas between."
            .into(),
        header: Some("Data…".into()),
        options: vec![plain(0, "Postgres"), plain(1, "SQLite")],
        multi: false,
        free_text: true,
        note: false,
        secret: false,
    };
    assert_eq!(card, Card::Questions(vec![expected]));
}

#[test]
fn what_cannot_be_answered_on_a_screen_is_not_shown_on_it() {
    let no_words = Abilities { free_text: false, ..Abilities::FULL };
    let three = || question("Which?", &["a", "b", "c"]);
    let rows = [
        (
            Body::Questions(vec![question("Name?", &[])]),
            no_words,
            "“Name?” has to be answered in words, and this screen takes none; answer elsewhere",
        ),
        (
            Body::Questions(vec![three()]),
            Abilities { options_max: 2, ..no_words },
            "“Which?” has to be answered in words, and this screen takes none; answer elsewhere",
        ),
        (
            Body::Questions(vec![three(), three()]),
            Abilities { questions_max: 1, ..Abilities::FULL },
            "this ask has 2 questions, and this screen shows at most 1; answer elsewhere",
        ),
        (
            Body::Questions(vec![three()]),
            Abilities { questions: false, ..Abilities::FULL },
            "this screen cannot show questions; answer elsewhere",
        ),
        (
            Body::Approval(approval()),
            Abilities { questions: false, approvals: false, ..Abilities::FULL },
            "this screen can show neither an approval nor questions; answer elsewhere",
        ),
        (Body::Questions(vec![]), Abilities::FULL, "this ask has no questions; dismiss it"),
    ];
    for (body, abilities, why) in rows {
        assert_eq!(fit(&ask(body), &abilities), Card::Unshowable(why.to_owned()));
    }
}

#[test]
fn twins_are_told_apart_without_taking_anothers_name() {
    let ask = ask(Body::Questions(vec![
        question("Same?", &["a", "a", "a (2)", "a ", ""]),
        question("Same?", &["a"]),
        question("", &["a"]),
    ]));
    let card = fit(&ask, &Abilities::FULL);
    let questions = card.questions().unwrap();
    let texts: Vec<_> = questions.iter().map(|question| question.text.as_str()).collect();
    assert_eq!(texts, ["Same?", "Same? (2)", "Question 3"]);
    let labels: Vec<_> = questions[0].options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["a", "a (3)", "a (2)", "a (4)", "Option 5"]);
}

// Stand-ins.

#[test]
fn nothing_but_allow_allows() {
    let ask = ask(Body::Approval(approval()));
    let allow = || Ok(Decision::Allow { scope: Scope::Once, edited: None });
    let deny = |words: Option<&str>| Ok(Decision::Deny { words: words.map(Into::into), stop: false });
    let noted = |value, note: &str| Given { key: QuestionKey::Index(0), value, note: Some(note.into()) };
    let reservation = || Err(whole("a yes cannot carry words here; leave them out, or say no with them"));
    let rows = [
        (vec![given(0, label("Allow"))], allow()),
        (vec![named("Allow Bash?", label("allow "))], allow()),
        (vec![given(0, Value::Index(0))], allow()),
        (vec![given(0, typed("1"))], allow()),
        (vec![given(0, label("Deny"))], deny(None)),
        (vec![noted(Some(label("Deny")), "use trash")], deny(Some("use trash"))),
        (vec![noted(None, "use trash")], deny(Some("use trash"))),
        (vec![given(0, words("Allow"))], deny(Some("Allow"))),
        (vec![given(0, label("Allow, but only build"))], deny(Some("Allow, but only build"))),
        (vec![given(0, label("Allow, Deny"))], deny(Some("Allow, Deny"))),
        (vec![given(0, label("yes"))], deny(Some("yes"))),
        (vec![noted(Some(label("Allow")), "carefully")], reservation()),
        (vec![], Err(whole("nothing was answered; dismiss it instead"))),
        (
            vec![given(1, label("Allow"))],
            Err(about(&[("question 1", "there is no such question; there are 1, counted from 0")])),
        ),
    ];
    for (given, expected) in rows {
        assert_eq!(unfit(&ask, Reply::Questions(given.clone())), expected.map(Answer::Approval), "{given:?}");
    }
}

#[test]
fn whoever_allows_through_a_stand_in_has_seen_the_input() {
    let card = fit(&ask(Body::Approval(approval())), &Abilities { approvals: false, ..Abilities::FULL });
    let Card::StandIn { kind: Kind::Approval, questions } = card else { panic!("{card:?}") };
    assert_eq!(
        questions[0].text,
        "Allow Bash?\n\n———\nrm -r build\n\n{\"command\":\"rm -r build\"}\n\n\
         Anything else that is written denies it, with those words."
    );
    assert!(!questions[0].note, "a yes has no room for a note");
}

#[test]
fn a_plan_and_a_page_can_be_answered_through_a_stand_in() {
    let plan = Body::Plan(Plan { text: "1. Build".into() });
    let back = |words: &str| Answer::Plan(Review::SendBack { words: words.into() });
    let page = Body::Form(Form {
        message: "Log in".into(),
        fields: vec![],
        url: Some("https://example.org".into()),
        schema: None,
    });
    let rows = [
        (&plan, label("Approve"), Answer::Plan(Review::Approve { edited: None })),
        (&plan, label("Send back"), back("the person gave no reason; ask what should change")),
        (&plan, label("Approve, but test first"), back("Approve, but test first")),
        (&page, label("Accept"), Answer::Form(Filled::Accept(vec![]))),
        (&page, label("Decline"), Answer::Form(Filled::Decline { words: None })),
        (&page, label("not now"), Answer::Form(Filled::Decline { words: Some("not now".into()) })),
    ];
    for (body, value, expected) in rows {
        assert_eq!(unfit(&ask(body.clone()), Reply::Questions(vec![given(0, value)])), Ok(expected));
    }
}

#[test]
fn a_form_can_be_filled_in_question_by_question() {
    let ask = ask(Body::Form(every_kind_of_field()));
    let reply = Reply::Questions(vec![
        named("name", label("Ada, Countess of Lovelace")),
        named("height", typed("1.8")),
        named("member", label("No")),
        named("pet", label("dog, small")),
        named("pets", label("cat, dog, small")),
    ]);
    let values = [
        ("name", FieldValue::Text("Ada, Countess of Lovelace".into())),
        ("height", FieldValue::Number("1.8".into())),
        ("member", FieldValue::Flag(false)),
        ("pet", FieldValue::Text("dog, small".into())),
        ("pets", FieldValue::Many(vec!["cat".into(), "dog, small".into()])),
    ];
    let values = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    assert_eq!(unfit(&ask, reply), Ok(Answer::Form(Filled::Accept(values))));

    let reply = Reply::Questions(vec![
        named("age", words("old")),
        named("member", words("perhaps")),
        named("pet", words("cow")),
        named("pets", words("cow")),
    ]);
    let expected = about(&[
        ("name", "it has to be filled in"),
        ("age", "it has to be a whole number"),
        ("member", "it has to be true or false"),
        ("pet", "it has to be one of: cat, dog, small"),
        ("pets", "each has to be one of: cat, dog, small"),
    ]);
    assert_eq!(unfit(&ask, reply), Err(expected));
}

// For all asks, all screens, all replies.

/// Labels that are made of each other, of commas and of what cannot be seen.
fn wild_label() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(vec!["a", "b", "a, b", "a,b", "ab", "b, a", "a, b, c", "c", "A", " a", "a (2)", "1", "2"])
            .prop_map(str::to_owned),
        2 => prop::collection::vec(prop::sample::select(vec!["a", "b", ",", " ", "\u{200b}", "\n\n———\n", "1"]), 0..6)
            .prop_map(|parts| parts.concat()),
        1 => any::<String>(),
    ]
}

fn wild_question() -> impl Strategy<Value = Question> {
    let choice = (wild_label(), prop::option::of(wild_label()), prop::option::of(wild_label()))
        .prop_map(|(label, description, preview)| Choice { label, description, preview });
    let options = prop::collection::vec(choice, 0..7);
    (wild_label(), prop::option::of(wild_label()), options, any::<bool>(), any::<bool>())
        .prop_map(|(text, header, options, multi, secret)| Question { text, header, options, multi, secret })
}

fn wild_field() -> impl Strategy<Value = (Option<String>, FieldKind, bool)> {
    let values = || prop::collection::btree_set(wild_label(), 1..5).prop_map(|set| set.into_iter().collect::<Vec<_>>());
    let kind = prop_oneof![
        Just(FieldKind::Text),
        Just(FieldKind::Number),
        Just(FieldKind::Integer),
        Just(FieldKind::Flag),
        values().prop_map(FieldKind::OneOf),
        values().prop_map(FieldKind::ManyOf),
    ];
    (prop::option::of(wild_label()), kind, any::<bool>())
}

fn wild_body() -> impl Strategy<Value = Body> {
    let form = (wild_label(), prop::collection::vec(wild_field(), 0..5)).prop_map(|(message, fields)| {
        let field = |(i, (title, kind, _)): (usize, (Option<String>, FieldKind, bool))| Field {
            title,
            ..field(&format!("f{i}"), kind, false)
        };
        Body::Form(Form {
            message,
            fields: fields.into_iter().enumerate().map(field).collect(),
            url: None,
            schema: None,
        })
    });
    prop_oneof![
        6 => prop::collection::vec(wild_question(), 0..5).prop_map(Body::Questions),
        1 => wild_label().prop_map(|tool| Body::Approval(Approval { tool, ..approval() })),
        1 => wild_label().prop_map(|text| Body::Plan(Plan { text })),
        2 => form,
    ]
}

fn any_abilities() -> impl Strategy<Value = Abilities> {
    let max = || prop_oneof![0..4_usize, Just(usize::MAX)];
    (any::<[bool; 9]>(), max(), max(), max()).prop_map(
        |(
            [approvals, plans, forms, multi, descriptions, previews, notes, free_text, questions],
            most,
            options,
            header,
        )| {
            Abilities {
                questions,
                approvals,
                plans,
                forms,
                questions_max: most,
                options_max: options,
                multi,
                descriptions,
                previews,
                header_chars_max: header,
                notes,
                free_text,
            }
        },
    )
}

/// What choosing this option means in the ask itself.
fn meant(body: &Body, question: usize, option: usize) -> Answer {
    match body {
        Body::Questions(questions) => {
            let mut picks = vec![Pick::default(); questions.len()];
            picks[question] = Pick::option(u16::try_from(option).expect("there are few options"));
            Answer::Questions(picks)
        }
        Body::Approval(_) if option == 0 => Answer::Approval(Decision::Allow { scope: Scope::Once, edited: None }),
        Body::Approval(_) => Answer::Approval(Decision::Deny { words: None, stop: false }),
        Body::Plan(_) if option == 0 => Answer::Plan(Review::Approve { edited: None }),
        Body::Plan(_) => {
            Answer::Plan(Review::SendBack { words: "the person gave no reason; ask what should change".into() })
        }
        Body::Form(form) if form.fields.is_empty() && option == 0 => Answer::Form(Filled::Accept(vec![])),
        Body::Form(form) if form.fields.is_empty() => Answer::Form(Filled::Decline { words: None }),
        Body::Form(form) => {
            let field = &form.fields[question];
            let value = match &field.kind {
                FieldKind::Flag => FieldValue::Flag(option == 0),
                FieldKind::OneOf(values) => FieldValue::Text(values[option].clone()),
                FieldKind::ManyOf(values) => FieldValue::Many(vec![values[option].clone()]),
                kind => panic!("{kind:?} has no options"),
            };
            Answer::Form(Filled::Accept(vec![(field.name.clone(), value)]))
        }
    }
}

/// All the ways in which the whole of `text` is a row of labels, found by trying.
fn readings(text: &str, labels: &[String]) -> BTreeSet<BTreeSet<usize>> {
    let mut found = BTreeSet::new();
    for (i, label) in labels.iter().enumerate() {
        let Some(rest) = text.strip_prefix(label.as_str()) else {
            continue;
        };
        if rest.is_empty() {
            found.insert(BTreeSet::from([i]));
        } else if let Some(rest) = rest.strip_prefix(", ") {
            found.extend(readings(rest, labels).into_iter().map(|mut set| {
                set.insert(i);
                set
            }));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_card_shows_leads_back(body in wild_body(), abilities in any_abilities()) {
        let ask = ask(body);
        let card = fit(&ask, &abilities);
        let questions = card.questions().unwrap_or_default();
        prop_assert!(questions.len() <= abilities.questions_max);
        for question in questions {
            prop_assert!(question.options.len() <= abilities.options_max);
            prop_assert!(!question.multi || abilities.multi);
            prop_assert!(!question.free_text || abilities.free_text);
            prop_assert!(!question.options.is_empty() || question.free_text);
            for option in &question.options {
                prop_assert!(option.description.is_none() || abilities.descriptions);
                prop_assert!(option.preview.is_none() || abilities.previews);
                for key in [QuestionKey::Index(question.index), QuestionKey::Text(question.text.clone())] {
                    for value in [
                        Value::Index(option.index),
                        Value::Label(option.label.clone()),
                        Value::Typed(option.label.clone()),
                        Value::List(vec![Value::Label(option.label.clone())]),
                    ] {
                        let reply = Reply::Questions(vec![Given { key: key.clone(), value: Some(value), note: None }]);
                        prop_assert_eq!(unfit(&ask, reply), Ok(meant(&ask.body, question.index, option.index)));
                    }
                }
            }
        }
    }

    #[test]
    fn options_that_are_only_listed_can_be_written(questions in prop::collection::vec(wild_question(), 1..3)) {
        let ask = ask(Body::Questions(questions));
        let all = fit(&ask, &Abilities::FULL);
        let card = fit(&ask, &Abilities { options_max: 0, ..Abilities::FULL });
        for (question, full) in card.questions().unwrap().iter().zip(all.questions().unwrap()) {
            for option in &full.options {
                prop_assert!(question.text.contains(&option.label));
                let reply = Reply::Questions(vec![named(&question.text, label(&option.label))]);
                prop_assert_eq!(unfit(&ask, reply), Ok(meant(&ask.body, question.index, option.index)));
            }
        }
    }

    #[test]
    fn a_list_of_labels_is_exactly_those_options(
        labels in prop::collection::btree_set(wild_label().prop_filter("visible", |l| !l.trim().is_empty() && !l.contains('\u{200b}')), 1..7),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..5),
    ) {
        let labels: Vec<_> = labels.into_iter().collect();
        let refs: Vec<_> = labels.iter().map(String::as_str).collect();
        let picks: Vec<_> = picks.iter().map(|pick| pick.index(labels.len())).collect();
        let expected: BTreeSet<u16> = picks.iter().map(|pick| u16::try_from(*pick).unwrap()).collect();
        let values = picks.iter().map(|pick| label(&labels[*pick])).collect();
        let read = pick(multi("Which?", &refs), Value::List(values)).unwrap();
        prop_assert_eq!(read, chosen(&expected.into_iter().collect::<Vec<_>>()));
    }

    #[test]
    fn joined_labels_are_never_read_as_others(
        labels in prop::collection::btree_set(
            prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 1..4).prop_map(|parts| parts.join(", ")), 1..7),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..5),
        tail in prop::option::of(Just("my own words")),
    ) {
        let labels: Vec<_> = labels.into_iter().collect();
        let refs: Vec<_> = labels.iter().map(String::as_str).collect();
        let words = picks.iter().map(|pick| refs[pick.index(refs.len())]).chain(tail);
        let joined = words.collect::<Vec<_>>().join(", ");
        let read = pick(multi("Which?", &refs), label(&joined)).unwrap();
        let options: BTreeSet<_> = read.chosen.iter().map(|index| usize::from(*index)).collect();
        prop_assert!(read.chosen.is_sorted_by(|a, b| a < b));
        let readings = readings(&joined, &labels);
        match (refs.iter().position(|label| *label == joined), &read.text) {
            (Some(exact), text) => prop_assert_eq!((options, text), (BTreeSet::from([exact]), &None)),
            (None, None) => prop_assert!(readings.contains(&options), "{:?} of {:?}", options, readings),
            (None, Some(text)) => {
                prop_assert!(joined.ends_with(text.as_str()), "what is not understood stays as it was");
                prop_assert!(readings.len() != 1 || readings.iter().all(|reading| options.is_subset(reading)));
                for reading in &readings {
                    prop_assert!(options.is_subset(reading), "{:?} of {:?}", options, reading);
                }
            }
        }
    }

    #[test]
    fn an_answer_said_again_by_index_and_text_is_the_same_answer(question in wild_question(), text in wild_label()) {
        let Ok(first) = pick(question.clone(), label(&text)) else { return Ok(()) };
        let again = first.chosen.iter().map(|index| Value::Index(usize::from(*index)));
        let again = again.chain(first.text.clone().map(Value::Text)).collect();
        prop_assert_eq!(pick(question, Value::List(again)), Ok(first));
    }

    #[test]
    fn no_reply_is_too_strange(
        body in wild_body(),
        given in prop::collection::vec((any::<bool>(), 0..6_usize, wild_label(), 0..5_u8, wild_label()), 0..4),
    ) {
        let given = given.into_iter().map(|(by_index, index, text, kind, value)| Given {
            key: if by_index { QuestionKey::Index(index) } else { QuestionKey::Text(text.clone()) },
            value: match kind {
                0 => None,
                1 => Some(Value::Index(index)),
                2 => Some(Value::Label(value)),
                3 => Some(Value::Typed(value)),
                _ => Some(Value::List(vec![Value::Text(value), Value::Label(text)])),
            },
            note: None,
        });
        let ask = ask(body);
        match unfit(&ask, Reply::Questions(given.collect())) {
            Ok(Answer::Questions(picks)) => {
                prop_assert!(picks.iter().any(|pick| !pick.is_skipped()));
            }
            Ok(_) => {}
            Err(mismatch) => prop_assert!(!mismatch.problems.is_empty()),
        }
    }
}
