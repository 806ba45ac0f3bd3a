//! Asks the advisers about what Claude Code's hooks report, and answers each hook with what they say.
//!
//! The query is answered later; other lines are handled meanwhile. A hook whose request Claude Code cancels, or that it
//! has gone past (its call asked for permission, or has a result), gets no answer.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use askbridge_core::event::ToolRuling;
use askbridge_core::ids::Raw;
use askbridge_core::limits::ADVISED_RESULT_BYTES_MAX;

use super::NAME;
use super::peer::{Claude, PendingReply};
use super::reply::Hooked;
use super::say;
use super::wire::{HookInput, Request};
use crate::consult::{Consultation, Consulted, Occurrence, OccurrenceKind, last_words};
use crate::json::Lent;
use crate::peer::Outbox;
use crate::tools::{ToolCall, splice};
use crate::wish::{Query, Receipt, Rejection};

/// In every denial of ours.
const DENIED: &str = "no person was asked";

/// A hook's request that waits for the advisers.
#[derive(Debug)]
pub(super) struct AdvisedHook {
    /// The request's id.
    pub(super) request: String,
    waits: Waiting,
}

/// What is known of such a request meanwhile.
#[derive(Debug)]
pub(super) struct Consulting {
    /// The call that it is about.
    call: Option<String>,
    /// The call has failed with this result. Then the hook is not answered any more.
    denied_with: Option<String>,
}

/// What is done with the advice.
#[derive(Debug)]
enum Waiting {
    Before(HookedCall),
    /// A call has run, and this is what the model reads about its input anyway.
    After {
        event: &'static str,
        told: Option<Value>,
    },
    /// Anything that is not about a call.
    Event(&'static str),
    /// Claude Code itself denied the call.
    Denied {
        call: HookedCall,
        why: String,
    },
}

/// A call that is about to run, as its hook reports it.
#[derive(Debug)]
pub(super) struct HookedCall {
    pub(super) call: String,
    pub(super) tool: String,
    pub(super) input: Option<Box<RawValue>>,
    pub(super) in_subagent: bool,
    pub(super) mode: Option<String>,
}

impl HookedCall {
    /// Reads it. `None`: it names no call.
    pub(super) fn of(request: &Request<'_>, input: &HookInput<'_>) -> Option<Self> {
        let call = request.tool_use_id.as_deref().or(input.tool_use_id.as_deref())?;
        Some(Self {
            call: call.to_owned(),
            tool: input.tool_name.as_deref()?.to_owned(),
            input: input.tool_input.map(ToOwned::to_owned),
            in_subagent: input.agent_id.is_some() || request.agent_id.is_some(),
            mode: input.permission_mode.as_deref().map(str::to_owned),
        })
    }

    pub(super) fn named(&self) -> ToolCall {
        let input = Raw::from(self.input.as_deref().map_or("{}", RawValue::get));
        ToolCall { id: Some(self.call.clone()), tool: self.tool.clone(), input }
    }
}

impl Claude {
    /// Asks the advisers about a call that is about to run, if any looks at calls.
    pub(super) fn before(&mut self, request: &str, call: HookedCall, out: &mut Outbox) {
        if !self.consulted.has(OccurrenceKind::Calling) {
            return self.hooked(request, call, &Consulted::default(), out);
        }
        let what = Occurrence::Calling(call.named());
        let (in_subagent, mode) = (call.in_subagent, call.mode.clone());
        self.consult(request, what, in_subagent, mode, Waiting::Before(call), out);
    }

    /// Tells the advisers of a call that has run, if any looks at that. `told`: what the model reads about its input.
    pub(super) fn after(
        &mut self,
        request: &str,
        hook: &Request<'_>,
        input: &HookInput<'_>,
        told: Option<Value>,
        out: &mut Outbox,
    ) {
        let call = HookedCall::of(hook, input).filter(|_| self.consulted.has(OccurrenceKind::Called));
        let Some(call) = call else {
            return self.say(say::response(request, told.unwrap_or_else(|| json!({}))), out);
        };
        let failed = input.hook_event_name == "PostToolUseFailure";
        let event = if failed { "PostToolUseFailure" } else { "PostToolUse" };
        let response = input.tool_response.filter(|response| response.get().len() <= ADVISED_RESULT_BYTES_MAX);
        let response = response.map(|response| Raw::from(response.get()));
        let what = Occurrence::Called { call: call.named(), response, failed };
        self.consult(request, what, call.in_subagent, call.mode.clone(), Waiting::After { event, told }, out);
    }

    /// Asks the advisers about an event that only they look at.
    pub(super) fn reported(&mut self, request: &str, hook: &Request<'_>, input: &HookInput<'_>, out: &mut Outbox) {
        let text = |text: &Option<Lent<'_>>| text.as_deref().unwrap_or_default().to_owned();
        let known = match &*input.hook_event_name {
            "SessionStart" => ("SessionStart", Occurrence::SessionBegan { source: text(&input.source) }),
            "UserPromptSubmit" => ("UserPromptSubmit", Occurrence::Prompted { text: text(&input.prompt) }),
            "Stop" => {
                let last_message = input.last_assistant_message.as_deref().map(last_words);
                ("Stop", Occurrence::TurnEnded { again: input.stop_hook_active, last_message })
            }
            "PreCompact" => ("PreCompact", Occurrence::Compacting { trigger: text(&input.trigger) }),
            "SessionEnd" => ("SessionEnd", Occurrence::SessionEnded { why: text(&input.reason) }),
            "PermissionDenied" => match HookedCall::of(hook, input) {
                Some(call) => return self.reported_denial(request, call, text(&input.reason), out),
                None => return self.say(say::response(request, json!({})), out),
            },
            _ => return self.say(say::response(request, json!({})), out),
        };
        let (event, what) = known;
        if !self.consulted.has(what.kind()) {
            return self.say(say::response(request, json!({})), out);
        }
        let mode = input.permission_mode.as_deref().map(str::to_owned);
        self.consult(request, what, input.agent_id.is_some(), mode, Waiting::Event(event), out);
    }

    /// Asks the advisers about a denial, and then a person.
    fn reported_denial(&mut self, request: &str, call: HookedCall, why: String, out: &mut Outbox) {
        if !self.consulted.has(OccurrenceKind::Denied) {
            return self.say(say::response(request, json!({})), out);
        }
        // It is past the hook before the call.
        self.has_passed(&call.call);
        let what = Occurrence::Denied { call: call.named(), reason: why.clone() };
        let (in_subagent, mode) = (call.in_subagent, call.mode.clone());
        self.consult(request, what, in_subagent, mode, Waiting::Denied { call, why }, out);
    }

    fn consult(
        &mut self,
        request: &str,
        mut what: Occurrence,
        in_subagent: bool,
        mode: Option<String>,
        waits: Waiting,
        out: &mut Outbox,
    ) {
        let is_cut = match &mut what {
            Occurrence::Calling(call) | Occurrence::Called { call, .. } | Occurrence::Denied { call, .. } => call.cut(),
            _ => false,
        };
        let call = what.call().and_then(|call| call.id.clone());
        let settings = self.settings.as_deref();
        let about = Consultation {
            id: Some(request.to_owned()),
            session: self.session,
            door: NAME,
            agent: None,
            title: settings.and_then(|settings| settings.title.clone()),
            folder: settings.and_then(|settings| settings.folder.clone()),
            is_here: true,
            branch: settings.and_then(|settings| settings.branch.clone()),
            mode: mode.or_else(|| settings.and_then(|settings| settings.mode.clone())),
            in_subagent,
            is_cut,
            what,
        };
        self.consulting.insert(request.to_owned(), Consulting { call, denied_with: None });
        let hook = AdvisedHook { request: request.to_owned(), waits };
        // What is replayed after a restart may be over: its answer was given, and what it allowed once was used.
        if !self.woken {
            self.unconsulted.push((hook, about));
            return;
        }
        self.query(PendingReply::Consulted(Box::new(hook)), Query::Consult(Box::new(about)), out);
    }

    /// Asks the advisers about the hooks that still wait after a replay.
    pub(super) fn consult_about_the_rest(&mut self, out: &mut Outbox) {
        for (hook, about) in std::mem::take(&mut self.unconsulted) {
            // Of calls that have failed, only our own denials are still to be recorded.
            let failed = |known: &Consulting| known.denied_with.as_ref().is_some_and(|output| !output.contains(DENIED));
            if self.consulting.get(&hook.request).is_some_and(failed) {
                self.consulting.remove(&hook.request);
            }
            if self.consulting.contains_key(&hook.request) {
                self.query(PendingReply::Consulted(Box::new(hook)), Query::Consult(Box::new(about)), out);
            }
        }
    }

    /// What is heard again after a restart has gone past its hooks that are about no call: they were answered.
    pub(super) fn went_on(&mut self) {
        if !self.woken {
            self.consulting.retain(|_, known| known.call.is_some());
        }
    }

    /// Claude Code has gone past the hook of this call.
    pub(super) fn has_passed(&mut self, call: &str) {
        self.consulting.retain(|_, known| known.call.as_deref() != Some(call) || known.denied_with.is_some());
    }

    /// A call has failed whose hook still waits: lines are heard again after a restart, and an earlier server answered.
    pub(super) fn failed(&mut self, call: &str, output: &str) {
        for known in self.consulting.values_mut().filter(|known| known.call.as_deref() == Some(call)) {
            known.denied_with = Some(output.to_owned());
        }
    }

    /// Records a denial that an earlier server told Claude Code, if it did not come to record it.
    fn recognise(&mut self, waits: Waiting, reply: Result<Receipt, Rejection>, output: &str, out: &mut Outbox) {
        let said = reply.ok().and_then(|receipt| receipt.consulted);
        let advice = said.and_then(|said| said.ruling).filter(|advice| advice.ruling == ToolRuling::Deny);
        if let (Waiting::Before(call), Some(advice)) = (waits, advice)
            && output.contains(&advice.said())
        {
            self.ruled(&call.call, &call.tool, advice.recorded(), out);
        }
    }

    /// The advisers have spoken.
    pub(super) fn advised(&mut self, hook: AdvisedHook, reply: Result<Receipt, Rejection>, out: &mut Outbox) {
        let Some(waiting) = self.consulting.remove(&hook.request) else { return };
        let request = hook.request;
        if let Some(output) = waiting.denied_with {
            return self.recognise(hook.waits, reply, &output, out);
        }
        let said = match reply {
            Ok(receipt) => receipt.consulted.map(|said| *said).unwrap_or_default(),
            // Nothing is known about the call, not even whether a person was asked about it.
            Err(rejection) if matches!(hook.waits, Waiting::Before(_)) => {
                let why =
                    format!("The rules could not be asked: {rejection}. Go on without this call, or try it again.");
                return self.say(say::response(&request, Hooked::deny(&why)), out);
            }
            Err(_) => Consulted::default(),
        };
        match hook.waits {
            Waiting::Before(call) => self.hooked(&request, call, &said, out),
            Waiting::After { event, told } => {
                let output = beside_a_result(event, told, said.beside());
                self.say(say::response(&request, output), out);
            }
            Waiting::Event(event) => self.say(say::response(&request, output(event, &said)), out),
            Waiting::Denied { call, why } if said.ruling() != Some(ToolRuling::Allow) => {
                self.denied(&request, &call, &why, out);
            }
            Waiting::Denied { .. } => self.say(say::response(&request, may_retry()), out),
        }
    }

    /// Answers the hook of a call on which no person is needed. Returns whether it did.
    pub(super) fn decided(&mut self, request: &str, call: &HookedCall, said: &Consulted, out: &mut Outbox) -> bool {
        let Some(advice) = said.ruling.as_ref().filter(|advice| advice.ruling != ToolRuling::Ask) else { return false };
        let hooked = match advice.ruling {
            ToolRuling::Deny => Hooked::deny(&advice.said()),
            // An approval of a question would be an answer without words.
            _ if call.named().asks_a_person() => return false,
            _ => {
                let input = said.input.as_ref().map(Raw::as_str);
                let input = input.unwrap_or_else(|| call.input.as_deref().map_or("{}", RawValue::get));
                Hooked::allow(splice::untouched(input)).beside(said.beside())
            }
        };
        self.ruled(&call.call, &call.tool, advice.recorded(), out);
        self.say(say::response(request, hooked), out);
        true
    }
}

/// What the hook after a call says: what ran, and what the advisers add.
fn beside_a_result(event: &str, told: Option<Value>, context: Option<String>) -> Value {
    let Some(context) = context else { return told.unwrap_or_else(|| json!({})) };
    let before = told.as_ref().and_then(|told| told["hookSpecificOutput"]["additionalContext"].as_str());
    let words = before.map_or_else(|| context.clone(), |before| format!("{before}\n\n{context}"));
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": words}})
}

/// Lets the model make a denied call again.
pub(super) fn may_retry() -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "PermissionDenied", "retry": true}})
}

/// The output of a hook that is not about a call.
fn output(event: &str, said: &Consulted) -> Value {
    let advice = said.ruling.as_ref();
    match (event, advice.map(|advice| advice.ruling)) {
        ("UserPromptSubmit" | "Stop" | "PreCompact", Some(ToolRuling::Deny)) => {
            json!({"decision": "block", "reason": advice.map(|advice| advice.words.as_str()).unwrap_or_default()})
        }
        ("SessionStart" | "UserPromptSubmit", _) => match said.beside() {
            Some(words) => json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": words}}),
            None => json!({}),
        },
        _ => json!({}),
    }
}
