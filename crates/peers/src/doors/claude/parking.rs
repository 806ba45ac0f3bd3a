//! Decides when a question may be deferred so that its process can end, and defers it.
//!
//! Of two deferred calls of one message, only the last survives. A queued message destroys a deferred call. A deferred
//! call of a subagent is lost. So a call is deferred only when it is alone.

use askbridge_core::ids::Timestamp;

use super::calls::{CallStage, PendingCall, ReplyChannel};
use super::peer::{Claude, PendingReply};
use super::reply::Hooked;
use super::say;
use crate::peer::{Cx, Outbox};
use crate::wish::{AskRef, Wish};

impl Claude {
    /// Defers a question whose warm time is over, if nothing would be lost.
    pub(super) fn park_if_possible(&mut self, cx: &mut Cx<'_>) {
        let due = self.calls.iter().find(|(_, call)| {
            call.stage == CallStage::Open && call.ask.is_some() && call.warm_until.is_some_and(|until| until <= cx.now)
        });
        let Some(id) = due.map(|(id, _)| id.clone()) else { return };
        if !self.is_parkable(&id) || self.takes_messages_back(cx.out) {
            return;
        }
        let Some(call) = self.calls.get_mut(&id) else { return };
        if let Some(ReplyChannel::Hook(request)) = &call.channel {
            let line = say::response(request, Hooked::defer());
            call.stage = CallStage::Deferring;
            self.say(line, cx.out);
        }
    }

    fn is_parkable(&self, id: &str) -> bool {
        let Some(call) = self.calls.get(id) else { return false };
        // A call that came back after a resume belongs to a message of an earlier process.
        let message_is_whole = self.running.get(id).is_none_or(|message| self.streaming.as_ref() != Some(message));
        let is_alone = self.running.keys().all(|other| other == id) && self.calls.keys().all(|other| other == id);
        call.is_held_at_the_hook()
            && self.comes_back(call)
            && !call.cancelled
            && message_is_whole
            && is_alone
            && self.background_tasks == 0
            && !self.interrupting
    }

    /// Whether the call would come back to us after a resume. A call of an always-ask tool could run without our hooks,
    /// so it is parked only where a resumed process waits for them.
    pub(super) fn comes_back(&self, call: &PendingCall) -> bool {
        !call.in_subagent && (!call.always || self.is_recent)
    }

    /// The turn has ended with this call deferred: the process has nothing more to do.
    pub(super) fn deferred(&mut self, id: &str, out: &mut Outbox) {
        let Some(call) = self.calls.remove(id) else { return };
        self.is_over(id);
        self.parking = Some(id.to_owned());
        match call.ask {
            // Refused if it was settled meanwhile. The process leaves anyway: the answer starts it again.
            Some(ask) => self.wish(PendingReply::Parked, Wish::Park { ask: AskRef::Id(ask) }, out),
            None => self.leave(super::PARKED, "the question is parked", out),
        }
    }
}

impl Claude {
    /// The host is about to end. Parks what can be parked now.
    pub fn hurry(&mut self, cx: &mut Cx<'_>) {
        self.hurries = true;
        self.make_room(cx);
    }

    /// Until when a question that could be parked now is kept warm. `None`: there is none.
    pub fn parkable_until(&self) -> Option<Timestamp> {
        let waiting = self.calls.iter().filter(|(_, call)| call.stage == CallStage::Open && call.ask.is_some());
        let (id, until) = waiting.filter_map(|(id, call)| Some((id, call.warm_until?))).next()?;
        self.is_parkable(id).then_some(until)
    }

    /// The process slot is needed: parks the waiting question before its warm time is over.
    pub fn make_room(&mut self, cx: &mut Cx<'_>) {
        for call in self.calls.values_mut().filter(|call| call.warm_until.is_some()) {
            call.warm_until = Some(cx.now);
        }
        self.park_if_possible(cx);
    }

    /// Returns the deferred call, if there is one: the process then has nothing more to do.
    pub fn parked_call(&self) -> Option<&str> {
        self.parking.as_deref()
    }

    /// Whether a question is being parked.
    pub fn is_parking(&self) -> bool {
        let mut calls = self.calls.values();
        let about_to = match (calls.next(), calls.next()) {
            // Alone, and only its own message is incomplete, or its ask is not durable yet.
            (Some(call), None) => {
                let unripe = call.stage == CallStage::Asking || (call.warm_until.is_some() && self.streaming.is_some());
                call.is_undecided() && call.is_held_at_the_hook() && self.comes_back(call) && unripe
            }
            _ => false,
        };
        about_to || self.parking.is_some() || self.calls.values().any(|call| call.stage == CallStage::Deferring)
    }
}
