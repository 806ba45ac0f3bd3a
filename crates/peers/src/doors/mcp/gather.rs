//! Writes the result of a call, together with what the agent has not been told yet.

use askbridge_core::event::Parcel;

use super::ask::parcel;
use super::hear::result;
use super::outcome::{Outcome, dialog_closed, pending, settled};
use super::peer::{Mcp, McpRequest, PendingReply};
use super::{prompt, sse};
use crate::ask_tool;
use crate::peer::{EndsWith, Outbox};
use crate::wish::{Query, Receipt, Wish};

/// Earlier answers that go along with one result. Beyond: they go with the next.
const ANSWERS_MAX: usize = 8;

impl Mcp {
    /// Sets the outcome, and fetches what has to go along with it.
    pub(super) fn say(&mut self, outcome: Outcome, out: &mut Outbox) {
        let Some(call) = &mut self.call else { return };
        if call.outcome.is_some() {
            return;
        }
        if let Outcome::Settled(view) = &outcome {
            call.parcels.extend(parcel(view));
        }
        let is_task =
            matches!(call.what, McpRequest::TaskGet(_) | McpRequest::TaskUpdate(_) | McpRequest::TaskCancel(_))
                || matches!(outcome, Outcome::Working(_));
        if is_task {
            return self.say_task(&outcome, out);
        }
        call.outcome = Some(outcome);
        match &call.what {
            // Takes a decision, and nothing besides.
            McpRequest::Ask(asking) if asking.is_prompt() => self.respond(out),
            _ => {
                let session = call.client_session.session;
                self.query(PendingReply::Session, Query::Session(session), out);
            }
        }
    }

    /// Takes what waits in the session.
    pub(super) fn gathered(&mut self, receipt: Receipt, out: &mut Outbox) {
        let (Some(view), Some(call)) = (receipt.session_view, &mut self.call) else { return self.respond(out) };
        if let Some(next) = view.end.as_ref().and_then(|end| call.after(end)) {
            return self.query(PendingReply::Session, Query::Session(next), out);
        }
        for (message, text) in view.queued {
            call.news.push(format!("The person says: {text}"));
            call.parcels.push(Parcel::Message(message));
        }
        let own = call.ask;
        let settled = view.waiting.iter().filter(|waiting| !waiting.is_open && Some(waiting.ask) != own);
        let settled: Vec<_> = settled.take(ANSWERS_MAX).map(|waiting| waiting.ask).collect();
        call.looking = settled.len();
        for ask in &settled {
            self.query(PendingReply::News, Query::Ask(*ask), out);
        }
        if settled.is_empty() {
            self.respond(out);
        }
    }

    pub(super) fn heard_news(&mut self, receipt: Receipt, out: &mut Outbox) {
        let Some(call) = &mut self.call else { return };
        call.looking = call.looking.saturating_sub(1);
        if let Some(view) = receipt.view.filter(|view| !view.state.is_open()) {
            let (about, said) = (view.ask.body.headline(), settled(&view));
            call.news.push(format!("About your earlier question “{about}” (ticket {}): {said}", view.ask.id));
            call.parcels.extend(parcel(&view));
        }
        if call.looking == 0 {
            self.respond(out);
        }
    }

    /// Writes outcome and news.
    pub(super) fn respond(&mut self, out: &mut Outbox) {
        let Some(call) = &self.call else { return };
        let Some(outcome) = call.outcome.as_ref().filter(|_| !call.is_over) else { return };
        let said = match (&call.what, outcome) {
            (McpRequest::Ask(asking), outcome) if asking.is_prompt() => {
                ask_tool::said(&prompt::decision(asking, outcome), false)
            }
            (_, outcome) => {
                let (mut words, is_error) = match (outcome, call.ask) {
                    (Outcome::Pending, Some(ask)) => (pending(&ask.to_string()), false),
                    (Outcome::DialogClosed, Some(ask)) => (dialog_closed(&ask.to_string()), false),
                    (outcome, _) => outcome.in_words(),
                };
                for news in &call.news {
                    words.push_str("\n\n");
                    words.push_str(news);
                }
                ask_tool::said(&words, is_error)
            }
        };
        let message = result(call, said);
        self.finish(&message, out);
    }

    /// A client leaves, and its session ends: at once, or with the last question whose answer a ticket still finds.
    pub(super) fn leaving(&mut self, receipt: Receipt, out: &mut Outbox) {
        let (Some(view), Some(call)) = (receipt.session_view, &mut self.call) else { return self.left(out) };
        match view.end {
            None if view.waiting.iter().all(|waiting| !waiting.is_open) => {
                let close = Wish::Close { session: view.id, why: Some("the agent's program ended".to_owned()) };
                self.wish(PendingReply::Left, close, out);
            }
            None => {
                out.endings.push((view.id, EndsWith::LastQuestion));
                self.left(out);
            }
            Some(end) => match call.after(&end) {
                Some(next) => self.query(PendingReply::Leaving, Query::Session(next), out),
                None => self.left(out),
            },
        }
    }

    pub(super) fn left(&mut self, out: &mut Outbox) {
        sse::nothing(out, 204);
    }
}
