//! Strategies for random asks, screens and texts.

use askbridge_core::ask::{Approval, Body, Choice, Field, FieldKind, Form, Plan, Question};
use askbridge_core::fit::Abilities;
use proptest::prelude::*;

use crate::asks::{approval, field};

/// Labels made of each other, of commas and of invisible characters.
pub(crate) fn wild_label() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(vec!["a", "b", "a, b", "a,b", "ab", "b, a", "a, b, c", "c", "A", " a", "a (2)", "1", "2"])
            .prop_map(str::to_owned),
        2 => prop::collection::vec(prop::sample::select(vec!["a", "b", ",", " ", "\u{200b}", "\n\n———\n", "1"]), 0..6)
            .prop_map(|parts| parts.concat()),
        1 => any::<String>(),
    ]
}

pub(crate) fn wild_question() -> impl Strategy<Value = Question> {
    let choice = (wild_label(), prop::option::of(wild_label()), prop::option::of(wild_label()))
        .prop_map(|(label, description, preview)| Choice { label, description, preview });
    let options = prop::collection::vec(choice, 0..7);
    (wild_label(), prop::option::of(wild_label()), options, any::<bool>(), any::<bool>())
        .prop_map(|(text, header, options, multi, secret)| Question { text, header, options, multi, secret })
}

pub(crate) fn wild_field() -> impl Strategy<Value = (Option<String>, FieldKind, bool)> {
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

pub(crate) fn wild_body() -> impl Strategy<Value = Body> {
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

pub(crate) fn any_abilities() -> impl Strategy<Value = Abilities> {
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
