//! Calls → asks: what is asked, made durable, and found again when it was asked before.

use serde_json::value::RawValue;

use askbridge_core::ask::{Body, Context, Form};
use askbridge_core::event::{Event, Parcel};
use askbridge_core::ids::{AskId, CallId, Key};
use askbridge_core::terms::{Wait, Warm, Wishes};
use askbridge_core::verdict::{Ruling, Verdict};
use askbridge_core::view::State;
use askbridge_core::wild;

use super::NAME;
use super::calls::{Call, Stage};
use super::peer::{Awaited, Claude};
use crate::json;
use crate::peer::{Cx, Outbox};
use crate::tools::approval;
use crate::wish::{AskWish, Query, Receipt, Rejection, Wish};

/// Bytes of what the agent said last that go along with an ask.
const CONTEXT_BYTES_MAX: usize = 4096;

pub(super) fn form(request: &RawValue) -> Result<Form, String> {
    let value = json::parse(request.get()).ok_or("it is not JSON")?;
    wild::form(&value, &json::raw).map_err(|error| error.to_string())
}

impl Claude {
    /// Asks, or finds what was asked before: a call is one ask, however often it comes.
    pub(super) fn ask(&mut self, id: String, call: Call, out: &mut Outbox) {
        self.came_back(&id);
        if let Some(known) = self.calls.get_mut(&id) {
            known.way = call.way;
            known.cancelled = false;
            if matches!(known.stage, Stage::Passing | Stage::Told) {
                self.speak(&id, out);
            }
            return;
        }
        let wish = self.wish_for(&id, &call);
        self.calls.insert(id.clone(), call);
        self.wish(Awaited::Ask(id), wish, out);
    }

    fn wish_for(&self, id: &str, call: &Call) -> Wish {
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
            context,
            key: Some(Key::from(id)),
            original: Some(call.input.clone()),
        }))
    }

    /// A permission of another tool keeps its process as long as it is open. What the session wishes for goes first.
    fn held_for(&self, call: &Call) -> Option<Wait> {
        let session = self.settings.as_ref().and_then(|settings| settings.wishes.wait);
        let is_parkable = call.is_held_at_the_hook() && self.comes_back(call);
        let is_held = matches!(call.body, Body::Approval(_)) && !is_parkable && session.is_none();
        self.hold_max.filter(|_| is_held).map(Wait::For)
    }

    /// The journal was down. What waits is asked now.
    pub(super) fn ask_again(&mut self, out: &mut Outbox) {
        for id in std::mem::take(&mut self.unasked) {
            let Some(call) = self.calls.get(&id) else { continue };
            let wish = self.wish_for(&id, call);
            self.wish(Awaited::Ask(id), wish, out);
        }
    }

    pub(super) fn asked(&mut self, id: &str, receipt: &Receipt, out: &mut Outbox) {
        let Some(ask) = receipt.ask else { return };
        self.know(id, ask, out);
        if let Some(finished) = self.finished.remove(id) {
            return self.query(Awaited::Finished(id.to_owned(), finished), Query::Ask(ask), out);
        }
        if self.leaving {
            return self.strand_held(out);
        }
        if !receipt.news {
            self.query(Awaited::Look(id.to_owned()), Query::Ask(ask), out);
        }
    }

    /// Learns the id of an ask, by being told of it or by the receipt.
    pub(super) fn know(&mut self, id: &str, ask: AskId, out: &mut Outbox) {
        if let Some(Event::ToolCalled { call, name, input, .. }) = self.unlinked.remove(id) {
            let event = Event::ToolCalled { call, name, input, ask: Some(ask) };
            self.record(format!("call/{id}"), event, out);
        }
        let Some(call) = self.calls.get_mut(id) else { return };
        call.ask = Some(ask);
        if call.stage == Stage::Asking {
            call.stage = Stage::Open;
        }
        if let Some(place) = self.early.iter().position(|(early, _)| *early == ask) {
            let (_, verdict) = self.early.swap_remove(place);
            self.settled(ask, verdict, out);
        }
    }

    /// Learns how an ask stands that was made before.
    pub(super) fn looked(&mut self, id: &str, receipt: Receipt, cx: &mut Cx<'_>) {
        let Some(view) = receipt.view else { return };
        let ask = view.ask.id;
        if let Some(call) = self.calls.get_mut(id) {
            call.messages = view.ask.terms.messages;
            // It is warm anew: somebody had a reason to start the process.
            if let Warm::For(span) = view.ask.terms.warm {
                call.warm_until = Some(cx.now.plus(span));
            }
        }
        match (view.state, view.verdict) {
            (State::Withdrawn | State::Overtaken, _) => {
                let why = view.words.unwrap_or_default();
                self.settled(ask, taken_back(&why), cx.out);
            }
            (_, Some(verdict)) => self.settled(ask, verdict, cx.out),
            (_, None) => {}
        }
    }

    /// It could not be asked. The agent is told so, and nobody decides.
    pub(super) fn not_asked(&mut self, id: &str, rejection: &Rejection, out: &mut Outbox) {
        let words = format!("Nobody could be asked: {rejection}. Go on without an answer, or ask again later.");
        if let Some(call) = self.calls.get_mut(id) {
            call.verdict = Some(Verdict { ruling: Ruling::Deny, words });
            self.speak(id, out);
        }
    }

    /// An ask of ours was settled, or need not be decided any more.
    pub(super) fn settled(&mut self, ask: AskId, verdict: Verdict, out: &mut Outbox) {
        let known = self.calls.iter_mut().find(|(_, call)| call.ask == Some(ask));
        let Some((id, call)) = known else {
            // Settled by a rule before we were told its name; or of an earlier process.
            if self.calls.values().any(|call| call.ask.is_none()) {
                self.early.push((ask, verdict));
            }
            return;
        };
        call.verdict = Some(verdict);
        if call.stage == Stage::Open {
            call.stage = Stage::Handing;
            let id = id.clone();
            self.wish(Awaited::Handed(id), Wish::Hand { parcel: Parcel::Verdict(ask) }, out);
        }
    }

    /// Remembers what the agent said last, as much of it as a card shows.
    pub(super) fn remember_text(&mut self, text: &str) {
        let end = (0..=text.len().min(CONTEXT_BYTES_MAX)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        self.last_text = Some(text[..end].to_owned()).filter(|text| !text.trim().is_empty());
    }
}

/// What an agent is told that still waits for something nobody has to decide any more.
pub(super) fn taken_back(why: &str) -> Verdict {
    let words = format!("This was taken back before anybody decided: {why}. Do not assume an answer.");
    Verdict { ruling: Ruling::Deny, words }
}
