//! Handles Claude Code's control requests: each becomes an ask, or is answered at once.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use askbridge_core::ask::{Body, Reach};
use askbridge_core::event::{CallRuled, ToolRuling};
use askbridge_core::ids::{CallId, Raw};
use askbridge_core::rules::Moment;

use super::always::asks;
use super::asking;
use super::calls::{CallStage, PendingCall, ReplyChannel};
use super::consulting::HookedCall;
use super::mcp::{self, McpReply};
use super::peer::Claude;
use super::reply::{Hooked, Permission};
use super::say;
use super::wire::{ClaudeLine, HookInput, Request, Rpc, ToolCall};
use crate::consult::{Advice, Consulted};
use crate::peer::{Cx, Outbox};
use crate::tools::approval::{self, Beside};
use crate::tools::{held, ran, splice};

impl Claude {
    pub(super) fn control_request(&mut self, line: &ClaudeLine<'_>, cx: &mut Cx<'_>) {
        let (Some(id), Some(request)) = (&line.request_id, line.request) else {
            self.passed_over += 1;
            return;
        };
        let read = serde_json::from_str::<Request<'_>>(request.get());
        match read {
            Ok(read) => match &*read.subtype {
                "hook_callback" => self.hook(id, &read, cx.out),
                "can_use_tool" => self.can_use_tool(id, &read, cx.out),
                "mcp_message" => self.mcp_message(id, &read, cx.out),
                "elicitation" => self.elicitation(id, request, cx.out),
                other => {
                    self.passed_over += 1;
                    let why = format!("askbridge does not know requests of the kind `{other}`");
                    self.say(say::refusal(id, &why), cx.out);
                }
            },
            // Without an answer Claude Code would wait for ever.
            Err(_) => {
                self.passed_over += 1;
                self.say(say::refusal(id, "askbridge could not read this request"), cx.out);
            }
        }
    }

    fn hook(&mut self, id: &str, request: &Request<'_>, out: &mut Outbox) {
        let input = request.input.and_then(|input| serde_json::from_str::<HookInput<'_>>(input.get()).ok());
        let no_opinion = || say::response(id, json!({}));
        let Some(input) = input else { return self.say(no_opinion(), out) };
        match &*input.hook_event_name {
            "PreToolUse" => match HookedCall::of(request, &input) {
                Some(call) => self.before(id, call, out),
                None => self.say(no_opinion(), out),
            },
            "PostToolUse" | "PostToolUseFailure" => self.ran(id, request, &input, out),
            _ => self.reported(id, request, &input, out),
        }
    }

    /// A call is about to run, and the advisers have said what they think of it.
    pub(super) fn hooked(&mut self, id: &str, call: HookedCall, said: &Consulted, out: &mut Outbox) {
        let ruled = self.rule(&call.tool, call.input.as_deref(), Moment::BeforeTheCall);
        let always = asks(ruled.as_ref());
        // What always goes to a person can be denied without one, and not allowed.
        if (!always || said.is_denied()) && self.decided(id, &call, said, out) {
            return;
        }
        let advised = said.ruling.as_ref().filter(|advice| advice.ruling == ToolRuling::Ask);
        let advised = advised.filter(|_| !always && !held::HELD_TOOLS.contains(&call.tool.as_str()));
        let asked = match said.input.as_ref() {
            Some(input) => RawValue::from_string(input.as_str().to_owned()).ok().or(call.input),
            None => call.input,
        };
        let input = asked.as_deref();
        let body = match (always, advised) {
            (true, _) => approval::always(&call.tool, input).map(Body::Approval).map_err(Some),
            (false, Some(advice)) => approval::sent(&call.tool, input, &advice.rule).map(Body::Approval).map_err(Some),
            (false, None) => held::held(&call.tool, input),
        };
        let goes_to_a_person = always || advised.is_some();
        let ruled = ruled.or_else(|| advised.map(Advice::recorded));
        match body {
            Ok(body) => {
                if let Some(advice) = advised {
                    self.ruled(&call.call, &call.tool, advice.recorded(), out);
                }
                let mut asked = PendingCall::new(body, raw(input), ReplyChannel::Hook(id.to_owned()));
                asked.always = goes_to_a_person;
                asked.in_subagent = call.in_subagent;
                asked.mode = call.mode;
                asked.rewritten = said.input.is_some();
                asked.context = said.beside();
                asked.reach = if call.in_subagent { Reach::Held } else { Reach::Resumable };
                self.ask(call.call, asked, out);
            }
            // It may not run, and nothing else would prevent that.
            Err(why) if goes_to_a_person => {
                self.denied_by_rule(&call.call, &call.tool, ruled, out);
                let why = nobody(&why.unwrap_or_default());
                self.say(say::response(id, Hooked::deny(&why)), out);
            }
            // Not ours to judge: `can_use_tool` follows, and its response has words.
            Err(_) => {
                let changed = said.input.as_ref().map(|input| splice::untouched(input.as_str()));
                let hooked = Hooked::pass(changed).beside(said.beside());
                let line = if hooked.is_empty() { say::response(id, json!({})) } else { say::response(id, hooked) };
                self.say(line, out);
            }
        }
    }

    /// Records what a rule decided about a call: with the call, if that is to be stored later, or on its own.
    pub(super) fn ruled(&mut self, call: &str, tool: &str, ruled: CallRuled, out: &mut Outbox) {
        match self.unlinked.get_mut(call) {
            Some(made) => made.ruled = Some(ruled),
            None => self.record_ruling(call, tool, Some(ruled), out),
        }
    }

    /// A rule sent the call to a person, and none could be asked, so it is denied. Stored with the call, or on its own.
    fn denied_by_rule(&mut self, call: &str, tool: &str, ruled: Option<CallRuled>, out: &mut Outbox) {
        if let Some(ruled) = ruled {
            self.ruled(call, tool, CallRuled { ruling: ToolRuling::Deny, ..ruled }, out);
        }
    }

    /// A call has run; its result follows. Only this hook reports the input it ran with; a change is told to the model.
    fn ran(&mut self, id: &str, request: &Request<'_>, input: &HookInput<'_>, out: &mut Outbox) {
        let call = request.tool_use_id.as_deref().or(input.tool_use_id.as_deref());
        let folder = self.folder().map(str::to_owned);
        let call = call.and_then(|call| self.calls.get_mut(call)).filter(|call| matches!(call.body, Body::Approval(_)));
        let told = call.zip(input.tool_input).and_then(|(call, ran)| {
            call.ran = Some(Raw::from(ran.get()));
            ran::told(&input.hook_event_name, call.input.as_str(), call.verdict.as_ref(), ran.get(), folder.as_deref())
        });
        self.after(id, request, input, told, out);
    }

    fn can_use_tool(&mut self, id: &str, request: &Request<'_>, out: &mut Outbox) {
        let channel = ReplyChannel::CanUse(id.to_owned());
        let (Some(call), Some(tool)) = (request.tool_use_id.as_deref(), request.tool_name.as_deref()) else {
            let why = "askbridge was asked about a call without a name. Go on without it.";
            return self.say(say::response(id, Permission::deny(why, false)), out);
        };
        self.has_passed(call);
        if let Some(known) = self.calls.get_mut(call) {
            known.channel = Some(channel);
            known.cancelled = false;
            if matches!(known.stage, CallStage::Passing | CallStage::Told) {
                self.speak(call, out);
            }
            return;
        }
        let ruled = self.rule(tool, request.input, Moment::Permission);
        let always = asks(ruled.as_ref());
        let body = match (held::held(tool, request.input), ruled.as_ref().map(|ruled| ruled.ruling)) {
            (Ok(body), _) => Ok(body),
            (Err(Some(error)), _) => Err(error),
            (Err(None), Some(ToolRuling::Ask)) => approval::always(tool, request.input).map(Body::Approval),
            (Err(None), Some(ToolRuling::Allow)) => {
                self.record_ruling(call, tool, ruled, out);
                let allow = Permission::allow(splice::untouched(raw(request.input).as_str()), Vec::new());
                return self.say(say::response(id, allow), out);
            }
            (Err(None), Some(ToolRuling::Deny)) => {
                let rule = ruled.as_ref().map_or("", |ruled| &ruled.rule).to_owned();
                self.record_ruling(call, tool, ruled, out);
                let why = format!("Denied by the rule `{rule}`; no person was asked. Go on without this call.");
                return self.say(say::response(id, Permission::deny(&why, false)), out);
            }
            (Err(None), None) => approval::of(tool, request.input, &beside(request)).map(Body::Approval),
        };
        match body {
            Ok(body) => {
                let mut asked = PendingCall::new(body, raw(request.input), channel);
                asked.always = always;
                asked.in_subagent = request.agent_id.is_some();
                asked.reach = if asked.in_subagent { Reach::Held } else { Reach::Resumable };
                self.ask(call.to_owned(), asked, out);
            }
            Err(why) => {
                if always {
                    self.denied_by_rule(call, tool, ruled, out);
                }
                self.say(say::response(id, Permission::deny(&nobody(&why), false)), out);
            }
        }
    }

    /// Stores what a rule decided about a call, once, however often Claude Code asks.
    fn record_ruling(&self, call: &str, tool: &str, ruled: Option<CallRuled>, out: &mut Outbox) {
        if let Some(ruled) = ruled {
            self.record(format!("ruled/{call}"), ruled.event(CallId::from(call), tool.to_owned()), out);
        }
    }

    fn mcp_message(&mut self, id: &str, request: &Request<'_>, out: &mut Outbox) {
        let rpc = request.message.and_then(|message| serde_json::from_str::<Rpc<'_>>(message.get()).ok());
        let Some(rpc) = rpc.filter(|_| request.server_name.as_deref() == Some(mcp::SERVER)) else {
            return self.say(say::refusal(id, "askbridge serves no such MCP server"), out);
        };
        match mcp::wanted(rpc.method.as_deref().unwrap_or_default(), rpc.params) {
            McpReply::Answer(result) => self.say(say::response(id, mcp::response(rpc.id, result)), out),
            McpReply::Nothing => self.say(say::response(id, mcp::response(None, json!({}))), out),
            McpReply::Ask => self.own_tool(id, &rpc, out),
        }
    }

    fn own_tool(&mut self, id: &str, rpc: &Rpc<'_>, out: &mut Outbox) {
        let call = rpc.params.and_then(|params| serde_json::from_str::<ToolCall<'_>>(params.get()).ok());
        let asked = call.as_ref().map(|call| (call, held::questions(call.arguments)));
        match asked {
            Some((call, Ok(body))) if mcp::TOOL.ends_with(&call.name) => {
                let name = call.meta.as_ref().and_then(|meta| meta.tool_use_id.clone());
                let name = name.unwrap_or_else(|| format!("mcp/{id}"));
                let rpc_id = rpc.id.and_then(|id| serde_json::from_str(id.get()).ok()).unwrap_or(Value::Null);
                let mut asked = PendingCall::new(body, raw(call.arguments), ReplyChannel::Mcp(id.to_owned(), rpc_id));
                asked.in_subagent = !self.running.contains_key(&name);
                self.ask(name, asked, out);
            }
            Some((_, Err(why))) => {
                let said = mcp::said(&format!("The question was not asked: {why}."), true);
                self.say(say::response(id, mcp::response(rpc.id, said)), out);
            }
            _ => self.say(say::response(id, mcp::response(rpc.id, Value::Null)), out),
        }
    }

    fn elicitation(&mut self, id: &str, request: &RawValue, out: &mut Outbox) {
        match asking::form(request) {
            Ok(form) => {
                let mut asked =
                    PendingCall::new(Body::Form(form), raw(Some(request)), ReplyChannel::Elicitation(id.to_owned()));
                // It belongs to a tool's call, which has its own entry in `running`.
                asked.in_subagent = true;
                self.ask(format!("elicitation/{id}"), asked, out);
            }
            Err(_) => {
                self.passed_over += 1;
                self.say(say::response(id, json!({"action": "cancel"})), out);
            }
        }
    }
}

fn beside<'a>(request: &'a Request<'_>) -> Beside<'a> {
    let reason = [&request.decision_reason, &request.blocked_path];
    Beside {
        named: request.title.as_deref().or(request.description.as_deref()),
        reason: reason.into_iter().flatten().map(|text| &**text).collect(),
        suggestions: request.permission_suggestions,
    }
}

fn raw(input: Option<&RawValue>) -> Raw {
    Raw::from(input.map_or("{}", |input| input.get()))
}

fn nobody(why: &str) -> String {
    format!("Nobody could be asked: {why}. Change the call, or go on without it.")
}
