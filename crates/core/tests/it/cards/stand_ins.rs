//! Questions that stand in for another body.

use askbridge_core::answer::{Answer, Decision, FieldValue, Filled, Review, Scope};
use askbridge_core::ask::{Body, Form, Kind, Plan};
use askbridge_core::fit;
use askbridge_core::fit::{Abilities, Card};
use askbridge_core::unfit::{QuestionKey, QuestionReply, Reply, Value};

use crate::asks::{approval, ask, every_kind_of_field};
use crate::replies::{about, given, label, named, typed, unfit, whole, words};

#[test]
fn nothing_but_allow_allows() {
    let ask = ask(Body::Approval(approval()));
    let allow = || Ok(Decision::Allow { scope: Scope::Once, edited: None });
    let deny = |words: Option<&str>| Ok(Decision::Deny { words: words.map(Into::into), stop: false });
    let noted = |value, note: &str| QuestionReply { key: QuestionKey::Index(0), value, note: Some(note.into()) };
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
