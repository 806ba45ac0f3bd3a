//! The state machine of one Claude Code process, from its first line to its last.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::event::{CallMade, Event, Level, Settings};
use askbridge_core::ids::{AskId, MessageId, Raw, SessionId, Timestamp};
use askbridge_core::verdict::Verdict;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::always::AlwaysAsk;
use super::blocks::Blocks;
use super::calls::PendingCall;
use super::consulting::{AdvisedHook, Consulting};
use super::interrupts::Interrupts;
use super::messages::Messages;
use super::quirks::{HOOK_TIMEOUT_SECS, OLD_HOOK_TIMEOUT_SECS};
use super::say;
use crate::consult::{Consultation, OccurrenceKinds};
use crate::peer::{Cx, Frame, Garbled, Outbox, Peer, Record, Tag};
use crate::told::Told;
use crate::wish::{AskRef, Query, Receipt, Rejection, Watch, Wish};

/// How long a parked call may take to come back after a resume. Beyond: its answer becomes a message.
const COME_BACK_MAX: Duration = Duration::from_secs(10);
/// Pause before a retry when the journal was down.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// How a machine for a process begins.
#[derive(Debug, Clone)]
pub struct Begin {
    pub session: SessionId,
    pub process: Process,
    pub carry: Carry,
    /// Whether the agent may ask at all. If not, it is not offered our tool.
    pub interactive: bool,
    /// How long a permission that cannot be parked is held. Beyond: denied with words, and answerable late.
    pub hold_max: Option<Duration>,
    /// How long Claude Code waits at a call that its auto mode denied, for a person to overrule that. Zero: it does not.
    pub denied_wait: Duration,
    /// Tools that always go to a person.
    pub always: AlwaysAsk,
    /// What the advisers look at, for a process that is new. One that runs reports what it was started with.
    pub consulted: OccurrenceKinds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Process {
    /// Nothing has been sent to it yet.
    New,
    /// As new, and it knows an earlier conversation: parked calls come back.
    Resumed,
    /// Started by an earlier run of askbridge. Its output since the last [`Carry`] is replayed first.
    Adopted,
}

/// The state that one machine hands to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carry {
    /// The number of the next block of text.
    pub blocks: u32,
    /// Whether the process got our `initialize` request.
    pub initialized: bool,
    /// Whether it is 2.1.325 or newer. Such a process waits for our hooks when it is resumed, reports what becomes of
    /// messages, and can be made to ask by a hook.
    #[serde(default)]
    pub is_recent: bool,
    /// What the process reports for advisers, as [`OccurrenceKinds::bits`].
    #[serde(default)]
    pub consulted: u16,
    /// Interrupts up to this time need nothing more, in milliseconds since 1970.
    #[serde(default)]
    pub interrupted: i64,
    /// Words lost by an interrupt, to be sent with the next message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
}

/// One process of Claude Code.
#[derive(Debug)]
pub struct Claude {
    pub(super) session: SessionId,
    process: Process,
    interactive: bool,
    pub(super) hold_max: Option<Duration>,
    pub(super) denied_wait: Duration,
    pub(super) always: AlwaysAsk,
    pub(super) consulted: OccurrenceKinds,
    /// The hooks' requests that wait for the advisers.
    pub(super) consulting: HashMap<String, Consulting>,
    /// Hooks from before a restart, about which the advisers are asked once the replay is over.
    pub(super) unconsulted: Vec<(AdvisedHook, Consultation)>,
    pub(super) is_recent: bool,
    pub(super) initialized: bool,
    pub(super) words: Vec<String>,
    /// Whether the replay of earlier output is over.
    pub(super) woken: bool,
    /// Unknown until the session has been read.
    pub(super) settings: Option<Arc<Settings>>,
    pub(super) calls: BTreeMap<String, PendingCall>,
    /// Calls that ended before we knew the session, which may still wait for them. Not needed after that.
    over: HashSet<String>,
    /// Calls that have their result, and whose ask is not known yet.
    pub(super) finished: BTreeMap<String, Finished>,
    /// Parked calls that have not come back yet, and until when they may.
    pub(super) expected: Vec<(AskId, String)>,
    pub(super) expected_until: Option<Timestamp>,
    /// Calls of the main conversation that have no result yet, with the message that made them.
    pub(super) running: BTreeMap<String, String>,
    /// The message that is being streamed.
    pub(super) streaming: Option<String>,
    /// Calls that ask, to be stored with the ask that they make.
    pub(super) unlinked: BTreeMap<String, CallMade>,
    /// Verdicts that came before we knew the ask.
    pub(super) early: Vec<(AskId, Verdict)>,
    pub(super) blocks: Blocks,
    pub(super) messages: Messages,
    /// Messages were requested back from Claude Code's queue, so that a question can be parked.
    pub(super) asked_for_messages_back: bool,
    /// The agent's last text, shown to the person who decides.
    pub(super) last_text: Option<String>,
    pub(super) turn_is_running: bool,
    pub(super) interrupting: bool,
    pub(super) interrupts: Interrupts,
    /// Tasks that run beside the conversation: a process that has some is kept.
    pub(super) background_tasks: usize,
    /// A question was deferred: a message now would destroy it.
    pub(super) parking: Option<String>,
    /// The host is about to end: nothing is kept warm any more.
    pub(super) hurries: bool,
    /// The process is about to end, and gets nothing more.
    pub(super) leaving: bool,
    /// Asks that could not be made because the journal was down.
    pub(super) unasked: Vec<String>,
    pub(super) ask_again_at: Option<Timestamp>,
    /// Lines that we could not parse or do not know.
    pub(super) passed_over: u64,
    awaited: HashMap<Tag, PendingReply>,
    tags: u64,
    requests: u64,
}

/// What a reply is about.
#[derive(Debug)]
pub(super) enum PendingReply {
    Session,
    Ask(String),
    Look(String),
    Finished(String, Finished),
    Handed(String),
    HandedMessage(MessageId),
    Parked,
    /// What the advisers say, about a hook's request.
    Consulted(Box<AdvisedHook>),
    Nothing,
}

/// How a call ended.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) ok: bool,
    pub(super) output: String,
    /// The input that it ran with, where that was reported.
    pub(super) ran: Option<Raw>,
    /// The call, if it is still to be stored together with its ask.
    pub(super) made: Option<CallMade>,
}

impl Claude {
    pub fn new(begin: Begin) -> Self {
        let Begin { session, process, carry, interactive, hold_max, denied_wait, always, consulted } = begin;
        let consulted = match process {
            Process::New | Process::Resumed => consulted,
            Process::Adopted => OccurrenceKinds::of_bits(carry.consulted),
        };
        Self {
            session,
            process,
            interactive,
            hold_max,
            denied_wait,
            always,
            consulted,
            consulting: HashMap::new(),
            unconsulted: Vec::new(),
            is_recent: carry.is_recent,
            initialized: carry.initialized,
            words: carry.words,
            woken: false,
            settings: None,
            calls: BTreeMap::new(),
            over: HashSet::new(),
            finished: BTreeMap::new(),
            expected: Vec::new(),
            expected_until: None,
            running: BTreeMap::new(),
            streaming: None,
            unlinked: BTreeMap::new(),
            early: Vec::new(),
            blocks: Blocks::new(carry.blocks),
            messages: Messages::default(),
            asked_for_messages_back: false,
            last_text: None,
            turn_is_running: false,
            interrupting: false,
            interrupts: Interrupts::since(Timestamp(carry.interrupted)),
            background_tasks: 0,
            parking: None,
            hurries: false,
            leaving: false,
            unasked: Vec::new(),
            ask_again_at: None,
            passed_over: 0,
            awaited: HashMap::new(),
            tags: 0,
            requests: 0,
        }
    }

    /// Returns what the next machine needs to know, if it could take over now: between turns, with nothing pending.
    pub fn rest(&self) -> Option<Carry> {
        let rests = !self.turn_is_running
            && self.initialized
            && self.calls.is_empty()
            && self.expected.is_empty()
            && self.finished.is_empty()
            && self.messages.nothing_is_on_its_way()
            && self.background_tasks == 0
            && self.consulting.is_empty();
        rests.then(|| Carry {
            blocks: self.blocks.next(),
            initialized: true,
            is_recent: self.is_recent,
            consulted: self.consulted.bits(),
            interrupted: self.interrupts.done.0,
            words: self.words.clone(),
        })
    }

    /// Whether the process can be ended until the next message: nothing waits, in either direction.
    pub fn is_idle(&self) -> bool {
        self.rest().is_some() && self.settings.is_some() && self.messages.is_empty()
    }

    /// Whether the process does not report everything that the advisers look at now.
    pub fn misses(&self, looked_at: OccurrenceKinds) -> bool {
        !self.consulted.cover(looked_at)
    }

    /// The folder in which the agent works, once the session is known.
    pub(super) fn folder(&self) -> Option<&str> {
        self.settings.as_ref().and_then(|settings| settings.folder.as_deref())
    }

    /// Words lost by an interrupt that were not sent again yet.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns how many unknown lines were skipped.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }

    pub(super) fn wish(&mut self, awaited: PendingReply, wish: Wish, out: &mut Outbox) {
        let tag = self.await_reply(awaited);
        out.wishes.push((tag, wish));
    }

    pub(super) fn query(&mut self, awaited: PendingReply, query: Query, out: &mut Outbox) {
        let tag = self.await_reply(awaited);
        out.queries.push((tag, query));
    }

    fn await_reply(&mut self, awaited: PendingReply) -> Tag {
        self.tags += 1;
        self.awaited.insert(Tag(self.tags), awaited);
        Tag(self.tags)
    }

    /// Writes a line, unless the process is about to end.
    pub(super) fn say(&mut self, line: String, out: &mut Outbox) {
        if !self.leaving {
            out.text(line);
        }
    }

    /// Sends a request of our own.
    pub(super) fn request(&mut self, request: &Value, out: &mut Outbox) -> String {
        self.requests += 1;
        let id = format!("askbridge-{}", self.requests);
        self.say(say::request(&id, request), out);
        id
    }

    pub(super) fn record(&self, name: String, event: Event, out: &mut Outbox) {
        out.records.push(Record { session: self.session, name, event });
    }

    pub(super) fn notice(&self, name: String, level: Level, text: String, out: &mut Outbox) {
        self.record(name, Event::Notice { level, text }, out);
    }

    /// Ends the process, with the reason.
    pub(super) fn leave(&mut self, code: u16, why: &str, out: &mut Outbox) {
        self.leaving = true;
        out.hang_up = Some((code, why.to_owned()));
    }

    fn open(&mut self, out: &mut Outbox) {
        out.watches.push(Watch::Session { session: self.session });
        self.query(PendingReply::Session, Query::Session(self.session), out);
        if !self.initialized {
            let timeout_secs = if self.is_recent { HOOK_TIMEOUT_SECS } else { OLD_HOOK_TIMEOUT_SECS };
            let line = say::initialize(self.interactive, &self.always, self.consulted, timeout_secs);
            self.say(line, out);
        }
        self.consult_about_the_rest(out);
    }

    /// Takes up what waits in the session.
    fn met(&mut self, receipt: Receipt, cx: &mut Cx<'_>) {
        let Some(view) = receipt.session_view else { return };
        self.settings = Some(view.settings);
        for waiting in view.waiting.into_iter().filter(|waiting| !waiting.stranded) {
            // An ask without a call came into the session by another door.
            let Some(call) = waiting.call.map(|call| call.to_string()) else { continue };
            let is_here = self.calls.contains_key(&call) || self.over.contains(&call);
            match self.process {
                _ if is_here => {}
                // A new process has no earlier conversation, its record is gone: no call comes back.
                Process::New => self.wish(PendingReply::Nothing, Wish::Strand { ask: AskRef::Id(waiting.ask) }, cx.out),
                Process::Resumed | Process::Adopted => self.expected.push((waiting.ask, call)),
            }
        }
        if !self.expected.is_empty() {
            self.expected_until = Some(cx.now.plus(COME_BACK_MAX));
        }
        self.over = HashSet::new();
        for (message, text) in view.queued {
            self.said(message, text, cx.out);
        }
        if let Some(interruption) = view.interrupted {
            self.learn_of(interruption, cx.out);
        }
        self.forget_started();
    }

    /// A call is over.
    pub(super) fn is_over(&mut self, id: &str) {
        if self.settings.is_none() {
            self.over.insert(id.to_owned());
        }
    }

    /// A parked call has come back.
    pub(super) fn came_back(&mut self, call: &str) {
        self.expected.retain(|(_, expected)| expected != call);
        if self.expected.is_empty() {
            self.expected_until = None;
        }
    }

    /// Strands the calls that have not come back in time.
    fn give_up_waiting(&mut self, cx: &mut Cx<'_>) {
        if self.expected_until.is_some_and(|until| until <= cx.now) {
            self.expected_until = None;
            for (ask, call) in std::mem::take(&mut self.expected) {
                self.is_over(&call);
                self.wish(PendingReply::Nothing, Wish::Strand { ask: AskRef::Id(ask) }, cx.out);
            }
        }
    }

    /// Does everything that has become possible, and returns when to check again.
    fn settle_down(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        if self.leaving || !self.woken {
            return None;
        }
        self.give_up_waiting(cx);
        self.interrupt_if_wanted(cx.out);
        if self.ask_again_at.is_some_and(|at| at <= cx.now) {
            self.ask_again_at = None;
            if self.settings.is_none() {
                self.query(PendingReply::Session, Query::Session(self.session), cx.out);
            }
            self.ask_again(cx.out);
        }
        self.park_if_possible(cx);
        self.send_messages(cx.out);
        let warm = self.calls.values().filter(|call| call.is_undecided()).filter_map(|call| call.warm_until);
        let warm = warm.filter(|at| *at > cx.now);
        warm.chain(self.expected_until).chain(self.ask_again_at).min()
    }
}

impl Peer for Claude {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        match frame {
            Frame::Text(text) => self.line(&text, cx),
            Frame::Close(..) => self.died(cx.out),
            Frame::Request(_) | Frame::Response(_) | Frame::Chunk(_) => {}
        }
        cx.out.wake_at = self.settle_down(cx);
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        if let Told::Event(happened) = told
            && happened.session == self.session
        {
            self.happened(&happened.event, cx);
            cx.out.wake_at = self.settle_down(cx);
        }
    }

    fn reply(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        let Some(awaited) = self.awaited.remove(&tag) else { return };
        match (awaited, reply) {
            (PendingReply::Session, Ok(receipt)) => self.met(receipt, cx),
            (PendingReply::Session, Err(_)) => self.ask_again_at = Some(cx.now.plus(TRY_AGAIN)),
            (PendingReply::Ask(call), Ok(receipt)) => self.asked(&call, &receipt, cx.out),
            (PendingReply::Ask(call), Err(rejection)) if rejection.retry() && !self.stands_alone(&call, cx.out) => {
                self.unasked.push(call);
                self.ask_again_at = Some(cx.now.plus(TRY_AGAIN));
            }
            (PendingReply::Ask(call), Err(rejection)) => self.not_asked(&call, &rejection, cx.out),
            (PendingReply::Finished(call, finished), Ok(receipt)) => {
                if let Some(view) = receipt.view {
                    self.finished(&call, finished, &view, cx.out);
                }
            }
            (PendingReply::Look(call), Ok(receipt)) => self.looked(&call, receipt, cx),
            (PendingReply::Handed(call), _) => self.speak(&call, cx.out),
            (PendingReply::HandedMessage(message), Ok(_)) => self.write_message(message, cx.out),
            // It was taken back meanwhile, or has reached the agent before.
            (PendingReply::HandedMessage(message), Err(_)) => self.messages.forget(message),
            (PendingReply::Consulted(hook), reply) => self.advised(*hook, reply, cx.out),
            (PendingReply::Parked, _) => self.leave(super::PARKED, "the question is parked", cx.out),
            (PendingReply::Look(_) | PendingReply::Finished(..), Err(_)) | (PendingReply::Nothing, _) => {}
        }
        cx.out.wake_at = self.settle_down(cx);
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        if !self.woken {
            self.woken = true;
            self.open(cx.out);
        }
        self.settle_down(cx)
    }
}
