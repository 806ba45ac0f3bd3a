//! A call that Claude Code's auto mode denied: asks a person whether to overrule that.
//!
//! The hook of the denial can only let the model try again, and that alone is denied again. So an overrule is recorded
//! in the session, and the hook before the next call allows that very call, once: the advisers look for it
//! (`bridge/src/consult`).

use serde_json::value::RawValue;
use serde_json::{Value, json};

use askbridge_core::answer::{Answer, Decision};
use askbridge_core::ask::Body;
use askbridge_core::ids::{AskId, Raw};
use askbridge_core::verdict::{Ruling, Verdict};

use super::calls::{PendingCall, ReplyChannel};
use super::consulting::{HookedCall, may_retry};
use super::peer::{Claude, PendingReply};
use super::say;
use crate::consult::OccurrenceKind;
use crate::peer::Outbox;
use crate::tools::{approval, asked_about};
use crate::wish::{AskRef, Wish};

impl Claude {
    /// Asks a person about a denial. `request`: its hook, which is held meanwhile.
    pub(super) fn denied(&mut self, request: &str, call: &HookedCall, why: &str, out: &mut Outbox) {
        let body = match approval::denied(&call.tool, call.input.as_deref(), why) {
            Ok(approval) => Body::Approval(approval),
            // Nothing that a person could decide about: the denial stands.
            Err(_) => return self.say(say::response(request, json!({})), out),
        };
        let input = Raw::from(call.input.as_deref().map_or("{}", RawValue::get));
        let mut asked = PendingCall::new(body, input, ReplyChannel::Denied(request.to_owned()));
        asked.in_subagent = call.in_subagent;
        self.ask(asked_about(&call.call), asked, out);
    }

    /// Whether Claude Code is made to wait for a person: not if it would not show us the next call, so that the person's
    /// yes could not take effect in this process.
    pub(super) fn waits_at_denials(&self) -> bool {
        self.consulted.has(OccurrenceKind::Calling) && !self.denied_wait.is_zero()
    }

    /// Lets Claude Code go on with its denial, if it is not made to wait. A later yes reaches it as a message.
    pub(super) fn goes_on_denied(&mut self, id: &str, ask: AskId, out: &mut Outbox) {
        if self.waits_at_denials() || !self.calls.get(id).is_some_and(PendingCall::is_denied) {
            return;
        }
        if let Some(ReplyChannel::Denied(request)) = self.calls.remove(id).and_then(|call| call.channel) {
            self.say(say::response(&request, json!({})), out);
            self.wish(PendingReply::Nothing, Wish::Strand { ask: AskRef::Id(ask) }, out);
        }
    }
}

/// The response to the hook of a denial.
pub(super) fn output(verdict: &Verdict) -> Value {
    match verdict.ruling {
        Ruling::Answer(Answer::Approval(Decision::Allow { .. })) => may_retry(),
        _ => json!({}),
    }
}
