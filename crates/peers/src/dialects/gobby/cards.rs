//! Asks as a page draws them, and the result that marks a card as over.

use askbridge_core::answer::{Answer, Outcome, Pick};
use askbridge_core::ask::{Ask, Body, Kind};
use askbridge_core::fit::{Card, CardQuestion, fit};
use serde_json::{Map, Value, json};

use super::wire::questions;
use super::{ABILITIES, names, quirks};

/// How an ask is drawn.
pub(super) enum GobbyCard {
    /// The arguments of a call of AskUserQuestion.
    Question(Value),
    /// The tool that wants to run, and its input.
    Approval(String, Value),
    Plan(String),
    /// Not at all; the reason, in words for the person.
    Not(String),
}

pub(super) fn draw(ask: &Ask) -> GobbyCard {
    let card = fit(ask, &ABILITIES);
    match card {
        Card::Questions(asked) | Card::StandIn { questions: asked, .. } => GobbyCard::Question(questions(&asked)),
        Card::Approval(approval) => {
            GobbyCard::Approval(approval.tool, serde_json::from_str(approval.input.as_str()).unwrap_or_default())
        }
        Card::Plan(plan) => GobbyCard::Plan(plan.text),
        Card::Unshowable(why) => GobbyCard::Not(why),
        Card::Form(_) => GobbyCard::Not("this screen cannot show it; answer elsewhere".to_owned()),
    }
}

/// The name of the tool that an ask is drawn as.
pub(super) fn tool_of(ask: &Ask) -> &str {
    match &ask.body {
        Body::Approval(approval) => &approval.tool,
        _ => quirks::QUESTION_TOOL,
    }
}

/// The result that makes both generations of the page say "Answered": answers as texts, keyed by question.
pub(super) fn result(ask: &Ask, outcome: &Outcome) -> Value {
    let (Outcome::Answered { answer, .. } | Outcome::Ruled { answer, .. }) = outcome else { return Value::Null };
    let Card::Questions(asked) = fit(ask, &ABILITIES) else {
        return json!({"kind": "json", "content": {"answers": {}}});
    };
    let Answer::Questions(picks) = answer else { return Value::Null };
    let said = asked.iter().zip(picks).filter(|(_, pick)| !pick.is_skipped());
    let answers: Map<_, _> =
        said.map(|(question, pick)| (question.text.clone(), json!(joined(question, pick)))).collect();
    json!({"kind": "json", "content": {"answers": answers}})
}

/// The page splits at commas to find what was chosen.
fn joined(question: &CardQuestion, pick: &Pick) -> String {
    let labels = pick.chosen.iter().filter_map(|index| question.options.get(usize::from(*index)));
    labels.map(|option| option.label.as_str()).chain(pick.text.as_deref()).collect::<Vec<_>>().join(", ")
}

/// Whether this ask is answered with `ask_user_response`.
pub(super) fn is_asked_in_questions(ask: &Ask) -> bool {
    matches!(ask.body.kind(), Kind::Questions | Kind::Form)
}

/// Whether this is the client's id of the ask.
pub(super) fn is_called(ask: &Ask, call: &str) -> bool {
    names::call_of(ask) == quirks::first_shown(call)
}
