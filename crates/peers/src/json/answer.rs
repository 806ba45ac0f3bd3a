//! Answers as people's programs read them: labels and text, keyed by the question's text.

use askbridge_core::answer::{Answer, Decision, FieldValue, Filled, Review, Scope};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::fit::{Abilities, Card, CardQuestion, fit};
use serde_json::{Map, Value, json};

use askbridge_core::answer::Pick;

/// Returns an ask's questions as the API shows them, with the texts and labels that key an answer.
pub(super) fn questions(ask: &Ask) -> Vec<CardQuestion> {
    match fit(ask, &Abilities::FULL) {
        Card::Questions(questions) => questions,
        _ => Vec::new(),
    }
}

/// Returns an answer with labels and texts instead of indices, keyed by the questions' texts.
pub fn in_labels(ask: &Ask, answer: &Answer) -> Value {
    answers(ask, &questions(ask), answer)
}

/// Pairs each question with its part of the answer.
fn picks<'a>(questions: &'a [CardQuestion], answer: &'a Answer) -> impl Iterator<Item = (&'a CardQuestion, &'a Pick)> {
    let picks = match answer {
        Answer::Questions(picks) => picks.as_slice(),
        _ => &[],
    };
    questions.iter().zip(picks)
}

/// Returns `{question: label | [labels] | text}` for questions, and the decision itself for the other kinds.
pub(super) fn answers(ask: &Ask, questions: &[CardQuestion], answer: &Answer) -> Value {
    match answer {
        Answer::Questions(_) => {
            let said = picks(questions, answer).filter(|(_, pick)| !pick.is_skipped());
            Value::Object(said.map(|(question, pick)| (question.text.clone(), said_to(question, pick))).collect())
        }
        Answer::Approval(Decision::Allow { scope, edited }) => {
            let mut decision = json!({"decision": "allow"});
            if let (Scope::Always(rule), Body::Approval(approval)) = (scope, &ask.body) {
                decision["always"] = json!(rule);
                if let Some(rule) = approval.rules.get(usize::from(*rule)) {
                    decision["rule"] = serde_json::from_str(rule.rule.as_str()).unwrap_or(Value::Null);
                }
            }
            if let Some(edited) = edited {
                decision["input"] = serde_json::from_str(edited.as_str()).unwrap_or(Value::Null);
            }
            decision
        }
        Answer::Approval(Decision::Deny { words, stop }) => {
            let mut decision = json!({"decision": "deny", "stop": stop});
            if let Some(words) = words {
                decision["words"] = json!(words);
            }
            decision
        }
        Answer::Plan(Review::Approve { edited }) => match edited {
            Some(plan) => json!({"decision": "approve", "plan": plan}),
            None => json!({"decision": "approve"}),
        },
        Answer::Plan(Review::SendBack { words }) => json!({"decision": "send_back", "words": words}),
        Answer::Form(Filled::Accept(values)) => {
            let content: Map<_, _> = values.iter().map(|(name, value)| (name.clone(), field(value))).collect();
            json!({"decision": "accept", "content": content})
        }
        Answer::Form(Filled::Decline { words }) => match words {
            Some(words) => json!({"decision": "decline", "words": words}),
            None => json!({"decision": "decline"}),
        },
    }
}

/// Returns the texts of the questions that were skipped.
pub(super) fn skipped(questions: &[CardQuestion], answer: &Answer) -> Vec<String> {
    let skipped = picks(questions, answer).filter(|(_, pick)| pick.is_skipped());
    skipped.map(|(question, _)| question.text.clone()).collect()
}

/// Returns `{question: note}`.
pub(super) fn notes(questions: &[CardQuestion], answer: &Answer) -> Map<String, Value> {
    let noted = picks(questions, answer);
    noted.filter_map(|(question, pick)| Some((question.text.clone(), Value::String(pick.note.clone()?)))).collect()
}

fn said_to(question: &CardQuestion, pick: &Pick) -> Value {
    let label = |&index: &u16| question.options.get(usize::from(index)).map(|option| option.label.clone());
    let mut said: Vec<_> = pick.chosen.iter().filter_map(label).collect();
    said.extend(pick.text.clone());
    if question.multi { json!(said) } else { json!(said.join(", ")) }
}

fn field(value: &FieldValue) -> Value {
    match value {
        FieldValue::Text(text) => json!(text),
        FieldValue::Number(number) => serde_json::from_str(number).unwrap_or_else(|_| json!(number)),
        FieldValue::Flag(flag) => json!(flag),
        FieldValue::Many(many) => json!(many),
    }
}
