//! Turns clicks on cards into replies, and decisions into the outputs that cards show.

use std::collections::BTreeMap;
use std::time::Duration;

use askbridge_core::answer::{Answer, Decision, Pick, Review};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::fit::{ALLOW, DENY, fit};
use askbridge_core::ids::{AskId, CallId, SessionId};
use askbridge_core::unfit::{QuestionKey, QuestionReply, Reply, Value as Said};
use serde_json::{Map, Value, json};

use super::{ABILITIES, quirks};
use crate::wish::{AskRef, Wish};

/// The id of an ask's card: the agent's call if that only asks; otherwise its own, because the call is drawn beside it.
pub(super) fn card_id(ask: &Ask) -> String {
    match (&ask.body, &ask.call) {
        (Body::Questions(_) | Body::Plan(_), Some(call)) => call.to_string(),
        _ => ask.id.to_string(),
    }
}

/// The wish for an answered card. An empty answer is a dismissal.
pub(super) fn wish(session: SessionId, card: &str, answers: BTreeMap<String, String>) -> Wish {
    let ask = match card.parse::<AskId>() {
        Ok(ask) if ask.session == session => AskRef::Id(ask),
        _ => AskRef::Call(session, CallId::from(card)),
    };
    if answers.values().all(|said| said.trim().is_empty()) {
        return Wish::Dismiss { ask, words: None };
    }
    let message = || answers.get("message").filter(|words| !words.trim().is_empty()).cloned();
    let reply = match answers.get("action").map(String::as_str) {
        Some(quirks::APPROVE) => Reply::Plan(Review::Approve { edited: None }),
        Some(quirks::SEND_BACK) => {
            let words = message().unwrap_or_else(|| "the person gave no reason; ask what should change".to_owned());
            Reply::Plan(Review::SendBack { words })
        }
        _ => Reply::Questions(answers.into_iter().filter(|(_, said)| !said.trim().is_empty()).map(given).collect()),
    };
    Wish::Answer { ask, reply, undo: Duration::ZERO }
}

fn given((question, said): (String, String)) -> QuestionReply {
    QuestionReply { key: QuestionKey::Text(question), value: Some(Said::Label(said)), note: None }
}

/// Reads a result that the client supplied itself: `{answers}` or the answers, perhaps as JSON inside strings.
pub(super) fn supplied(output: &Value) -> Option<BTreeMap<String, String>> {
    let output = unwrapped(output.clone());
    let answers = match output.get("answers") {
        Some(answers) => unwrapped(answers.clone()),
        None => output,
    };
    let answers = answers.as_object()?.iter().map(|(question, said)| match said {
        Value::String(said) => Some((question.clone(), said.clone())),
        Value::Array(many) => {
            let many: Option<Vec<_>> = many.iter().map(Value::as_str).collect();
            Some((question.clone(), many?.join(", ")))
        }
        _ => None,
    });
    answers.collect()
}

fn unwrapped(mut value: Value) -> Value {
    for _ in 0..quirks::NESTED_MAX {
        match value.as_str().and_then(|text| serde_json::from_str(text).ok()) {
            Some(inner) => value = inner,
            None => break,
        }
    }
    value
}

/// The output of an answered card: texts keyed by the texts that it showed.
pub(super) fn output(ask: &Ask, answer: &Answer) -> Value {
    let card = fit(ask, &ABILITIES);
    let questions = card.questions().unwrap_or_default();
    let first = |said: &str| questions.first().map(|question| (question.text.clone(), json!(said)));
    let answers: Map<String, Value> = match (&ask.body, answer) {
        (Body::Questions(asked), Answer::Questions(picks)) => {
            let named =
                |(place, it): (usize, _)| (questions.get(place).map_or(&asked[place].text, |shown| &shown.text), it);
            let said = asked.iter().zip(picks).enumerate().map(named).filter(|(_, (_, pick))| !pick.is_skipped());
            said.map(|(name, (question, pick))| (name.clone(), json!(spoken(question, pick)))).collect()
        }
        (_, Answer::Plan(Review::Approve { .. })) => Map::from_iter([("action".to_owned(), json!(quirks::APPROVE))]),
        (_, Answer::Plan(Review::SendBack { words })) => {
            Map::from_iter([("action".to_owned(), json!(quirks::SEND_BACK)), ("message".to_owned(), json!(words))])
        }
        (_, Answer::Approval(Decision::Allow { .. })) => first(ALLOW).into_iter().collect(),
        (_, Answer::Approval(Decision::Deny { .. })) => first(DENY).into_iter().collect(),
        _ => Map::new(),
    };
    let mut output = json!({"answers": answers});
    if let Answer::Plan(review) = answer {
        let (action, message) = match review {
            Review::Approve { .. } => (quirks::APPROVE, None),
            Review::SendBack { words } => (quirks::SEND_BACK, Some(words.as_str())),
        };
        output.as_object_mut().into_iter().for_each(|output| output.extend(plan_result(action, message)));
    }
    output
}

/// The fields by which a plan's card sees that it is over, at the top of its result, where a click puts them too.
pub(super) fn plan_result(action: &str, message: Option<&str>) -> Map<String, Value> {
    let approved = action == quirks::APPROVE;
    let status = if approved { "success" } else { "cancelled" };
    let result = [("status", json!(status)), ("action", json!(action)), ("approved", json!(approved))];
    let message = message.map(|message| ("message", json!(message)));
    result.into_iter().chain(message).map(|(name, value)| (name.to_owned(), value)).collect()
}

fn spoken(question: &askbridge_core::ask::Question, pick: &Pick) -> String {
    let labels = pick.chosen.iter().filter_map(|&index| question.options.get(usize::from(index)));
    labels.map(|option| option.label.as_str()).chain(pick.text.as_deref()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_found_up_to_three_strings_deep() {
        let expected = Some(BTreeMap::from([("Which?".to_owned(), "A, B".to_owned())]));
        for output in [
            json!({"answers": {"Which?": "A, B"}}),
            json!({"Which?": ["A", "B"]}),
            json!("{\"answers\":\"{\\\"Which?\\\":\\\"A, B\\\"}\"}"),
        ] {
            assert_eq!(supplied(&output), expected, "{output}");
        }
        for output in [json!({"answers": {"Which?": 7}}), json!("no"), json!(null), json!([1])] {
            assert_eq!(supplied(&output), None, "{output}");
        }
    }
}
