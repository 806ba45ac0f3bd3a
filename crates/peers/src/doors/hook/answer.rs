//! Turns a settled ask into the hook's output. `None` is no opinion, and never an allow by accident.

use askbridge_core::answer::{Answer, Decision, Review, Scope};
use askbridge_core::ask::Body;
use askbridge_core::verdict::Ruling;
use askbridge_core::view::{AskView, State};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::denied::may_retry;
use super::hear::{Agent, HookEvent, HookEventKind, ToolCall};
use super::mouth::Mouth;
use crate::tools::answered::{allowed, answered, planned, spoken, stops};

/// What a verdict comes down to for a hook.
#[derive(Debug)]
pub(super) enum HookAnswer {
    Allow {
        /// The input to run with. `None`: the original.
        input: Option<Box<RawValue>>,
        /// The permission rule that the agent is to remember.
        rule: Option<Box<RawValue>>,
    },
    Deny {
        words: String,
        stop: bool,
    },
}

/// What a person or a rule decided, or that nobody answered. The latter is left out where another mouth still waits: a
/// terminal has its own dialog on screen.
pub(super) fn said(view: &AskView, call: &ToolCall) -> Option<HookAnswer> {
    match view.state {
        State::Answered | State::Ruled | State::Dismissed => {}
        State::Expired if Mouth::of(&view.ask.context) == Mouth::Nobody => {}
        _ => return None,
    }
    let verdict = view.verdict.as_ref()?;
    let input = call.input.as_str();
    Some(match (&view.ask.body, &verdict.ruling) {
        (Body::Questions(questions), Ruling::Answer(Answer::Questions(picks))) => {
            HookAnswer::Allow { input: Some(answered(input, questions, picks, verdict)), rule: None }
        }
        (Body::Approval(approval), Ruling::Answer(Answer::Approval(Decision::Allow { scope, edited }))) => {
            let rule = match scope {
                Scope::Always(rule) => approval.rules.get(usize::from(*rule)),
                Scope::Once => None,
            };
            let rule = rule.and_then(|rule| RawValue::from_string(rule.rule.as_str().to_owned()).ok());
            HookAnswer::Allow { input: edited.as_ref().map(|edited| allowed(input, Some(edited))), rule }
        }
        (Body::Plan(_), Ruling::Answer(Answer::Plan(Review::Approve { edited }))) => {
            HookAnswer::Allow { input: Some(planned(input, edited.as_deref())), rule: None }
        }
        _ => HookAnswer::Deny { words: spoken(verdict).to_owned(), stop: stops(verdict) },
    })
}

/// The hook's output about a call. `follows`: another hook comes after this one, which can deny in our words.
pub fn answer(heard: &HookEvent, call: &ToolCall, follows: bool, view: &AskView) -> Option<String> {
    if let HookEventKind::Denied { .. } = &heard.what {
        return overrules(view).then(may_retry);
    }
    let said = said(view, call)?;
    let output = match (&heard.what, heard.agent) {
        (HookEventKind::Calling(_), _) => Output::Calling(calling(said, &view.ask.body, follows)?),
        (HookEventKind::Wanted { .. }, Agent::Claude) => Output::Wanted { decision: wanted(said) },
        (HookEventKind::Wanted { .. }, Agent::Codex) => Output::Wanted { decision: wanted(for_codex(said)) },
        _ => return None,
    };
    serde_json::to_string(&Hooked { hook_specific_output: output }).ok()
}

/// Whether a person lets the denied call through. Otherwise the denial stands, and its hook has nothing to say.
pub(super) fn overrules(view: &AskView) -> bool {
    let verdict = view.verdict.as_ref().filter(|_| view.state == State::Answered && view.ask.body.denied().is_some());
    verdict.is_some_and(|it| matches!(it.ruling, Ruling::Answer(Answer::Approval(Decision::Allow { .. }))))
}

/// Lets a call wait without its process. Only for a run without a terminal; it comes back with a resume.
pub fn defer() -> String {
    let output = Output::Calling(Calling { permission_decision: "defer", ..Calling::default() });
    serde_json::to_string(&Hooked { hook_specific_output: output }).expect("a word is JSON")
}

/// Gives an agent that has just finished something more to read.
pub fn say_more(text: &str) -> String {
    json!({"decision": "block", "reason": text}).to_string()
}

/// Gives an agent something to read along with the prompt of the person at its terminal.
pub fn say_along(text: &str) -> String {
    json!({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": text}}).to_string()
}

/// Words lost by a stop: Claude Code ends the turn, and its model reads a fixed sentence instead. They have to go along
/// with what it reads next.
pub fn swallowed(heard: &HookEvent, call: &ToolCall, view: &AskView) -> Option<String> {
    match (&heard.what, heard.agent, said(view, call)?) {
        (HookEventKind::Wanted { .. }, Agent::Claude, HookAnswer::Deny { words, stop: true }) => {
            Some(format!("When you were stopped, this was the reason: {words}"))
        }
        _ => None,
    }
}

/// Before a dialog, questions are answered by this hook. Everything else is left to the hook that passes our words on
/// as they are, if one follows.
fn calling(said: HookAnswer, body: &Body, follows: bool) -> Option<Calling> {
    match said {
        HookAnswer::Allow { input, .. } if matches!(body, Body::Questions(_)) || !follows => {
            Some(Calling { permission_decision: "allow", updated_input: input, ..Calling::default() })
        }
        HookAnswer::Deny { words, .. } if !follows => {
            let permission_decision_reason = Some(words);
            Some(Calling { permission_decision: "deny", permission_decision_reason, ..Calling::default() })
        }
        HookAnswer::Allow { .. } | HookAnswer::Deny { .. } => None,
    }
}

fn wanted(said: HookAnswer) -> PermissionDecision {
    match said {
        HookAnswer::Allow { input, rule } => PermissionDecision {
            behavior: "allow",
            updated_input: input,
            updated_permissions: rule.into_iter().collect(),
            ..PermissionDecision::default()
        },
        HookAnswer::Deny { words, stop } => PermissionDecision {
            behavior: "deny",
            message: Some(words),
            interrupt: stop,
            ..PermissionDecision::default()
        },
    }
}

/// Codex takes an allow or a deny with words, and nothing else.
fn for_codex(said: HookAnswer) -> HookAnswer {
    match said {
        HookAnswer::Allow { input: Some(input), .. } => {
            let words = format!("Denied as it is. The person allows it like this instead; call it again so: {input}");
            HookAnswer::Deny { words, stop: false }
        }
        HookAnswer::Allow { input: None, .. } => HookAnswer::Allow { input: None, rule: None },
        HookAnswer::Deny { words, .. } => HookAnswer::Deny { words, stop: false },
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Hooked {
    hook_specific_output: Output,
}

#[derive(Serialize)]
#[serde(tag = "hookEventName")]
enum Output {
    #[serde(rename = "PreToolUse")]
    Calling(Calling),
    #[serde(rename = "PermissionRequest")]
    Wanted { decision: PermissionDecision },
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Calling {
    permission_decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Box<RawValue>>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct PermissionDecision {
    behavior: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    updated_permissions: Vec<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupt: bool,
}
