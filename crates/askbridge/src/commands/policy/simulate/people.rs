//! What a person decided about an ask, and what a rule would have said, in a form in which the two can be compared.

use askbridge_core::answer::{Answer, Decision, Filled, Pick, Review, RuleSays};
use askbridge_core::ask::{Body, Question};
use serde_json::{Map, Value, json};

/// A decision of a rule or a person.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    Yes,
    No,
    /// Yes to something else: the input or the plan was changed, or a form was filled in.
    Changed,
    /// `{question: label | [labels] | text}`, as the API shows answers.
    Answers(Value),
}

/// Returns what a person decided about an ask as the API shows it: the late answer if there is one, because it corrects
/// what was told before. `None`: no person has.
pub(super) fn said(ask: &Value) -> Option<Said> {
    if ask["late"].is_object() {
        return Some(of_answers(ask, &ask["late"]["answers"]));
    }
    if !ask["by"]["person"].is_string() {
        return None;
    }
    match ask["state"].as_str() {
        Some("dismissed") => Some(Said::No),
        // Proposed: it can still be taken back, and has not reached the agent.
        Some("open" | "proposed") | None => None,
        Some(_) => Some(of_answers(ask, &ask["answers"])),
    }
}

fn of_answers(ask: &Value, answers: &Value) -> Said {
    if ask["questions"].is_array() {
        return Said::Answers(answers.clone());
    }
    let is_changed = !answers["input"].is_null() || !answers["plan"].is_null();
    match answers["decision"].as_str() {
        Some("allow" | "approve") if !is_changed => Said::Yes,
        Some("allow" | "approve" | "accept") => Said::Changed,
        _ => Said::No,
    }
}

/// What a rule says, in the same form.
pub(super) fn of_rule(body: &Body, says: &RuleSays) -> Said {
    let answer = match says {
        RuleSays::No { .. } => return Said::No,
        RuleSays::Answer(answer) => answer,
    };
    match (answer, body) {
        (Answer::Questions(picks), Body::Questions(questions)) => {
            let said = questions.iter().zip(picks).filter(|(_, pick)| !pick.is_skipped());
            Said::Answers(Value::Object(said.map(labels).collect::<Map<_, _>>()))
        }
        (
            Answer::Approval(Decision::Allow { edited: None, .. }) | Answer::Plan(Review::Approve { edited: None }),
            _,
        ) => Said::Yes,
        (Answer::Approval(Decision::Deny { .. }) | Answer::Plan(Review::SendBack { .. }), _) => Said::No,
        (Answer::Form(Filled::Decline { .. }), _) => Said::No,
        _ => Said::Changed,
    }
}

fn labels((question, pick): (&Question, &Pick)) -> (String, Value) {
    let label = |&at: &u16| question.options.get(usize::from(at)).map(|option| option.label.clone());
    let said: Vec<_> = pick.chosen.iter().filter_map(label).chain(pick.text.clone()).collect();
    (question.text.clone(), if question.multi { json!(said) } else { json!(said.join(", ")) })
}

impl Said {
    /// For a line on the screen, and for JSON.
    pub(super) fn text(&self) -> String {
        let one = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
            other => other.to_string(),
        };
        match self {
            Self::Yes => "yes".to_owned(),
            Self::No => "no".to_owned(),
            Self::Changed => "yes, with changes".to_owned(),
            Self::Answers(Value::Object(answers)) => match answers.len() {
                0 => "no answer".to_owned(),
                1 => answers.values().map(one).collect(),
                _ => {
                    answers.iter().map(|(asked, said)| format!("{asked}: {}", one(said))).collect::<Vec<_>>().join("; ")
                }
            },
            Self::Answers(other) => one(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BY: &str = r#"{"person": "ada", "device": "phone", "via": "native"}"#;

    fn ask(rest: &Value) -> Value {
        let mut ask = json!({"state": "answered", "by": serde_json::from_str::<Value>(BY).unwrap()});
        ask.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        ask
    }

    #[test]
    fn a_persons_decision_is_read_and_a_rules_is_not_taken_for_one() {
        let allow = json!({"decision": "allow"});
        assert_eq!(said(&ask(&json!({"answers": allow}))), Some(Said::Yes));
        assert_eq!(said(&ask(&json!({"answers": {"decision": "deny", "stop": false}}))), Some(Said::No));
        assert_eq!(said(&ask(&json!({"answers": {"decision": "allow", "input": {"a": 1}}}))), Some(Said::Changed));
        assert_eq!(said(&ask(&json!({"state": "dismissed", "answers": {}}))), Some(Said::No));
        assert_eq!(said(&ask(&json!({"state": "proposed", "answers": allow}))), None);
        let ruled = json!({"state": "ruled", "by": {"rule": "tests run"}, "answers": allow});
        assert_eq!(said(&ask(&ruled)), None);
        assert_eq!(said(&ask(&json!({"state": "expired", "by": null, "answers": {}}))), None);
    }

    #[test]
    fn a_correction_counts_instead_of_what_was_told_before() {
        let late = json!({"answers": {"decision": "deny", "stop": false}, "by": {"person": "ada"}});
        let ruled =
            json!({"state": "ruled", "by": {"rule": "tests run"}, "answers": {"decision": "allow"}, "late": late});
        assert_eq!(said(&ask(&ruled)), Some(Said::No));
    }

    #[test]
    fn answers_to_questions_are_compared_by_label() {
        let option =
            |label: &str| askbridge_core::ask::Choice { label: label.to_owned(), description: None, preview: None };
        let question = |multi| Question {
            text: "Which?".to_owned(),
            header: None,
            options: vec![option("A"), option("B")],
            multi,
            secret: false,
        };
        let pick = |chosen: &[u16]| Pick { chosen: chosen.to_vec(), ..Pick::default() };
        let rule = |multi, chosen: &[u16]| {
            of_rule(&Body::Questions(vec![question(multi)]), &RuleSays::Answer(Answer::Questions(vec![pick(chosen)])))
        };
        let person = |answers: Value| said(&ask(&json!({"questions": [], "answers": answers}))).unwrap();
        assert_eq!(rule(false, &[1]), person(json!({"Which?": "B"})));
        assert_eq!(rule(true, &[0, 1]), person(json!({"Which?": ["A", "B"]})));
        assert_ne!(rule(false, &[0]), person(json!({"Which?": "B"})));
        assert_ne!(rule(false, &[0]), person(json!({})));
    }
}
