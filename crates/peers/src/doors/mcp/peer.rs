//! The machine of one request: at most one call, until its result is written.

use askbridge_core::event::{Event, Parcel};
use askbridge_core::ids::{AskId, SessionId, Timestamp};
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::session::End;
use serde_json::Value;

use super::ask::Asking;
use super::client_session::ClientSession;
use super::clients::Patience;
use super::dialog::Dialog;
use super::era::Era;
use super::outcome::Outcome;
use super::{hear, sse};
use crate::awaiting::Awaiting;
use crate::peer::{Cx, Frame, Garbled, Outbox, Peer, Tag};
use crate::told::Told;
use crate::wish::{Query, Receipt, Rejection, Wish};

/// The close code of a connection that took everything that was written.
const NORMAL: u16 = 1000;
/// How often an unusable session is skipped for the next.
const MOVES_MAX: u32 = 8;
/// The proof of delivery for every result that was written.
const PROOF: &str = "the connection took the result";

pub(super) struct Mcp {
    pub(super) patience: Patience,
    pub(super) caller: String,
    pub(super) call: Option<Box<McpCall>>,
    /// A stream without messages, for clients that open one.
    pub(super) is_listening: bool,
    awaiting: Awaiting<PendingReply>,
}

/// The call being handled.
pub(super) struct McpCall {
    pub(super) id: Value,
    pub(super) era: Era,
    pub(super) client_session: ClientSession,
    pub(super) what: McpRequest,
    /// The token for progress notifications, if the client wants them.
    pub(super) progress: Option<Value>,
    pub(super) takes_events: bool,
    /// The client polls a task for the answer.
    pub(super) takes_tasks: bool,
    /// When the client may give up.
    pub(super) until: Timestamp,
    pub(super) waiting: WaitMode,
    pub(super) ask: Option<AskId>,
    /// The session's events are being followed.
    pub(super) is_watching: bool,
    /// The dialog in the client's own window, if one is open.
    pub(super) dialog: Option<Dialog>,
    /// The answer from the dialog, while it is being recorded.
    pub(super) said_there: Option<String>,
    /// The result to be written.
    pub(super) outcome: Option<Outcome>,
    /// What goes along with it, and how many asks are still being fetched for that.
    pub(super) news: Vec<String>,
    pub(super) looking: usize,
    /// What the result delivers to the agent.
    pub(super) parcels: Vec<Parcel>,
    pub(super) is_over: bool,
    pub(super) moves: u32,
}

impl McpCall {
    pub(super) fn new(id: Value, era: Era, client_session: ClientSession, what: McpRequest, until: Timestamp) -> Self {
        Self {
            id,
            era,
            client_session,
            what,
            progress: None,
            takes_events: false,
            takes_tasks: false,
            until,
            waiting: WaitMode::NotYet,
            ask: None,
            is_watching: false,
            dialog: None,
            said_there: None,
            outcome: None,
            news: Vec::new(),
            looking: 0,
            parcels: Vec::new(),
            is_over: false,
            moves: 0,
        }
    }

    /// The session after one that has ended. `None`: too many were skipped already.
    pub(super) fn after(&mut self, end: &End) -> Option<SessionId> {
        if self.moves == MOVES_MAX {
            return None;
        }
        self.moves += 1;
        match end {
            End::Continued { to, .. } => self.client_session.session = *to,
            End::Closed { .. } => self.client_session.move_on(),
        }
        Some(self.client_session.session)
    }
}

/// What the client wants.
pub(super) enum McpRequest {
    Ask(Box<Asking>),
    Wait(Option<AskId>),
    Cancel {
        ask: AskId,
        why: String,
    },
    Notify {
        level: askbridge_core::event::Level,
        text: String,
    },
    TaskGet(AskId),
    /// We never need input for a task, so this changes nothing.
    TaskUpdate(AskId),
    TaskCancel(AskId),
    Leave,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitMode {
    NotYet,
    /// Without events: the client does not accept them.
    Silent,
    Streaming {
        asked_at: Timestamp,
    },
}

/// What a reply is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum PendingReply {
    Started,
    Asked,
    /// The same was asked before.
    Known,
    Look,
    /// The question to wait for, if none was named.
    Oldest,
    Withdrawn,
    /// The dialog in the client's window was answered first.
    Overtaken,
    Noted,
    Session,
    News,
    Leaving,
    Left,
    Nothing,
}

impl Mcp {
    pub(super) fn new(patience: Patience, caller: &str) -> Self {
        Self { patience, caller: caller.to_owned(), call: None, is_listening: false, awaiting: Awaiting::default() }
    }

    pub(super) fn wish(&mut self, awaited: PendingReply, wish: Wish, out: &mut Outbox) {
        self.awaiting.wish(awaited, wish, out);
    }

    pub(super) fn query(&mut self, awaited: PendingReply, query: Query, out: &mut Outbox) {
        self.awaiting.query(awaited, query, out);
    }

    fn granted(&mut self, awaited: PendingReply, receipt: Receipt, cx: &mut Cx<'_>) {
        match awaited {
            PendingReply::Started => self.started(cx.out),
            PendingReply::Asked => self.asked(&receipt, cx.out),
            PendingReply::Known => self.known(receipt, cx),
            PendingReply::Look => self.looked(receipt, cx),
            PendingReply::Oldest => self.found_oldest(receipt, cx.out),
            PendingReply::Withdrawn => self.withdrawn(cx.out),
            PendingReply::Overtaken => self.look_again(cx.out),
            PendingReply::Noted => self.say(Outcome::Noted, cx.out),
            PendingReply::Session => self.gathered(receipt, cx.out),
            PendingReply::News => self.heard_news(receipt, cx.out),
            PendingReply::Leaving => self.leaving(receipt, cx.out),
            PendingReply::Left => self.left(cx.out),
            PendingReply::Nothing => {}
        }
    }

    fn refused(&mut self, awaited: PendingReply, why: &Rejection, cx: &mut Cx<'_>) {
        match awaited {
            PendingReply::Started | PendingReply::Asked | PendingReply::Noted if self.moves_on(why) => {
                self.start(cx.out)
            }
            // A person was quicker: there is an answer after all.
            PendingReply::Withdrawn
                if matches!(why, Rejection::Refused(Refusal::Conflict { .. } | Refusal::Gone { .. })) =>
            {
                match self.call.as_ref().map(|call| &call.what) {
                    Some(McpRequest::Cancel { ask, .. }) => {
                        let ask = *ask;
                        self.query(PendingReply::Look, Query::Ask(ask), cx.out);
                    }
                    _ => self.withdrawn(cx.out),
                }
            }
            PendingReply::Started | PendingReply::Asked | PendingReply::Noted | PendingReply::Withdrawn => {
                self.say(Outcome::Failed(why.to_string()), cx.out);
            }
            // A person elsewhere was first.
            PendingReply::Overtaken => self.look_again(cx.out),
            PendingReply::Known | PendingReply::Look => self.say(Outcome::Failed(why.to_string()), cx.out),
            PendingReply::Oldest => self.say(Outcome::NothingOpen, cx.out),
            // What cannot be found now goes along with the next call.
            PendingReply::Session => self.respond(cx.out),
            PendingReply::News => self.heard_news(Receipt::default(), cx.out),
            PendingReply::Leaving | PendingReply::Left => self.left(cx.out),
            PendingReply::Nothing => {}
        }
    }

    /// Skips a session that has ended, or that belongs to another caller.
    fn moves_on(&mut self, why: &Rejection) -> bool {
        let Some(call) = &mut self.call else { return false };
        let is_of_no_use = matches!(
            why,
            Rejection::Forbidden(_)
                | Rejection::Refused(
                    Refusal::AlreadyStarted(_)
                        | Refusal::SessionClosed(_)
                        | Refusal::SessionFull(_)
                        | Refusal::UnknownSession(_)
                )
        );
        if !is_of_no_use || call.moves == MOVES_MAX {
            return false;
        }
        call.moves += 1;
        call.client_session.move_on();
        true
    }

    pub(super) fn start(&mut self, out: &mut Outbox) {
        if let Some(call) = &self.call {
            let start = call.client_session.start();
            self.wish(PendingReply::Started, start, out);
        }
    }

    /// The connection took the result: what it carried is delivered.
    fn ended(&mut self, code: u16, out: &mut Outbox) {
        let Some(call) = self.call.take() else { return };
        if code == NORMAL && call.is_over {
            for parcel in call.parcels {
                self.wish(PendingReply::Nothing, Wish::Deliver { parcel, proof: PROOF.to_owned() }, out);
            }
        }
    }
}

impl Peer for Mcp {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        match frame {
            Frame::Request(request) if self.call.is_none() && !self.is_listening => self.heard(&request, cx),
            Frame::Close(code, _) => self.ended(code, cx.out),
            _ => {}
        }
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        let Some(call) = &self.call else { return };
        match told {
            Told::Event(happened) if call.outcome.is_none() => {
                let ask = match &*happened.event {
                    Event::Settled(settled) => settled.ask,
                    Event::Withdrawn { ask, .. } | Event::Overtaken { ask, .. } => *ask,
                    _ => return,
                };
                // Also while the ask is still being fetched: that view may be outdated when it arrives.
                if call.ask == Some(ask) && call.is_watching {
                    self.query(PendingReply::Look, Query::Ask(ask), cx.out);
                }
            }
            Told::Whispered { words, .. } if *words == hear::cancellation(&call.id) => self.given_up(cx.out),
            Told::Whispered { words, .. } => self.hear_dialog(words, cx),
            _ => {}
        }
    }

    fn reply(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        let Some(awaited) = self.awaiting.take(tag) else { return };
        match reply {
            Ok(receipt) => self.granted(awaited, receipt, cx),
            Err(why) => self.refused(awaited, &why, cx),
        }
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        if self.is_listening {
            sse::beat(cx.out);
            return Some(cx.now.plus(limits::HEARTBEAT));
        }
        self.waited(cx)
    }
}
