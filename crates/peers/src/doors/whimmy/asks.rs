//! Questions and approvals of the plugin's agents, and their verdicts on the way back.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ask::{Approval, Ask, Body, Context, Reach};
use askbridge_core::event::Parcel;
use askbridge_core::ids::{AskId, CallId, Key, Raw, Timestamp};
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::{Wait, Wishes};
use askbridge_core::verdict::Verdict;
use askbridge_core::view::{AskView, SessionView, State};
use askbridge_core::wild;
use serde_json::{Value, json};

use super::chat::{SessionOnPlugin, start};
use super::peer::{PendingReply, Whimmy, send};
use super::plugin_session::{self, PluginSession};
use super::wire::{Payload, WhimmyFrame};
use super::{NAME, answer, quirks};
use crate::json;
use crate::peer::{Cx, Outbox};
use crate::wish::{AskRef, AskWish, Query, Rejection, Wish};

/// An ask that the plugin waits for.
pub(super) struct Carried {
    ask: Arc<Ask>,
    verdict: Option<Verdict>,
    ended: AskEnd,
    /// When the plugin silently stops waiting.
    gives_up_at: Timestamp,
    stranded: bool,
    /// It was asked in a chat, or in a session that continues one; otherwise in a session of its own.
    in_a_chat: bool,
}

/// How an ask ended, as far as this door distinguishes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskEnd {
    Answered,
    Dismissed,
    /// In another way, or not yet: a person may still answer.
    Otherwise,
}

impl Carried {
    fn of(ask: Arc<Ask>, since: Option<Timestamp>) -> Self {
        let more = ask.context.more.as_ref().and_then(|more| serde_json::from_str::<Value>(more.as_str()).ok());
        let more = more.unwrap_or_default();
        let wait = more["timeoutMs"].as_u64().map_or(quirks::WAIT, Duration::from_millis);
        let key = more["sessionKey"].as_str().unwrap_or_default();
        let in_a_chat = plugin_session::is_marked(ask.id.session) || PluginSession::named(key, "").marked().is_some();
        let gives_up_at = since.unwrap_or(ask.at).min(ask.at).plus(wait);
        Self { ask, verdict: None, ended: AskEnd::Otherwise, gives_up_at, stranded: false, in_a_chat }
    }

    /// When to mark the ask as stranded.
    pub(super) fn due_at(&self) -> Option<Timestamp> {
        (!self.stranded && self.verdict.is_none()).then_some(self.gives_up_at)
    }
}

impl Whimmy {
    pub(super) fn question(&mut self, payload: &Payload, original: &str, out: &mut Outbox) {
        let name = payload.question_id.as_str();
        if name.is_empty() {
            return;
        }
        let body = json::parse(&payload.questions.to_string())
            .map(|questions| wild::body(&wild::Wild::Map(vec![("questions".to_owned(), questions)]), &json::parse));
        let texts = || payload.questions.as_array().into_iter().flatten().filter_map(|it| it["question"].as_str());
        let why = match body {
            Some(Ok(Body::Questions(questions))) if questions.iter().all(|question| !question.secret) => {
                let key = format!("q:{name}");
                return self.wants(Body::Questions(questions), &key, name, payload, original, out);
            }
            Some(Ok(_)) => "only questions without secrets can be asked here".to_owned(),
            Some(Err(error)) => error.to_string(),
            None => "it has no questions".to_owned(),
        };
        send(&cannot(name, texts(), &why), out);
    }

    pub(super) fn approval(&mut self, payload: &Payload, original: &str, out: &mut Outbox) {
        let name = payload.execution_id.as_str();
        if name.is_empty() || payload.tool_name.is_empty() {
            return;
        }
        let input = if payload.params.is_null() { json!({}) } else { payload.params.clone() };
        let approval = Approval {
            tool: payload.tool_name.clone(),
            input: Raw::from(input.to_string()),
            summary: Some(payload.action.clone()).filter(|action| !action.is_empty()),
            reason: None,
            rules: Vec::new(),
            overrule: false,
        };
        self.wants(Body::Approval(approval), &format!("x:{name}"), name, payload, original, out);
    }

    /// Asks in the session that the event names, or in a session of its own if that one is not ours.
    fn wants(&mut self, body: Body, key: &str, name: &str, payload: &Payload, original: &str, out: &mut Outbox) {
        let plugin_session = PluginSession::named(&payload.session_key, &payload.agent_id);
        let wait = self.waits.get(&plugin_session.agent_id).copied().unwrap_or(quirks::WAIT);
        let more = json!({"sessionKey": &plugin_session.session_key, "agentId": &plugin_session.agent_id, "timeoutMs": wait.as_millis() as u64});
        let session = plugin_session.marked();
        let wish = AskWish {
            door: NAME,
            session: Some(session.unwrap_or_else(|| plugin_session::of_ask(key))),
            agent: Some(plugin_session.agent_id.clone()),
            body,
            // Our deadline is a little earlier than the plugin's.
            wishes: Wishes { wait: Some(Wait::For(wait.saturating_sub(quirks::MARGIN))), ..Wishes::default() },
            reach: Reach::Pull,
            call: Some(CallId::from(name)),
            made: None,
            context: Context { more: Some(Raw::from(more.to_string())), ..Context::default() },
            key: Some(Key::from(key)),
            original: Some(Raw::from(original)),
        };
        match session {
            Some(_) => self.ask(Box::new(wish), out),
            None => {
                let plugin_session = PluginSession { single: true, ..plugin_session };
                let start = start(plugin_session::of_ask(key), &plugin_session);
                self.wish(PendingReply::AskStart(Box::new(wish), Box::new(start.clone())), start, out);
            }
        }
    }

    pub(super) fn ask(&mut self, wish: Box<AskWish>, out: &mut Outbox) {
        self.wish(PendingReply::Asked(wish.clone()), Wish::Ask(wish), out);
    }

    /// Reports at once that an ask could not be shown, so that the agent does not wait for it.
    pub(super) fn not_asked(&mut self, wish: &AskWish, why: &Rejection, out: &mut Outbox) {
        // The session belongs to another account, whose socket gets the same event and asks.
        if matches!(why, Rejection::Refused(Refusal::UnknownSession(_)) | Rejection::Forbidden(_)) {
            return;
        }
        let name = wish.call.as_ref().map(CallId::as_str).unwrap_or_default();
        match &wish.body {
            Body::Questions(questions) => {
                let texts = questions.iter().map(|question| question.text.as_str());
                send(&cannot(name, texts, &why.to_string()), out);
            }
            _ => {
                let reason = Some(format!("Denied: this could not be shown to a person: {why}"));
                send(&WhimmyFrame::Approval { execution_id: name, approved: false, reason }, out);
            }
        }
    }

    pub(super) fn is_asked(&mut self, ask: Arc<Ask>) {
        let since = self.waits_since(&ask);
        self.asks.entry(ask.id).or_insert_with(|| Carried::of(ask, since));
    }

    /// When the plugin began to wait, for an ask that was retried.
    fn waits_since(&self, ask: &Ask) -> Option<Timestamp> {
        ask.key.as_ref().and_then(|key| self.again.get(key)).map(|again| again.since)
    }

    pub(super) fn settled(&mut self, ask: AskId, verdict: Verdict, ended: AskEnd, cx: &mut Cx<'_>) {
        let Some(carried) = self.asks.get_mut(&ask) else {
            // The ask is in a session that this connection has not read yet: fetch it with its verdict.
            return self.query(PendingReply::Unseen, Query::Ask(ask), cx.out);
        };
        if carried.verdict.is_some() {
            return;
        }
        (carried.verdict, carried.ended) = (Some(verdict), ended);
        let (is_late, stranded) = (carried.gives_up_at <= cx.now, carried.stranded);
        match (stranded, is_late) {
            // The answer comes as a message.
            (true, _) => drop(self.asks.remove(&ask)),
            (false, true) => self.wish(PendingReply::Nothing, Wish::Strand { ask: AskRef::Id(ask) }, cx.out),
            // The question's id is stable and the plugin waits for it once, so telling it again after a crash does no
            // harm and nothing has to be stored first.
            (false, false) => self.say_verdict(ask, cx.out),
        }
    }

    pub(super) fn stranded(&mut self, ask: AskId) {
        if let Some(carried) = self.asks.get_mut(&ask) {
            carried.stranded = true;
        }
    }

    fn say_verdict(&mut self, ask: AskId, out: &mut Outbox) {
        let Some(Carried { ask: asked, verdict: Some(verdict), ended, .. }) = self.asks.get(&ask) else { return };
        let (asked, verdict, ended) = (Arc::clone(asked), verdict.clone(), *ended);
        let said = match self.says_nothing_on(ended) {
            true => answer::nothing(&asked).or_else(|| answer::said(&asked, &verdict)),
            false => answer::said(&asked, &verdict),
        };
        if let Some(said) = said {
            self.hand_over(Parcel::Verdict(ask), &said, out);
        }
    }

    /// The plugin has the verdict. A session made for one ask is closed, unless the ask may still be answered late.
    pub(super) fn delivered(&mut self, parcel: Parcel, out: &mut Outbox) {
        let Parcel::Verdict(ask) = parcel else { return };
        let Some(carried) = self.asks.remove(&ask) else { return };
        if carried.ended != AskEnd::Otherwise && !carried.in_a_chat {
            let why = Some("it was there for one question".to_owned());
            self.wish(PendingReply::Nothing, Wish::Close { session: ask.session, why }, out);
        }
    }

    /// Strands the asks that the plugin stopped waiting for before their deadline: their answers will come as messages.
    pub(super) fn gave_up(&mut self, cx: &mut Cx<'_>) {
        let late = self.asks.values_mut().filter(|carried| carried.due_at().is_some_and(|at| at <= cx.now));
        let late: Vec<_> = late.map(|carried| (carried.stranded = true, carried.ask.id).1).collect();
        for ask in late {
            self.wish(PendingReply::Nothing, Wish::Strand { ask: AskRef::Id(ask) }, cx.out);
        }
    }

    /// Resumes a session of an earlier connection: its queued messages and its waiting asks.
    pub(super) fn came_back_to(&mut self, view: SessionView, cx: &mut Cx<'_>) {
        let Some(plugin_session) = PluginSession::of(&view.settings) else { return };
        if let Some(before) = plugin_session.marked().filter(|before| *before != view.id) {
            self.moved.insert(before, view.id);
        }
        let session_state = self.session_states.entry(view.id).or_insert_with(|| SessionOnPlugin::new(plugin_session));
        session_state.is_ready = true;
        session_state.sent_before.extend(view.handed);
        for (message, text) in view.queued {
            self.people_said(message, text, cx.out);
        }
        for waiting in view.waiting.iter().filter(|waiting| waiting.is_open || !waiting.stranded) {
            self.query(PendingReply::Look, Query::Ask(waiting.ask), cx.out);
        }
        // These messages may have to wait for a model as well.
        if self.model_until.is_some() {
            cx.out.wake_at = Some(self.next(cx.now));
        }
    }

    /// Takes up an ask of an earlier connection.
    pub(super) fn looked(&mut self, view: AskView, cx: &mut Cx<'_>) {
        if view.delivered_at.is_some() || matches!(view.state, State::Withdrawn | State::Overtaken) {
            return;
        }
        let since = self.waits_since(&view.ask);
        let carried = self.asks.entry(view.ask.id).or_insert_with(|| Carried::of(Arc::clone(&view.ask), since));
        carried.stranded |= view.stranded;
        if let Some(verdict) = view.verdict {
            let ended = match view.state {
                State::Answered => AskEnd::Answered,
                State::Dismissed => AskEnd::Dismissed,
                _ => AskEnd::Otherwise,
            };
            self.settled(view.ask.id, verdict, ended, cx);
        }
    }
}

fn cannot<'a>(name: &'a str, texts: impl Iterator<Item = &'a str>, why: &str) -> WhimmyFrame<'a> {
    let words = format!("This could not be shown to a person: {why}. Do not assume an answer.");
    let mut answers = answer::under_every(texts, &words);
    if answers.is_empty() {
        answers.insert("question".to_owned(), words);
    }
    WhimmyFrame::Answer { question_id: name, answers }
}
