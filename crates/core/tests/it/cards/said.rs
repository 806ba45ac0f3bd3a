//! Replies to one question.

use askbridge_core::limits;
use askbridge_core::unfit::Value;

use crate::asks::{multi, question};
use crate::replies::{BLANK, chosen, label, pick, said, typed, words};

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
