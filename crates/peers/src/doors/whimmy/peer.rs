//! The machine of one socket: one account of the plugin, its agents' asks, and people's messages to them.

use std::collections::{BTreeMap, VecDeque};

use askbridge_core::answer::Outcome;
use askbridge_core::event::{Event, Parcel};
use askbridge_core::ids::{AskId, Key, MessageId, SessionId, Timestamp};
use askbridge_core::limits;

use super::again::Again;
use super::asks::{AskEnd, Carried};
use super::chat::SessionOnPlugin;
use super::wire::WhimmyFrame;
use super::{NAME, quirks};
use crate::awaiting::Awaiting;
use crate::listing::Choices;
use crate::peer::{Cx, Frame, Garbled, Outbox, Peer, Tag};
use crate::told::{Happened, Told};
use crate::wish::{AskWish, Query, Receipt, Rejection, SessionLine, Watch, Wish};

/// Sessions searched for pending answers when a plugin reconnects, the newest first. Beyond: they wait for next time.
const SESSIONS_MAX: usize = 200;
const TRY_AGAIN_LATER: u16 = 1013;
/// The proof of delivery that the plugin can give.
const PROOF: &str = "it answered a ping that was sent after this";

/// One connection.
#[derive(Default)]
pub struct Whimmy {
    begun: bool,
    pub(super) choices: Choices,
    /// The account's name, once it is known.
    pub(super) account: Option<String>,
    /// The chat that people find; its seat belongs to the account's latest connection.
    chat: Option<SessionId>,
    is_seated: bool,
    /// A frame has come, so this is not just a test of the address, and the plugin listens. It attaches its message
    /// handler only after its connection is open, and loses what was sent before.
    has_spoken: bool,
    /// Frames to send as soon as the plugin listens.
    held: Vec<Frame<'static>>,
    pub(super) session_states: BTreeMap<SessionId, SessionOnPlugin>,
    /// Sessions that grew too long, and the session that each continues as.
    pub(super) moved: BTreeMap<SessionId, SessionId>,
    pub(super) asks: BTreeMap<AskId, Carried>,
    /// Asks to be retried.
    pub(super) again: BTreeMap<Key, Again>,
    /// How long each agent waits, where this connection has told it.
    pub(super) waits: BTreeMap<String, std::time::Duration>,
    /// The first model that the plugin offered, on this connection or an earlier one.
    pub(super) model: Option<String>,
    /// Messages wait for a model until then.
    pub(super) model_until: Option<Timestamp>,
    /// For each unanswered ping, the parcels sent before it.
    unproven: VecDeque<Vec<Parcel>>,
    ping_at: Option<Timestamp>,
    awaiting: Awaiting<PendingReply>,
}

/// What a reply is about.
pub(super) enum PendingReply {
    Login,
    Sessions,
    Model,
    Session,
    Look,
    /// An ask that was settled before this connection knew of it.
    Unseen,
    Chat(SessionId),
    /// A session being started for events that have come already.
    Start(SessionId),
    /// A session being started for one ask.
    AskStart(Box<AskWish>, Box<Wish>),
    Asked(Box<AskWish>),
    Terms(SessionId),
    Message(MessageId),
    Delivered(Parcel),
    Nothing,
}

impl Whimmy {
    pub fn new(choices: Choices) -> Self {
        Self { choices, ..Self::default() }
    }

    /// Whether a dismissal is answered with nothing instead of words.
    pub(super) fn says_nothing_on(&self, ending: AskEnd) -> bool {
        ending == AskEnd::Dismissed && self.choices.empty_dismissals
    }

    pub(super) fn wish(&mut self, awaited: PendingReply, wish: Wish, out: &mut Outbox) {
        self.awaiting.wish(awaited, wish, out);
    }

    pub(super) fn query(&mut self, awaited: PendingReply, query: Query, out: &mut Outbox) {
        self.awaiting.query(awaited, query, out);
    }

    /// Sends a parcel, and a ping whose pong proves its arrival.
    pub(super) fn hand_over(&mut self, parcel: Parcel, said: &WhimmyFrame<'_>, out: &mut Outbox) {
        send(said, out);
        self.ping(vec![parcel], out);
    }

    fn ping(&mut self, parcels: Vec<Parcel>, out: &mut Outbox) {
        self.unproven.push_back(parcels);
        send(&WhimmyFrame::Ping, out);
    }

    /// Pongs come in the order of the pings, after everything sent before them was read.
    pub(super) fn ponged(&mut self, out: &mut Outbox) {
        for parcel in self.unproven.pop_front().unwrap_or_default() {
            let proof = PROOF.to_owned();
            let wish = match parcel {
                Parcel::Verdict(_) => Wish::Took { parcel, proof },
                Parcel::Message(_) => Wish::Deliver { parcel, proof },
            };
            self.wish(PendingReply::Delivered(parcel), wish, out);
        }
    }

    /// The plugin has begun to talk: take the seat, which closes the account's previous connection.
    pub(super) fn spoke(&mut self, out: &mut Outbox) {
        self.has_spoken = true;
        self.sit_down(out);
    }

    fn sit_down(&mut self, out: &mut Outbox) {
        if let Some(session) = self.chat.filter(|_| self.has_spoken && !self.is_seated) {
            self.is_seated = true;
            out.watches.push(Watch::Seat { session });
        }
    }

    fn has_chat(&mut self, session: SessionId, out: &mut Outbox) {
        self.chat = Some(session);
        self.sit_down(out);
    }

    fn start_chat(&mut self, cx: &mut Cx<'_>) {
        let (session, plugin_session) = super::plugin_session::fresh(cx.ids.fresh());
        let start = super::chat::start(session, &plugin_session);
        self.session_states.insert(session, SessionOnPlugin::new(plugin_session));
        self.wish(PendingReply::Chat(session), start, cx.out);
    }

    fn granted(&mut self, awaited: PendingReply, receipt: Receipt, cx: &mut Cx<'_>) {
        match awaited {
            PendingReply::Login => match receipt.caller {
                Some(caller) if caller.role == "agent" => {
                    self.model_until = Some(cx.now.plus(quirks::MODELS_WAIT));
                    self.query(PendingReply::Model, Query::Kept(super::models::kept_as(&caller.name)), cx.out);
                    self.account = Some(caller.name);
                    cx.out.watches.push(Watch::News);
                    self.query(PendingReply::Sessions, Query::Sessions { after: None, limit: SESSIONS_MAX }, cx.out);
                }
                _ => cx.out.hang_up = Some((1008, "bring an agent's token: askbridge token create".to_owned())),
            },
            PendingReply::Sessions => {
                let found = receipt.finds.map(|finds| finds.sessions).unwrap_or_default();
                let ours: Vec<_> = found.iter().filter(|line| line.door == NAME && !line.is_over).collect();
                let is_chat =
                    |line: &&&SessionLine| super::plugin_session::is_marked(line.id) && line.agent == quirks::AGENT;
                let chat = ours.iter().find(is_chat).map(|line| line.id);
                for line in ours {
                    self.query(PendingReply::Session, Query::Session(line.id), cx.out);
                }
                match chat {
                    Some(chat) => self.has_chat(chat, cx.out),
                    None => self.start_chat(cx),
                }
            }
            PendingReply::Model => {
                self.remembered_model(receipt.finds.map(|finds| finds.kept).unwrap_or_default(), cx.out)
            }
            PendingReply::Session => {
                if let Some(view) = receipt.session_view {
                    self.came_back_to(*view, cx);
                }
            }
            PendingReply::Look => {
                if let Some(view) = receipt.view {
                    self.looked(*view, cx);
                }
            }
            PendingReply::Unseen => {
                // An account's token may ask through other doors as well; those deliver their own answers.
                if let Some(view) = receipt.view.filter(|view| view.ask.asker.door == NAME) {
                    self.looked(*view, cx);
                }
            }
            PendingReply::Chat(session) => {
                self.has_chat(session, cx.out);
                self.room_is_ready(session, cx);
            }
            PendingReply::Start(session) => self.room_is_ready(session, cx),
            PendingReply::AskStart(wish, _) => self.ask(wish, cx.out),
            // It may be a repeat, and be settled by now.
            PendingReply::Asked(_) if !receipt.news => {
                if let Some(ask) = receipt.ask {
                    self.query(PendingReply::Look, Query::Ask(ask), cx.out);
                }
            }
            PendingReply::Terms(session) => self.hand_message(session, receipt.terms.map(|terms| *terms), cx),
            PendingReply::Message(message) => self.say_message(message, cx),
            PendingReply::Delivered(parcel) => self.delivered(parcel, cx.out),
            PendingReply::Asked(_) | PendingReply::Nothing => {}
        }
    }

    fn refused(&mut self, awaited: PendingReply, why: &Rejection, cx: &mut Cx<'_>) {
        match awaited {
            PendingReply::Login => cx.out.hang_up = Some((1008, why.to_string())),
            PendingReply::Asked(wish) => {
                if let Err(wish) = self.put_off(wish, None, why, cx) {
                    self.not_asked(&wish, why, cx.out);
                }
            }
            // Retried if temporary. Otherwise another account's socket was first, and it is one ask.
            PendingReply::AskStart(wish, start) => drop(self.put_off(wish, Some(*start), why, cx)),
            PendingReply::Start(session) | PendingReply::Chat(session) => drop(self.session_states.remove(&session)),
            PendingReply::Terms(session) => self.hand_message(session, None, cx),
            PendingReply::Message(message) => self.not_handed(message),
            // What was answered cannot be read. OpenClaw reconnects a plugin that lost its connection: it is read then.
            PendingReply::Sessions | PendingReply::Session | PendingReply::Look | PendingReply::Unseen
                if why.retry() =>
            {
                cx.out.hang_up = Some((TRY_AGAIN_LATER, why.to_string()));
            }
            // The rest is asked for again when it is needed.
            _ => {}
        }
    }

    fn happened(&mut self, happened: &Happened, cx: &mut Cx<'_>) {
        match &*happened.event {
            Event::Asked(ask) if ask.asker.door == NAME => self.is_asked(ask.clone()),
            Event::Settled(settled) => {
                let ended = match settled.outcome {
                    Outcome::Answered { .. } => AskEnd::Answered,
                    Outcome::Dismissed { .. } => AskEnd::Dismissed,
                    Outcome::Expired | Outcome::Ruled { .. } | Outcome::RuledOut { .. } => AskEnd::Otherwise,
                };
                self.settled(settled.ask, settled.verdict.clone(), ended, cx);
            }
            Event::Withdrawn { ask, .. } | Event::Overtaken { ask, .. } => drop(self.asks.remove(ask)),
            Event::Stranded { ask } => self.stranded(*ask),
            Event::Said(said) => self.people_said(said.message, said.text.clone(), cx.out),
            Event::Unsaid { message } => self.unsaid(*message),
            Event::Continued { to, .. } => {
                self.moved.insert(happened.session, *to);
                if let Some(session_state) = self.session_states.remove(&happened.session) {
                    self.session_states.insert(*to, session_state);
                }
            }
            Event::Closed { .. } => {
                self.session_states.remove(&happened.session);
                // People can always find one chat.
                if self.chat == Some(happened.session) {
                    self.chat = None;
                    self.is_seated = false;
                    self.start_chat(cx);
                }
            }
            _ => {}
        }
    }

    /// Holds frames back until the plugin listens.
    fn hold_back(&mut self, out: &mut Outbox) {
        if !self.has_spoken {
            self.held.append(&mut out.frames);
        } else if !self.held.is_empty() {
            let said = std::mem::take(&mut out.frames);
            out.frames.append(&mut self.held);
            out.frames.extend(said);
        }
    }

    /// When the next timer is due.
    pub(super) fn next(&self, now: Timestamp) -> Timestamp {
        let ping_at = self.ping_at.unwrap_or(now.plus(limits::HEARTBEAT));
        let due = self
            .asks
            .values()
            .filter_map(Carried::due_at)
            .chain(self.session_states.values().filter_map(SessionOnPlugin::due_at));
        due.chain(self.again.values().filter_map(Again::due_at)).chain(self.model_until).fold(ping_at, Timestamp::min)
    }
}

impl Peer for Whimmy {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        if let Frame::Text(text) = frame {
            self.heard(&text, cx);
            self.hold_back(cx.out);
            cx.out.wake_at = Some(self.next(cx.now));
        }
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        match told {
            Told::Event(happened) => self.happened(happened, cx),
            Told::Displaced { .. } => {
                let (code, reason) = quirks::REPLACED;
                cx.out.hang_up = Some((code, reason.to_owned()));
                return;
            }
            _ => return,
        }
        self.hold_back(cx.out);
        cx.out.wake_at = Some(self.next(cx.now));
    }

    fn reply(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        let Some(awaited) = self.awaiting.take(tag) else { return };
        match reply {
            Ok(receipt) => self.granted(awaited, receipt, cx),
            Err(why) => self.refused(awaited, &why, cx),
        }
        self.hold_back(cx.out);
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        if !std::mem::replace(&mut self.begun, true) {
            self.query(PendingReply::Login, Query::Login { token: String::new() }, cx.out);
        }
        match self.ping_at {
            Some(at) if at <= cx.now => {
                if self.has_spoken {
                    self.ping(Vec::new(), cx.out);
                }
                self.ping_at = Some(cx.now.plus(limits::HEARTBEAT));
            }
            Some(_) => {}
            None => self.ping_at = Some(cx.now.plus(limits::HEARTBEAT)),
        }
        self.ask_again(cx);
        self.gave_up(cx);
        self.fell_silent(cx);
        self.no_model_came(cx);
        self.hold_back(cx.out);
        Some(self.next(cx.now))
    }
}

pub(super) fn send(said: &WhimmyFrame<'_>, out: &mut Outbox) {
    out.text(serde_json::to_string(said).expect("frames have text keys"));
}

impl std::fmt::Debug for Whimmy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct(NAME).field("chat", &self.chat).finish_non_exhaustive()
    }
}
