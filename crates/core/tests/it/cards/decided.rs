//! Replies to approvals, plans and forms.

use askbridge_core::answer::{Answer, Decision, FieldValue, Filled, Review, Scope};
use askbridge_core::ask::{Body, Plan};
use askbridge_core::unfit::{FormReply, Reply};
use askbridge_core::wild::Wild;

use crate::asks::{approval, ask, every_kind_of_field, question};
use crate::replies::{about, unfit, whole};

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
