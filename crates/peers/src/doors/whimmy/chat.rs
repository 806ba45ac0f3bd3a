//! Chats with the plugin's agents: messages are handed over one at a time, each when the turn before has ended.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use askbridge_core::event::Parcel;
use askbridge_core::ids::{CallId, MessageId, SessionId, Timestamp};
use askbridge_core::terms::{OtherTools, Terms};

use super::peer::{Awaited, Whimmy, send};
use super::place::Place;
use super::wire::{AgentConfig, Approvals, AskUserQuestion, Hook, Said};
use super::{NAME, quirks};
use crate::peer::{Cx, Outbox};
use crate::wish::{Query, Wish};

/// How long an agent may work in silence. Beyond: the next message is handed to it.
const SILENCE_MAX: Duration = Duration::from_secs(600);
/// Events kept for a session that is being started. Beyond: they are dropped.
const UNHEARD_MAX: usize = 256;

/// One of the plugin's sessions, as this connection knows it.
pub(super) struct Room {
    pub(super) place: Place,
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
pub(super) fn start(session: SessionId, place: &Place) -> Wish {
    let (agent, settings) = (place.agent_id.clone(), Box::new(place.settings()));
    Wish::Start { session: Some(session), door: NAME, agent: Some(agent), settings }
}

impl Room {
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
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
        let Some(room) = self.rooms.get_mut(&session) else { return };
        room.is_ready = true;
        for (event, payload) in std::mem::take(&mut room.unheard) {
            self.event(&event, &payload, cx);
        }
    }

    /// Queues a person's message. It may arrive twice, as an event and in the session's queue.
    pub(super) fn people_said(&mut self, message: MessageId, text: String, out: &mut Outbox) {
        let Some(room) = self.rooms.get_mut(&message.session) else {
            // A session of this account that this connection has not read yet: fetch it, with this message in it.
            return self.query(Awaited::Session, Query::Session(message.session), out);
        };
        if room.queue.iter().all(|(known, _)| *known != message) {
            room.queue.push_back((message, text));
        }
        self.say_next(message.session, out);
    }

    pub(super) fn unsaid(&mut self, message: MessageId) {
        if let Some(room) = self.rooms.get_mut(&message.session).filter(|room| room.work != Work::Handing) {
            room.queue.retain(|(known, _)| *known != message);
        }
    }

    /// Hands over the next message if the agent is free. The message says how long the agent may wait for answers, so
    /// the terms are fetched first.
    pub(super) fn say_next(&mut self, session: SessionId, out: &mut Outbox) {
        let Some(room) = self.rooms.get_mut(&session).filter(|_| self.model_until.is_none()) else { return };
        if room.work == Work::None && !room.queue.is_empty() {
            room.work = Work::Handing;
            self.query(Awaited::Terms(session), Query::Terms(session), out);
        }
    }

    pub(super) fn hand_message(&mut self, session: SessionId, terms: Option<Terms>, cx: &mut Cx<'_>) {
        let Some(room) = self.rooms.get_mut(&session) else { return };
        room.terms = terms;
        match room.queue.front().map(|(message, _)| *message) {
            Some(message) => {
                self.wish(Awaited::Message(message), Wish::Hand { parcel: Parcel::Message(message) }, cx.out);
            }
            None => room.work = Work::None,
        }
    }

    pub(super) fn say_message(&mut self, message: MessageId, cx: &mut Cx<'_>) {
        let Some(room) = self.rooms.get_mut(&message.session) else { return };
        let Some((_, text)) = room.queue.pop_front() else { return };
        room.work = Work::Since(cx.now);
        let (place, terms) = (room.place.clone(), room.terms.take());
        let marked = match room.sent_before.remove(&message) {
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
        self.waits.insert(place.agent_id.clone(), wait);
        let timeout_ms = wait.as_millis() as u64;
        let (session_key, agent_id) = (place.session_key.as_str(), place.agent_id.as_str());
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
        send(&Said::Read { session_key, agent_id }, cx.out);
        if let Some(emoji) = quirks::reaction(&text) {
            send(&Said::React { session_key, agent_id, emoji }, cx.out);
        }
        let said = Said::Agent(hook);
        self.hand_over(Parcel::Message(message), &said, cx.out);
    }

    /// The message was taken back, or another connection has handed it over.
    pub(super) fn not_handed(&mut self, message: MessageId) {
        if let Some(room) = self.rooms.get_mut(&message.session) {
            room.queue.retain(|(known, _)| *known != message);
            room.work = Work::None;
        }
    }

    /// Frees agents that have been silent for so long that the end of their turn will not come either.
    pub(super) fn fell_silent(&mut self, cx: &mut Cx<'_>) {
        let silent = self.rooms.iter().filter(|(_, room)| room.due_at().is_some_and(|at| at <= cx.now));
        for session in silent.map(|(session, _)| *session).collect::<Vec<_>>() {
            if let Some(room) = self.rooms.get_mut(&session) {
                room.work = Work::None;
            }
            self.say_next(session, cx.out);
        }
    }
}
