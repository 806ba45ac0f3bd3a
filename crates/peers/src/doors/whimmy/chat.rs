//! Chats with the plugin's agents: messages are handed over one at a time, each when the turn before has ended.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use askbridge_core::event::Parcel;
use askbridge_core::ids::{CallId, MessageId, SessionId, Timestamp};
use askbridge_core::terms::{OtherTools, Terms};

use super::peer::{PendingReply, Whimmy, send};
use super::plugin_session::PluginSession;
use super::wire::{AgentConfig, Approvals, AskUserQuestion, Hook, WhimmyFrame};
use super::{NAME, quirks};
use crate::peer::{Cx, Outbox};
use crate::wish::{Query, Wish};

/// How long an agent may work in silence. Beyond: the next message is handed to it.
const SILENCE_MAX: Duration = Duration::from_secs(600);
/// Events kept for a session that is being started. Beyond: they are dropped.
const UNHEARD_MAX: usize = 256;

/// One of the plugin's sessions, as this connection knows it.
pub(super) struct SessionOnPlugin {
    pub(super) plugin_session: PluginSession,
    pub(super) is_ready: bool,
    /// Events that came before the session was started.
    pub(super) unheard: Vec<(String, String)>,
    queue: VecDeque<(MessageId, String)>,
    /// Messages that an earlier connection sent, without proof that they arrived.
    pub(super) sent_before: BTreeSet<MessageId>,
    pub(super) work: Work,
    /// What the agent has said in this turn and is not stored yet.
    pub(super) text: String,
    pub(super) block: u32,
    /// Running tools by name, because the event of their end has no id.
    pub(super) calls: VecDeque<(String, CallId)>,
    terms: Option<Terms>,
}

/// Whether the agent is working. The plugin runs messages concurrently, so we wait for each turn to end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    None,
    /// A message is on its way to it.
    Handing,
    /// Working; the time of its last event.
    Since(Timestamp),
}

/// The wish that starts a session of this door. Idempotent for the same account.
pub(super) fn start(session: SessionId, plugin_session: &PluginSession) -> Wish {
    let (agent, settings) = (plugin_session.agent_id.clone(), Box::new(plugin_session.settings()));
    Wish::Start { session: Some(session), door: NAME, agent: Some(agent), settings, host: None }
}

impl SessionOnPlugin {
    pub(super) fn new(plugin_session: PluginSession) -> Self {
        Self {
            plugin_session,
            is_ready: false,
            unheard: Vec::new(),
            queue: VecDeque::new(),
            sent_before: BTreeSet::new(),
            work: Work::None,
            text: String::new(),
            block: 0,
            calls: VecDeque::new(),
            terms: None,
        }
    }

    pub(super) fn due_at(&self) -> Option<Timestamp> {
        match self.work {
            Work::Since(at) if !self.queue.is_empty() => Some(at.plus(SILENCE_MAX)),
            _ => None,
        }
    }

    pub(super) fn hear_later(&mut self, event: &str, payload: &str) {
        if self.unheard.len() < UNHEARD_MAX {
            self.unheard.push((event.to_owned(), payload.to_owned()));
        }
    }
}

impl Whimmy {
    pub(super) fn room_is_ready(&mut self, session: SessionId, cx: &mut Cx<'_>) {
        let Some(session_state) = self.session_states.get_mut(&session) else { return };
        session_state.is_ready = true;
        for (event, payload) in std::mem::take(&mut session_state.unheard) {
            self.event(&event, &payload, cx);
        }
    }

    /// Queues a person's message. It may arrive twice, as an event and in the session's queue.
    pub(super) fn people_said(&mut self, message: MessageId, text: String, out: &mut Outbox) {
        let Some(session_state) = self.session_states.get_mut(&message.session) else {
            // A session of this account that this connection has not read yet: fetch it, with this message in it.
            return self.query(PendingReply::Session, Query::Session(message.session), out);
        };
        if session_state.queue.iter().all(|(known, _)| *known != message) {
            session_state.queue.push_back((message, text));
        }
        self.say_next(message.session, out);
    }

    pub(super) fn unsaid(&mut self, message: MessageId) {
        if let Some(session_state) =
            self.session_states.get_mut(&message.session).filter(|session_state| session_state.work != Work::Handing)
        {
            session_state.queue.retain(|(known, _)| *known != message);
        }
    }

    /// Hands over the next message if the agent is free. The message says how long the agent may wait for answers, so
    /// the terms are fetched first.
    pub(super) fn say_next(&mut self, session: SessionId, out: &mut Outbox) {
        let Some(session_state) = self.session_states.get_mut(&session).filter(|_| self.model_until.is_none()) else {
            return;
        };
        if session_state.work == Work::None && !session_state.queue.is_empty() {
            session_state.work = Work::Handing;
            self.query(PendingReply::Terms(session), Query::Terms(session), out);
        }
    }

    pub(super) fn hand_message(&mut self, session: SessionId, terms: Option<Terms>, cx: &mut Cx<'_>) {
        let Some(session_state) = self.session_states.get_mut(&session) else { return };
        session_state.terms = terms;
        match session_state.queue.front().map(|(message, _)| *message) {
            Some(message) => {
                self.wish(PendingReply::Message(message), Wish::Hand { parcel: Parcel::Message(message) }, cx.out);
            }
            None => session_state.work = Work::None,
        }
    }

    pub(super) fn say_message(&mut self, message: MessageId, cx: &mut Cx<'_>) {
        let Some(session_state) = self.session_states.get_mut(&message.session) else { return };
        let Some((_, text)) = session_state.queue.pop_front() else { return };
        session_state.work = Work::Since(cx.now);
        let (plugin_session, terms) = (session_state.plugin_session.clone(), session_state.terms.take());
        let marked = match session_state.sent_before.remove(&message) {
            true => Cow::Owned(format!("{}\n\n{text}", quirks::SENT_BEFORE)),
            false => Cow::Borrowed(&*text),
        };
        let promised = terms.as_ref().map(|terms| match terms.deadline {
            // Rounded up to seconds: some milliseconds have passed since the terms were computed.
            Some(deadline) => Duration::from_secs(deadline.since(cx.now).as_secs_f64().ceil() as u64) + quirks::MARGIN,
            None => quirks::WAIT_MAX,
        });
        let wait = promised.unwrap_or(quirks::WAIT).min(quirks::WAIT_MAX);
        let asks_first =
            self.choices.whimmy_approvals || terms.is_some_and(|terms| terms.other_tools == OtherTools::Ask);
        self.waits.insert(plugin_session.agent_id.clone(), wait);
        let timeout_ms = wait.as_millis() as u64;
        let (session_key, agent_id) = (plugin_session.session_key.as_str(), plugin_session.agent_id.as_str());
        let model = self.model.clone();
        let hook = Hook {
            message: &marked,
            agent_id,
            session_key,
            channel: quirks::CHANNEL,
            agent_config: AgentConfig {
                model: model.as_deref(),
                temperature: quirks::TEMPERATURE,
                max_tokens: quirks::TOKENS_MAX,
                approvals: Approvals { enabled: asks_first, mode: "always", tools: ["*"], timeout_ms },
                ask_user_question: AskUserQuestion { enabled: true, timeout_ms },
            },
        };
        // A person who writes has read what was there.
        send(&WhimmyFrame::Read { session_key, agent_id }, cx.out);
        if let Some(emoji) = quirks::reaction(&text) {
            send(&WhimmyFrame::React { session_key, agent_id, emoji }, cx.out);
        }
        let said = WhimmyFrame::Agent(hook);
        self.hand_over(Parcel::Message(message), &said, cx.out);
    }

    /// The message was taken back, or another connection has handed it over.
    pub(super) fn not_handed(&mut self, message: MessageId) {
        if let Some(session_state) = self.session_states.get_mut(&message.session) {
            session_state.queue.retain(|(known, _)| *known != message);
            session_state.work = Work::None;
        }
    }

    /// Frees agents that have been silent for so long that the end of their turn will not come either.
    pub(super) fn fell_silent(&mut self, cx: &mut Cx<'_>) {
        let silent = self
            .session_states
            .iter()
            .filter(|(_, session_state)| session_state.due_at().is_some_and(|at| at <= cx.now));
        for session in silent.map(|(session, _)| *session).collect::<Vec<_>>() {
            if let Some(session_state) = self.session_states.get_mut(&session) {
                session_state.work = Work::None;
            }
            self.say_next(session, cx.out);
        }
    }
}
