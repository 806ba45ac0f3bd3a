//! People's messages to the agent: held here while an ask is open, never left in Claude Code's own queue.
//!
//! A message in that queue runs as the next turn after a question was deferred, and the question is lost.

use std::collections::{BTreeMap, HashSet};

use askbridge_core::event::{Parcel, Settings};
use askbridge_core::ids::MessageId;
use serde_json::json;

use super::peer::{Claude, PendingReply};
use super::quirks::words_after_a_stop;
use super::say;
use crate::peer::Outbox;
use crate::wish::Wish;

const PROOF: &str = "command_lifecycle: started";
/// The proof of delivery where Claude Code does not report what became of a message.
const WEAK_PROOF: &str = "system/init: a turn began after it was written";
/// The setting of a session in which each message gets a turn of its own.
const ONE_MESSAGE_A_TURN: &str = "one_message_a_turn";
/// Characters of a title that is made from the first message.
const TITLE_CHARS_MAX: usize = 80;

/// The messages that have not reached the agent.
#[derive(Debug, Default)]
pub(super) struct Messages {
    waiting: BTreeMap<MessageId, QueuedMessage>,
    /// Uuids of messages that a turn has begun with. This may be reported before we know the message: after a restart, the
    /// output of whole turns is read again before the session's queue is known.
    started: HashSet<String>,
    /// Whether Claude Code reports what becomes of messages. 2.1.197 does not.
    announced: bool,
}

#[derive(Debug)]
struct QueuedMessage {
    text: String,
    uuid: String,
    stage: MessageStage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MessageStage {
    Held,
    /// To be written once the handing over is recorded.
    Handing,
    /// Written. `command_lifecycle` is the proof.
    Written,
}

impl Messages {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn nothing_is_on_its_way(&self) -> bool {
        self.waiting.values().all(|message| message.stage == MessageStage::Held)
    }

    /// The messages in Claude Code's own queue.
    fn written(&self) -> impl Iterator<Item = &QueuedMessage> {
        self.waiting.values().filter(|message| message.stage == MessageStage::Written)
    }

    pub(super) fn forget(&mut self, message: MessageId) {
        self.waiting.remove(&message);
    }

    /// Whether a turn has begun with this message.
    pub(super) fn has_started(&self, message: MessageId) -> bool {
        self.started.contains(&say::message_uuid(message))
    }
}

impl Claude {
    /// Between turns, once the session's queue is known, nothing asks any more what a turn began with.
    pub(super) fn forget_started(&mut self) {
        if self.settings.is_some() && !self.turn_is_running {
            self.messages.started.clear();
        }
    }

    /// Queues a message, new or from the session's queue.
    pub(super) fn said(&mut self, message: MessageId, text: String, out: &mut Outbox) {
        let uuid = say::message_uuid(message);
        if self.messages.started.contains(&uuid) {
            self.message_delivered(message, out);
            return;
        }
        self.messages.waiting.entry(message).or_insert(QueuedMessage { text, uuid, stage: MessageStage::Held });
    }

    pub(super) fn unsaid(&mut self, message: MessageId) {
        self.messages.waiting.remove(&message);
    }

    /// Hands over the messages that may be sent now, in order.
    pub(super) fn send_messages(&mut self, out: &mut Outbox) {
        let blocked = self.settings.is_none()
            || self.parking.is_some()
            || self.interrupting
            || !self.expected.is_empty()
            || self.calls.values().any(|call| call.holds_messages());
        let one_a_turn = self.takes_one_message_a_turn();
        if blocked || one_a_turn && (self.turn_is_running || !self.messages.nothing_is_on_its_way()) {
            return;
        }
        let held = self.messages.waiting.iter_mut().filter(|(_, message)| message.stage == MessageStage::Held);
        let mut ready = Vec::new();
        for (id, message) in held.take(if one_a_turn { 1 } else { usize::MAX }) {
            message.stage = MessageStage::Handing;
            ready.push(*id);
        }
        for message in ready {
            let hand = Wish::Hand { parcel: Parcel::Message(message) };
            self.wish(PendingReply::HandedMessage(message), hand, out);
        }
    }

    /// Whether each message of this session gets a turn of its own. Claude Code makes one turn of all queued messages.
    fn takes_one_message_a_turn(&self) -> bool {
        self.is_set(ONE_MESSAGE_A_TURN)
    }

    pub(super) fn write_message(&mut self, message: MessageId, out: &mut Outbox) {
        let words = std::mem::take(&mut self.words);
        let Some(waiting) = self.messages.waiting.get_mut(&message) else {
            self.words = words;
            return;
        };
        waiting.stage = MessageStage::Written;
        let text = match words.is_empty() {
            true => waiting.text.clone(),
            false => words_after_a_stop(&words.join(" "), &waiting.text),
        };
        let line = say::user(&waiting.uuid, &text);
        let plain = waiting.text.clone();
        self.give_a_title(&plain, out);
        self.say(line, out);
    }

    /// Claude Code reports what became of a message.
    pub(super) fn lifecycle(&mut self, uuid: &str, state: &str, out: &mut Outbox) {
        self.messages.announced = true;
        match state {
            "started" => {
                self.turn_is_running = true;
                self.messages.started.insert(uuid.to_owned());
                let known = self.messages.waiting.iter().find(|(_, message)| message.uuid == uuid);
                if let Some(message) = known.map(|(id, _)| *id) {
                    self.message_delivered(message, out);
                }
            }
            "cancelled" => {
                let known = self.messages.waiting.values_mut().find(|message| message.uuid == uuid);
                if let Some(message) = known {
                    message.stage = MessageStage::Held;
                }
            }
            _ => {}
        }
    }

    fn message_delivered(&mut self, message: MessageId, out: &mut Outbox) {
        self.delivered(message, PROOF, out);
    }

    fn delivered(&mut self, message: MessageId, proof: &str, out: &mut Outbox) {
        self.messages.waiting.remove(&message);
        let parcel = Parcel::Message(message);
        self.wish(PendingReply::Nothing, Wish::Deliver { parcel, proof: proof.to_owned() }, out);
    }

    /// A turn begins. A Claude Code that does not report messages has begun it with everything that was written.
    pub(super) fn turn_began(&mut self, out: &mut Outbox) {
        self.turn_is_running = true;
        if self.is_recent || self.messages.announced {
            return;
        }
        let written = self.messages.waiting.iter().filter(|(_, message)| message.stage == MessageStage::Written);
        for message in written.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.delivered(message, WEAK_PROOF, out);
        }
    }

    /// Whether a message waits in Claude Code's queue; if so, requests it back.
    pub(super) fn takes_messages_back(&mut self, out: &mut Outbox) -> bool {
        let written: Vec<_> = self.messages.written().map(|message| message.uuid.clone()).collect();
        let any = !written.is_empty();
        if !any {
            self.asked_for_messages_back = false;
        } else if !self.taking_back() {
            for uuid in written {
                self.request(&json!({"subtype": "cancel_async_message", "message_uuid": uuid}), out);
            }
        }
        any
    }

    fn taking_back(&mut self) -> bool {
        std::mem::replace(&mut self.asked_for_messages_back, true)
    }

    /// Names a session without a title after its first message.
    fn give_a_title(&mut self, text: &str, out: &mut Outbox) {
        let Some(settings) = self.settings.as_mut().filter(|settings| settings.title.is_none()) else { return };
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        let title: String = line.chars().take(TITLE_CHARS_MAX).collect();
        std::sync::Arc::make_mut(settings).title = Some(title.clone());
        let settings = Box::new(Settings { title: Some(title), ..Settings::default() });
        self.wish(PendingReply::Nothing, Wish::ReportSettings { session: self.session, settings }, out);
    }
}
