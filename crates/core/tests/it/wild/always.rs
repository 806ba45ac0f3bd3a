//! Random input is parsed or refused.

use askbridge_core::ask::Body;
use askbridge_core::limits;
use askbridge_core::wild::{self, Wild, is_blank};
use proptest::prelude::*;

use super::json::{parse, render};

/// Any tree, in which the names that we look for are much more frequent than by chance.
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
