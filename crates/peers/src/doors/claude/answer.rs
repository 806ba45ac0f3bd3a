//! Verdicts → what Claude Code is told, by whichever way it waits.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use askbridge_core::answer::{Answer, Decision, FieldValue, Filled, Review, Scope};
use askbridge_core::ask::Body;
use askbridge_core::event::Parcel;
use askbridge_core::verdict::{Ruling, Verdict, in_words};

use super::calls::{Call, Stage, Way};
use super::mcp;
use super::peer::{Awaited, Claude};
use super::quirks::{self, MODE_WITHOUT_QUESTIONS};
use super::reply::{Hooked, Permission};
use super::say;
use crate::peer::Outbox;
use crate::tools::answered::{allowed, answered, planned, spoken, stops};
use crate::wish::Wish;

/// The setting of a session that wants answers said twice.
const ANSWERS_BESIDE: &str = "answers_beside";

impl Claude {
    /// Says the verdict on a call.
    pub(super) fn speak(&mut self, id: &str, out: &mut Outbox) {
        let beside = self.says_answers_beside();
        let Some(call) = self.calls.get_mut(id) else { return };
        let (Some(verdict), Some(way)) = (call.verdict.clone(), call.way.take()) else { return };
        let is_recent = self.is_recent;
        let (line, stage) = match &way {
            Way::Hook(request) => match at_the_hook(call, &verdict, is_recent, beside) {
                Some(output) => (say::response(request, output), Stage::Told),
                // What always goes to a person might be allowed without one; everything else comes to us anyway.
                None if call.always => (say::response(request, Hooked::ask()), Stage::Passing),
                None => (say::response(request, json!({})), Stage::Passing),
            },
            Way::CanUse(request) => (say::response(request, permission(call, &verdict)), Stage::Told),
            Way::Mcp(request, rpc) => {
                let mut response = mcp::response(None, own_tool(call, &verdict));
                response["mcp_response"]["id"] = rpc.clone();
                (say::response(request, response), Stage::Told)
            }
            Way::Elicitation(request) => (say::response(request, elicited(&verdict)), Stage::Told),
        };
        call.stage = stage;
        let (stops, ask) = (stops(&verdict), call.ask);
        if stops && matches!(way, Way::CanUse(_)) && !verdict.words.is_empty() {
            self.words.push(verdict.words.clone());
        }
        self.say(line, out);
        // Nothing that Claude Code writes names the form again. What was written is all that can be shown.
        if let (Way::Elicitation(_), Some(ask)) = (way, ask) {
            self.calls.remove(id);
            let parcel = Parcel::Verdict(ask);
            self.wish(Awaited::Nothing, Wish::Deliver { parcel, proof: "written".to_owned() }, out);
        }
    }
}

impl Claude {
    /// Does this session want answers said once more, beside the result?
    fn says_answers_beside(&self) -> bool {
        self.is_set(ANSWERS_BESIDE)
    }

    /// Is something set for this session that only the agent's door understands?
    pub(super) fn is_set(&self, name: &str) -> bool {
        let more = self.settings.as_ref().and_then(|settings| settings.more.as_ref());
        let more = more.filter(|more| more.as_str().contains(name));
        let more = more.and_then(|more| serde_json::from_str::<Value>(more.as_str()).ok());
        more.is_some_and(|more| more[name] == true)
    }
}

/// What the hook says. `None`: it lets the call pass, and the words follow.
fn at_the_hook(call: &Call, verdict: &Verdict, can_be_made_to_ask: bool, beside: bool) -> Option<Hooked> {
    match (&call.body, &verdict.ruling) {
        (Body::Questions(questions), Ruling::Answer(Answer::Questions(picks))) => {
            let input = answered(call.input.as_str(), questions, picks, verdict);
            let words = beside.then(|| quirks::answers_beside(input.get()));
            let hooked = Hooked::allow(input);
            Some(match words {
                Some(words) => hooked.beside(words),
                None => hooked,
            })
        }
        (Body::Approval(_), Ruling::Answer(Answer::Approval(Decision::Allow { edited, .. }))) if call.always => {
            Some(Hooked::allow(allowed(call.input.as_str(), edited.as_ref())))
        }
        _ if call.mode.as_deref() == Some(MODE_WITHOUT_QUESTIONS) => Some(Hooked::deny(spoken(verdict))),
        _ if call.always && !can_be_made_to_ask => Some(Hooked::deny(spoken(verdict))),
        _ => None,
    }
}

/// What `can_use_tool` is answered with.
fn permission(call: &Call, verdict: &Verdict) -> Permission {
    let input = call.input.as_str();
    match (&call.body, &verdict.ruling) {
        (Body::Questions(questions), Ruling::Answer(Answer::Questions(picks))) => {
            Permission::allow(answered(input, questions, picks, verdict), Vec::new())
        }
        (Body::Approval(approval), Ruling::Answer(Answer::Approval(Decision::Allow { scope, edited }))) => {
            let rule = match scope {
                Scope::Always(rule) => approval.rules.get(usize::from(*rule)),
                Scope::Once => None,
            };
            let rule = rule.and_then(|rule| RawValue::from_string(rule.rule.as_str().to_owned()).ok());
            Permission::allow(allowed(call.input.as_str(), edited.as_ref()), rule.into_iter().collect())
        }
        (Body::Plan(_), Ruling::Answer(Answer::Plan(Review::Approve { edited }))) => {
            Permission::allow(planned(input, edited.as_deref()), Vec::new())
        }
        _ => Permission::deny(spoken(verdict), stops(verdict)),
    }
}

/// The result of our own tool: only text.
fn own_tool(call: &Call, verdict: &Verdict) -> Value {
    match &verdict.ruling {
        Ruling::Answer(answer) => {
            let said = in_words(&call.body, answer);
            let beside = if verdict.words.is_empty() { String::new() } else { format!("\n{}", verdict.words) };
            mcp::said(&format!("The person answered: {said}{beside}"), false)
        }
        Ruling::Assume(_) | Ruling::Deny | Ruling::DenyAndStop => mcp::said(spoken(verdict), true),
    }
}

fn elicited(verdict: &Verdict) -> Value {
    match &verdict.ruling {
        Ruling::Answer(Answer::Form(Filled::Accept(values))) => {
            let content: Map<_, _> = values.iter().map(|(name, value)| (name.clone(), field(value))).collect();
            json!({"action": "accept", "content": content})
        }
        Ruling::Answer(Answer::Form(Filled::Decline { .. })) => json!({"action": "decline"}),
        _ => json!({"action": "cancel"}),
    }
}

fn field(value: &FieldValue) -> Value {
    match value {
        FieldValue::Text(text) => json!(text),
        FieldValue::Number(number) => serde_json::from_str(number).unwrap_or_else(|_| json!(number)),
        FieldValue::Flag(flag) => json!(flag),
        FieldValue::Many(many) => json!(many),
    }
}
