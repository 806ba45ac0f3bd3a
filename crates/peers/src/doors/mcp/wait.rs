//! Waits for a person, for as long as the client lets us.

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_core::view::{AskView, State};

use super::era::status;
use super::hear::{acknowledged, result};
use super::outcome::Outcome;
use super::peer::{Mcp, McpRequest, PendingReply, WaitMode};
use super::rpc::{self, Fault, INVALID_PARAMS};
use super::{dialog, sse, tasks};
use crate::peer::{Cx, Outbox};
use crate::wish::{Query, Receipt, Watch};

impl Mcp {
    /// Takes the current state of an ask.
    pub(super) fn looked(&mut self, receipt: Receipt, cx: &mut Cx<'_>) {
        let (Some(view), Some(call)) = (receipt.view, &mut self.call) else { return };
        if call.outcome.is_some() {
            return;
        }
        if let Some(next) = view.moved_to {
            return self.follow(next, cx.out);
        }
        call.ask = Some(view.ask.id);
        if let McpRequest::TaskUpdate(_) = call.what {
            let answer = acknowledged(call);
            return self.finish(&answer, cx.out);
        }
        if view.state == State::Overtaken
            && let Some(words) = call.said_there.take()
        {
            return self.say(Outcome::SaidThere(words), cx.out);
        }
        if !view.state.is_open() {
            return self.say(Outcome::Settled(view), cx.out);
        }
        match &call.what {
            McpRequest::TaskGet(_) => return self.say(Outcome::Working(view), cx.out),
            McpRequest::Ask(asking) if call.takes_tasks && !asking.is_prompt() => {
                return self.say(Outcome::Working(view), cx.out);
            }
            _ => {}
        }
        if !call.is_watching {
            // A caller that may see the session may watch it. Look again: the ask may have ended in between.
            call.is_watching = true;
            cx.out.watches.push(Watch::Session { session: view.ask.id.session });
            self.query(PendingReply::Look, Query::Ask(view.ask.id), cx.out);
        } else if call.waiting == WaitMode::NotYet {
            self.wait(&view, cx);
        }
    }

    fn wait(&mut self, view: &AskView, cx: &mut Cx<'_>) {
        let Some(call) = &mut self.call else { return };
        let asked_at = view.ask.at;
        if cx.now >= call.until {
            return self.say(Outcome::Pending, cx.out);
        }
        if call.takes_events {
            call.waiting = WaitMode::Streaming { asked_at };
            sse::begin(cx.out);
            if let Some(token) = &call.progress {
                sse::progress(cx.out, token, asked_at, cx.now);
            }
            cx.out.wake_at = Some(call.until.min(cx.now.plus(limits::PROGRESS_EVERY)));
            self.open_dialog(view, cx);
        } else {
            call.waiting = WaitMode::Silent;
            cx.out.wake_at = Some(call.until);
        }
    }

    /// Writes progress, or gives up waiting.
    pub(super) fn waited(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        let call = self.call.as_ref()?;
        if call.outcome.is_some() || call.waiting == WaitMode::NotYet {
            return None;
        }
        if cx.now >= call.until {
            self.say(Outcome::Pending, cx.out);
            return None;
        }
        if let WaitMode::Streaming { asked_at } = call.waiting {
            match &call.progress {
                Some(token) => sse::progress(cx.out, token, asked_at, cx.now),
                None => sse::beat(cx.out),
            }
        }
        Some(call.until.min(cx.now.plus(limits::PROGRESS_EVERY)))
    }

    /// The client no longer waits for this call. The question stays open, and nothing counts as delivered.
    pub(super) fn given_up(&mut self, out: &mut Outbox) {
        if self.call.as_ref().is_some_and(|call| !call.is_over) {
            self.call = None;
            out.hang_up = Some((1000, "the client gave up on this call".to_owned()));
        }
    }

    /// A question was taken back.
    pub(super) fn withdrawn(&mut self, out: &mut Outbox) {
        let Some(call) = &mut self.call else { return };
        match &call.what {
            McpRequest::TaskCancel(_) => {
                let answer = acknowledged(call);
                self.finish(&answer, out);
            }
            _ => self.say(Outcome::TakenBack, out),
        }
    }

    /// Writes the result.
    pub(super) fn finish(&mut self, message: &serde_json::Value, out: &mut Outbox) {
        let Some(call) = &mut self.call else { return };
        call.is_over = true;
        dialog::close(call, out);
        match call.waiting {
            WaitMode::Streaming { .. } => sse::event(out, message),
            WaitMode::NotYet | WaitMode::Silent => sse::json(out, 200, Vec::new(), message),
        }
        out.hang_up = Some((1000, String::new()));
    }

    /// Writes the outcome of a task; nothing goes along with it.
    pub(super) fn say_task(&mut self, outcome: &Outcome, out: &mut Outbox) {
        let Some(call) = &mut self.call else { return };
        let message = match (outcome, &call.what) {
            (Outcome::Working(view), McpRequest::Ask(_)) => result(call, tasks::created(view)),
            (Outcome::Working(view) | Outcome::Settled(view), _) => result(call, tasks::state(view)),
            (outcome, _) => {
                let fault = Fault::new(INVALID_PARAMS, outcome.in_words().0);
                call.is_over = true;
                return sse::json(out, status(call.era, &fault), Vec::new(), &rpc::error(&call.id, &fault));
            }
        };
        self.finish(&message, out);
    }
}
