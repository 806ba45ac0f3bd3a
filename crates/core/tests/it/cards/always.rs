//! Properties of all asks, all screens and all replies.

use std::collections::BTreeSet;

use askbridge_core::answer::{Answer, Decision, FieldValue, Filled, Pick, Review, Scope};
use askbridge_core::ask::{Body, FieldKind};
use askbridge_core::fit;
use askbridge_core::fit::Abilities;
use askbridge_core::unfit::{QuestionKey, QuestionReply, Reply, Value};
use proptest::prelude::*;

use super::strange::{any_abilities, wild_body, wild_label, wild_question};
use crate::asks::{ask, multi};
use crate::replies::{chosen, label, named, pick, unfit};

/// Returns the answer that choosing this option means in the ask itself.
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

/// All ways to read the whole of `text` as labels, by brute force.
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
                        let reply = Reply::Questions(vec![QuestionReply { key: key.clone(), value: Some(value), note: None }]);
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
        labels in prop::collection::btree_set(wild_label().prop_filter("visible", |label| !askbridge_core::wild::is_blank(label)), 1..7),
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
        let given = given.into_iter().map(|(by_index, index, text, kind, value)| QuestionReply {
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
