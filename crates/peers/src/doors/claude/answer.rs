//! Turns verdicts into responses to Claude Code, for each of the ways in which a call can wait.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use askbridge_core::answer::{Answer, Decision, FieldValue, Filled, Review, Scope};
use askbridge_core::ask::Body;
use askbridge_core::event::Parcel;
use askbridge_core::verdict::{Ruling, Verdict, in_words};

use super::calls::{CallStage, PendingCall, ReplyChannel};
use super::denied;
use super::mcp;
use super::peer::{Claude, PendingReply};
use super::quirks::{self, MODE_WITHOUT_QUESTIONS};
use super::reply::{Hooked, Permission};
use super::say;
use crate::peer::Outbox;
use crate::tools::answered::{allowed, answered, planned, spoken, stops};
use crate::tools::splice;
use crate::wish::Wish;

/// The setting of a session that wants answers repeated beside the result.
const ANSWERS_BESIDE: &str = "answers_beside";

impl Claude {
    /// Sends the verdict on a call.
    pub(super) fn speak(&mut self, id: &str, out: &mut Outbox) {
        let beside = self.says_answers_beside();
        let Some(call) = self.calls.get_mut(id) else { return };
        let (Some(verdict), Some(channel)) = (call.verdict.clone(), call.channel.take()) else { return };
        let is_recent = self.is_recent;
        let (line, stage) = match &channel {
            ReplyChannel::Hook(request) => match at_the_hook(call, &verdict, is_recent, beside) {
                Some(output) => (say::response(request, output), CallStage::Told),
                None => (passed(request, call), CallStage::Passing),
            },
            ReplyChannel::CanUse(request) => (say::response(request, permission(call, &verdict)), CallStage::Told),
            ReplyChannel::Mcp(request, rpc) => {
                let mut response = mcp::response(None, own_tool(call, &verdict));
                response["mcp_response"]["id"] = rpc.clone();
                (say::response(request, response), CallStage::Told)
            }
            ReplyChannel::Elicitation(request) => (say::response(request, elicited(&verdict)), CallStage::Told),
            ReplyChannel::Denied(request) => (say::response(request, denied::output(&verdict)), CallStage::Told),
        };
        call.stage = stage;
        let (stops, ask) = (stops(&verdict), call.ask);
        if stops && matches!(channel, ReplyChannel::CanUse(_)) && !verdict.words.is_empty() {
            self.words.push(verdict.words.clone());
        }
        self.say(line, out);
        // Claude Code does not mention a form or a denial again after our response. That we wrote it is the only proof.
        if let (ReplyChannel::Elicitation(_) | ReplyChannel::Denied(_), Some(ask)) = (channel, ask) {
            self.calls.remove(id);
            let parcel = Parcel::Verdict(ask);
            self.wish(PendingReply::Nothing, Wish::Deliver { parcel, proof: "written".to_owned() }, out);
        }
    }
}

impl Claude {
    /// Whether this session wants answers repeated beside the result.
    fn says_answers_beside(&self) -> bool {
        self.is_set(ANSWERS_BESIDE)
    }

    /// Whether a flag that only this door understands is set for this session.
    pub(super) fn is_set(&self, name: &str) -> bool {
        let more = self.settings.as_ref().and_then(|settings| settings.more.as_ref());
        let more = more.filter(|more| more.as_str().contains(name));
        let more = more.and_then(|more| serde_json::from_str::<Value>(more.as_str()).ok());
        more.is_some_and(|more| more[name] == true)
    }
}

/// The hook's response for a call that `can_use_tool` is to follow. An always-ask tool might be allowed without us, so
/// its call is made to ask; all others ask us anyway.
fn passed(request: &str, call: &PendingCall) -> String {
    if call.always {
        return say::response(request, Hooked::ask());
    }
    let input = call.rewritten.then(|| splice::untouched(call.input.as_str()));
    let hooked = Hooked::pass(input).beside(call.context.clone());
    if hooked.is_empty() { say::response(request, json!({})) } else { say::response(request, hooked) }
}

/// The hook's response. `None`: it lets the call pass, and the words go to `can_use_tool`.
fn at_the_hook(call: &PendingCall, verdict: &Verdict, can_be_made_to_ask: bool, beside: bool) -> Option<Hooked> {
    match (&call.body, &verdict.ruling) {
        (Body::Questions(questions), Ruling::Answer(Answer::Questions(picks))) => {
            let input = answered(call.input.as_str(), questions, picks, verdict);
            let words = beside.then(|| quirks::answers_beside(input.get()));
            Some(Hooked::allow(input).beside(words).beside(call.context.clone()))
        }
        (Body::Approval(_), Ruling::Answer(Answer::Approval(Decision::Allow { edited, .. }))) if call.always => {
            let hooked = Hooked::allow(allowed(call.input.as_str(), edited.as_ref()));
            Some(hooked.beside(call.context.clone()))
        }
        _ if call.mode.as_deref() == Some(MODE_WITHOUT_QUESTIONS) => Some(Hooked::deny(spoken(verdict))),
        _ if call.always && !can_be_made_to_ask => Some(Hooked::deny(spoken(verdict))),
        _ => None,
    }
}

/// The response to `can_use_tool`.
fn permission(call: &PendingCall, verdict: &Verdict) -> Permission {
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
fn own_tool(call: &PendingCall, verdict: &Verdict) -> Value {
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
