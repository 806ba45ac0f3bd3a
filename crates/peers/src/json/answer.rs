//! Answers as people's programs read them: labels and text, keyed by the question's text.

use askbridge_core::answer::{Answer, Decision, FieldValue, Filled, Review, Scope};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::fit::{Abilities, Card, CardQuestion, fit};
use serde_json::{Map, Value, json};

use askbridge_core::answer::Pick;

/// Pairs each question, as everyone sees it, with what was said to it.
fn picks(ask: &Ask, answer: &Answer) -> Vec<(CardQuestion, Pick)> {
    let (Answer::Questions(picks), Card::Questions(questions)) = (answer, fit(ask, &Abilities::FULL)) else {
        return Vec::new();
    };
    questions.into_iter().zip(picks.iter().cloned()).collect()
}

/// Returns `{question: label | [labels] | text}` for questions, and the decision itself for the other kinds.
pub fn answers(ask: &Ask, answer: &Answer) -> Value {
    match answer {
        Answer::Questions(_) => {
            let said = picks(ask, answer).into_iter().filter(|(_, pick)| !pick.is_skipped());
            Value::Object(said.map(|(question, pick)| (question.text.clone(), said_to(&question, &pick))).collect())
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
pub fn skipped(ask: &Ask, answer: &Answer) -> Vec<String> {
    let skipped = picks(ask, answer).into_iter().filter(|(_, pick)| pick.is_skipped());
    skipped.map(|(question, _)| question.text).collect()
}

/// Returns `{question: note}`.
pub fn notes(ask: &Ask, answer: &Answer) -> Map<String, Value> {
    let noted = picks(ask, answer).into_iter();
    noted.filter_map(|(question, pick)| Some((question.text, Value::String(pick.note?)))).collect()
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
