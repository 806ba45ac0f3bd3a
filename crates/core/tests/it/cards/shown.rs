//! What each screen is shown.

use askbridge_core::ask::{Body, Choice, Plan, Question};
use askbridge_core::fit;
use askbridge_core::fit::{Abilities, Card, CardOption, CardQuestion};

use crate::asks::{approval, ask, every_kind_of_field, multi, option, question};

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
