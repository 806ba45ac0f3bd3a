//! Which question a reply is matched to.

use askbridge_core::answer::{Answer, Pick};
use askbridge_core::ask::Body;
use askbridge_core::unfit::{QuestionKey, QuestionReply, Reply, Value};

use crate::asks::{ask, question};
use crate::replies::{BLANK, about, given, label, named, unfit, whole};

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
        let reply =
            Reply::Questions(vec![QuestionReply { key: key.clone(), value: Some(Value::Index(0)), note: None }]);
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
    let note = |note: &str| QuestionReply { key: QuestionKey::Index(1), value: None, note: Some(note.into()) };
    let nothing = || Err(whole("nothing was answered; dismiss it instead"));
    let noted = Pick { note: Some("later".into()), ..Pick::default() };
    let rows = [
        (vec![given(0, label("A"))], Ok(Answer::Questions(vec![Pick::option(0), Pick::default()]))),
        (vec![note("later")], Ok(Answer::Questions(vec![Pick::default(), noted]))),
        (vec![], nothing()),
        (vec![note(" ")], nothing()),
        (vec![QuestionReply { key: QuestionKey::Index(0), value: None, note: None }], nothing()),
    ];
    for (given, expected) in rows {
        assert_eq!(unfit(&ask, Reply::Questions(given.clone())), expected, "{given:?}");
    }
}
