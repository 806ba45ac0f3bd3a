//! Turns calls into asks, stores them, and finds an ask again when its call comes again.

use serde_json::Value;
use serde_json::value::RawValue;

use askbridge_core::ask::{Body, Context, Form};
use askbridge_core::event::{CallMade, Parcel, Settings};
use askbridge_core::ids::{AskId, CallId, Key};
use askbridge_core::limits::ALONG_BYTES_MAX;
use askbridge_core::terms::{Wait, Warm, Wishes};
use askbridge_core::verdict::{Ruling, Verdict};
use askbridge_core::view::State;
use askbridge_core::wild;

use super::NAME;
use super::calls::{CallStage, PendingCall};
use super::peer::{Claude, PendingReply};
use crate::json;
use crate::peer::{Cx, Outbox};
use crate::tools::approval;
use crate::wish::{AskWish, Query, Receipt, Rejection, Wish};

/// Bytes of the agent's last text that go along with an ask.
const CONTEXT_BYTES_MAX: usize = 4096;

pub(super) fn form(request: &RawValue) -> Result<Form, String> {
    let value = json::parse(request.get()).ok_or("it is not JSON")?;
    wild::form(&value, &json::raw).map_err(|error| error.to_string())
}

impl Claude {
    /// Asks, or finds the earlier ask: a call is one ask, however often it comes.
    pub(super) fn ask(&mut self, id: String, call: PendingCall, out: &mut Outbox) {
        self.came_back(&id);
        if let Some(known) = self.calls.get_mut(&id) {
            known.channel = call.channel;
            known.cancelled = false;
            if matches!(known.stage, CallStage::Passing | CallStage::Told) {
                self.speak(&id, out);
            }
            return;
        }
        let mut call = call;
        // When lines are replayed after a restart, the call may be stored already, on its own.
        if self.woken {
            let is_small = |made: &CallMade| made.input.as_str().len() <= ALONG_BYTES_MAX;
            call.made = self.unlinked.get(&id).is_some_and(is_small).then(|| self.unlinked.remove(&id)).flatten();
            call.returns_along = true;
        }
        let wish = self.wish_for(&id, &call);
        self.calls.insert(id.clone(), call);
        self.wish(PendingReply::Ask(id), wish, out);
    }

    fn wish_for(&self, id: &str, call: &PendingCall) -> Wish {
        let settings = self.settings.as_deref();
        let context = Context {
            text: self.last_text.clone(),
            title: settings.and_then(|settings| settings.title.clone()),
            folder: settings.and_then(|settings| settings.folder.clone()),
            branch: settings.and_then(|settings| settings.branch.clone()),
            more: approval::shown(&call.body),
        };
        Wish::Ask(Box::new(AskWish {
            door: NAME,
            session: Some(self.session),
            agent: None,
            body: call.body.clone(),
            wishes: Wishes { wait: self.held_for(call), ..Wishes::default() },
            reach: call.reach,
            call: Some(CallId::from(id)),
            made: call.made.clone(),
            context,
            key: Some(Key::from(id)),
            original: Some(call.input.clone()),
        }))
    }

    /// How long a permission that cannot be parked waits: its process is kept as long as it is open. The session's own
    /// deadline applies instead if it is shorter, or if the session sets no hold time. A denial has a time of its own.
    fn held_for(&self, call: &PendingCall) -> Option<Wait> {
        if call.is_denied() {
            return self.waits_at_denials().then_some(Wait::For(self.denied_wait));
        }
        let settings = self.settings.as_ref();
        let session = settings.and_then(|settings| settings.wishes.wait);
        let is_parkable = call.is_held_at_the_hook() && self.comes_back(call);
        let is_held = matches!(call.body, Body::Approval(_)) && !is_parkable;
        let hold = self.hold_max.filter(|_| is_held)?;
        match session {
            None => Some(Wait::For(hold)),
            Some(Wait::For(wait)) if wait <= hold => None,
            Some(_) => settings.is_some_and(|settings| names_a_hold(settings)).then_some(Wait::For(hold)),
        }
    }

    /// Retries the asks that failed while the journal was down.
    pub(super) fn ask_again(&mut self, out: &mut Outbox) {
        for id in std::mem::take(&mut self.unasked) {
            let Some(call) = self.calls.get(&id) else { continue };
            let wish = self.wish_for(&id, call);
            self.wish(PendingReply::Ask(id), wish, out);
        }
    }

    pub(super) fn asked(&mut self, id: &str, receipt: &Receipt, out: &mut Outbox) {
        let Some(ask) = receipt.ask else { return };
        self.know(id, ask, out);
        if let Some(finished) = self.finished.remove(id) {
            return self.query(PendingReply::Finished(id.to_owned(), finished), Query::Ask(ask), out);
        }
        if self.leaving {
            return self.strand_held(out);
        }
        self.goes_on_denied(id, ask, out);
        if !receipt.news {
            self.query(PendingReply::Look(id.to_owned()), Query::Ask(ask), out);
        }
    }

    /// Learns the id of an ask, from the event or the receipt.
    pub(super) fn know(&mut self, id: &str, ask: AskId, out: &mut Outbox) {
        if let Some(made) = self.unlinked.remove(id) {
            self.record_call(id, made, Some(ask), out);
        }
        let Some(call) = self.calls.get_mut(id) else { return };
        call.ask = Some(ask);
        call.made = None;
        if call.stage == CallStage::Asking {
            call.stage = CallStage::Open;
        }
        if let Some(place) = self.early.iter().position(|(early, _)| *early == ask) {
            let (_, verdict) = self.early.swap_remove(place);
            self.settled(ask, verdict, out);
        }
    }

    /// Takes up an ask that was made before.
    pub(super) fn looked(&mut self, id: &str, receipt: Receipt, cx: &mut Cx<'_>) {
        let Some(view) = receipt.view else { return };
        let ask = view.ask.id;
        if let Some(call) = self.calls.get_mut(id) {
            call.messages = view.ask.terms.messages;
            // The warm time begins anew, because there was a reason to start the process.
            if let Warm::For(span) = view.ask.terms.warm {
                call.warm_until = Some(cx.now.plus(span));
            }
        }
        match (view.state, view.verdict) {
            (State::Withdrawn | State::Overtaken, _) => {
                let why = view.words.unwrap_or_default();
                self.taken_back(ask, &why, cx.out);
            }
            (_, Some(verdict)) => self.settled(ask, verdict, cx.out),
            (_, None) => {}
        }
    }

    /// Stores a call on its own, and after it the rule that decided about it.
    pub(super) fn record_call(&self, id: &str, made: CallMade, ask: Option<AskId>, out: &mut Outbox) {
        let (called, ruled) = made.events(CallId::from(id), ask);
        self.record(format!("call/{id}"), called, out);
        if let Some(ruled) = ruled {
            self.record(format!("ruled/{id}"), ruled, out);
        }
    }

    /// Stores a call on its own that was to be stored with its ask, if there will be no ask: the call or its process
    /// has ended. Returns whether that is so.
    pub(super) fn stands_alone(&mut self, id: &str, out: &mut Outbox) -> bool {
        let made = match self.finished.remove(id) {
            Some(finished) => finished.made,
            None if self.leaving => self.calls.get_mut(id).and_then(|call| call.made.take()),
            None => return false,
        };
        if let Some(made) = made {
            self.record_call(id, made, None, out);
        }
        true
    }

    /// It could not be asked. The agent is told so.
    pub(super) fn not_asked(&mut self, id: &str, rejection: &Rejection, out: &mut Outbox) {
        if self.stands_alone(id, out) {
            return;
        }
        if let Some(made) = self.calls.get_mut(id).and_then(|call| call.made.take()) {
            self.record_call(id, made, None, out);
        }
        let words = format!("Nobody could be asked: {rejection}. Go on without an answer, or ask again later.");
        if let Some(call) = self.calls.get_mut(id) {
            call.verdict = Some(Verdict { ruling: Ruling::Deny, words });
            self.speak(id, out);
        }
    }

    /// An ask of ours was settled, or was taken back.
    pub(super) fn settled(&mut self, ask: AskId, verdict: Verdict, out: &mut Outbox) {
        let known = self.calls.iter_mut().find(|(_, call)| call.ask == Some(ask));
        let Some((id, call)) = known else {
            // Settled by a rule before we learned its id, or an ask of an earlier process.
            if self.calls.values().any(|call| call.ask.is_none()) {
                self.early.push((ask, verdict));
            }
            return;
        };
        call.verdict = Some(verdict);
        if call.stage == CallStage::Open {
            call.stage = CallStage::Handing;
            let id = id.clone();
            self.wish(PendingReply::Handed(id), Wish::Hand { parcel: Parcel::Verdict(ask) }, out);
        }
    }

    /// The ask was taken back while the agent still waits. Nothing is delivered, so the result is stored on its own.
    pub(super) fn taken_back(&mut self, ask: AskId, why: &str, out: &mut Outbox) {
        for call in self.calls.values_mut().filter(|call| call.ask.is_none_or(|known| known == ask)) {
            call.returns_along = false;
        }
        let words = format!("This was taken back before anybody decided: {why}. Do not assume an answer.");
        self.settled(ask, Verdict { ruling: Ruling::Deny, words }, out);
    }

    /// Keeps the beginning of the agent's last text, as much as a card shows.
    pub(super) fn remember_text(&mut self, text: &str) {
        let text = &text[..text.floor_char_boundary(CONTEXT_BYTES_MAX)];
        self.last_text = Some(text.to_owned()).filter(|text| !text.trim().is_empty());
    }
}

/// Whether the session itself sets how long a permission is held.
fn names_a_hold(settings: &Settings) -> bool {
    let more = settings.more.as_ref().and_then(|more| serde_json::from_str::<Value>(more.as_str()).ok());
    more.is_some_and(|more| more["hold_max"]["seconds"].is_number())
}
