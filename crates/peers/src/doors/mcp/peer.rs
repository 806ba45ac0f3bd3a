//! The machine of one request: at most one call, until its last word is said.

use askbridge_core::event::{Event, Parcel};
use askbridge_core::ids::{AskId, SessionId, Timestamp};
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::session::End;
use serde_json::Value;

use super::ask::Asking;
use super::clients::Patience;
use super::dialog::Dialog;
use super::era::Era;
use super::outcome::Outcome;
use super::place::Place;
use super::{hear, sse};
use crate::awaiting::Awaiting;
use crate::peer::{Cx, Frame, Garbled, Outbox, Peer, Tag};
use crate::told::Told;
use crate::wish::{Query, Receipt, Rejection, Wish};

/// How a connection ends that has taken everything that was written.
const NORMAL: u16 = 1000;
/// How often a session that cannot be used is passed over for the next.
const MOVES_MAX: u32 = 8;
/// What every result that was written counts as.
const PROOF: &str = "the connection took the result";

pub(super) struct Mcp {
    pub(super) patience: Patience,
    pub(super) caller: String,
    pub(super) call: Option<Box<Call>>,
    /// A stream on which nothing is ever said, for clients that want one.
    pub(super) is_listening: bool,
    awaiting: Awaiting<Awaited>,
}

/// A call in hand.
pub(super) struct Call {
    pub(super) id: Value,
    pub(super) era: Era,
    pub(super) place: Place,
    pub(super) what: What,
    /// Where to say that time passes, if the client wants to know.
    pub(super) progress: Option<Value>,
    pub(super) takes_events: bool,
    /// The client polls a task for the answer.
    pub(super) takes_tasks: bool,
    /// From then on the client may give up.
    pub(super) until: Timestamp,
    pub(super) waiting: Waiting,
    pub(super) ask: Option<AskId>,
    /// Its session is listened to.
    pub(super) is_watching: bool,
    /// What is open in the client's own window.
    pub(super) dialog: Option<Dialog>,
    /// What was said there, once that is on record.
    pub(super) said_there: Option<String>,
    /// What is going to be said.
    pub(super) outcome: Option<Outcome>,
    /// What goes along with it, and how much of that is still looked for.
    pub(super) news: Vec<String>,
    pub(super) looking: usize,
    /// What reaches the agent with the last word.
    pub(super) parcels: Vec<Parcel>,
    pub(super) is_over: bool,
    pub(super) moves: u32,
}

impl Call {
    pub(super) fn new(id: Value, era: Era, place: Place, what: What, until: Timestamp) -> Self {
        Self {
            id,
            era,
            place,
            what,
            progress: None,
            takes_events: false,
            takes_tasks: false,
            until,
            waiting: Waiting::NotYet,
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

    /// The session that follows one that is over, as far as there may be one.
    pub(super) fn after(&mut self, end: &End) -> Option<SessionId> {
        if self.moves == MOVES_MAX {
            return None;
        }
        self.moves += 1;
        match end {
            End::Continued { to, .. } => self.place.session = *to,
            End::Closed { .. } => self.place.move_on(),
        }
        Some(self.place.session)
    }
}

/// What the client wants.
pub(super) enum What {
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
    /// Nothing is ever wanted of the client, so this changes nothing.
    TaskUpdate(AskId),
    TaskCancel(AskId),
    Leave,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    NotYet,
    /// Silently: the client takes no events.
    Silent,
    Streaming {
        asked_at: Timestamp,
    },
}

/// What a ruling is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Awaited {
    Started,
    Asked,
    /// It was asked before.
    Known,
    Look,
    /// The question to wait for, if none was named.
    Oldest,
    Withdrawn,
    /// The client's own window was first.
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

    pub(super) fn wish(&mut self, awaited: Awaited, wish: Wish, out: &mut Outbox) {
        self.awaiting.wish(awaited, wish, out);
    }

    pub(super) fn query(&mut self, awaited: Awaited, query: Query, out: &mut Outbox) {
        self.awaiting.query(awaited, query, out);
    }

    fn granted(&mut self, awaited: Awaited, receipt: Receipt, cx: &mut Cx<'_>) {
        match awaited {
            Awaited::Started => self.started(cx.out),
            Awaited::Asked => self.asked(&receipt, cx.out),
            Awaited::Known => self.known(receipt, cx),
            Awaited::Look => self.looked(receipt, cx),
            Awaited::Oldest => self.found_oldest(receipt, cx.out),
            Awaited::Withdrawn => self.withdrawn(cx.out),
            Awaited::Overtaken => self.look_again(cx.out),
            Awaited::Noted => self.say(Outcome::Noted, cx.out),
            Awaited::Session => self.gathered(receipt, cx.out),
            Awaited::News => self.heard_news(receipt, cx.out),
            Awaited::Leaving => self.leaving(receipt, cx.out),
            Awaited::Left => self.left(cx.out),
            Awaited::Nothing => {}
        }
    }

    fn refused(&mut self, awaited: Awaited, why: &Rejection, cx: &mut Cx<'_>) {
        match awaited {
            Awaited::Started | Awaited::Asked | Awaited::Noted if self.moves_on(why) => self.start(cx.out),
            // Somebody was quicker: there is an answer after all.
            Awaited::Withdrawn
                if matches!(why, Rejection::Refused(Refusal::Conflict { .. } | Refusal::Gone { .. })) =>
            {
                match self.call.as_ref().map(|call| &call.what) {
                    Some(What::Cancel { ask, .. }) => {
                        let ask = *ask;
                        self.query(Awaited::Look, Query::Ask(ask), cx.out);
                    }
                    _ => self.withdrawn(cx.out),
                }
            }
            Awaited::Started | Awaited::Asked | Awaited::Noted | Awaited::Withdrawn => {
                self.say(Outcome::Failed(why.to_string()), cx.out);
            }
            // A person elsewhere was first.
            Awaited::Overtaken => self.look_again(cx.out),
            Awaited::Known | Awaited::Look => self.say(Outcome::Failed(why.to_string()), cx.out),
            Awaited::Oldest => self.say(Outcome::NothingOpen, cx.out),
            // What cannot be found now is found at the next call.
            Awaited::Session => self.respond(cx.out),
            Awaited::News => self.heard_news(Receipt::default(), cx.out),
            Awaited::Leaving | Awaited::Left => self.left(cx.out),
            Awaited::Nothing => {}
        }
    }

    /// A session that was closed, or that is another caller's: the next one is taken.
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
        call.place.move_on();
        true
    }

    pub(super) fn start(&mut self, out: &mut Outbox) {
        if let Some(call) = &self.call {
            let start = call.place.start();
            self.wish(Awaited::Started, start, out);
        }
    }

    /// The other side took the last word: whatever it carried has reached the agent.
    fn ended(&mut self, code: u16, out: &mut Outbox) {
        let Some(call) = self.call.take() else { return };
        if code == NORMAL && call.is_over {
            for parcel in call.parcels {
                self.wish(Awaited::Nothing, Wish::Deliver { parcel, proof: PROOF.to_owned() }, out);
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
                // Also before it is known how the ask stands: that may be old news by the time it is heard.
                if call.ask == Some(ask) && call.is_watching {
                    self.query(Awaited::Look, Query::Ask(ask), cx.out);
                }
            }
            Told::Whispered { words, .. } if *words == hear::cancellation(&call.id) => self.given_up(cx.out),
            Told::Whispered { words, .. } => self.hear_dialog(words, cx),
            _ => {}
        }
    }

    fn reply(&mut self, tag: Tag, ruling: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        let Some(awaited) = self.awaiting.take(tag) else { return };
        match ruling {
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
