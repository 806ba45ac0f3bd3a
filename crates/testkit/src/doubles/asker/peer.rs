//! The machine: what was asked on this connection, and how far each of it has come.

use std::collections::{BTreeMap, HashMap};

use askbridge_core::ask::{Ask, Body, Context, Reach};
use askbridge_core::event::Parcel;
use askbridge_core::ids::{AskId, CallId, Key, MessageId, Raw, Timestamp};
use askbridge_core::terms::Wishes;
use askbridge_core::verdict::Verdict;
use askbridge_core::wild;
use askbridge_peers::json;
use askbridge_peers::peer::{Cx, Frame, Garbled, Outbox, Peer, Tag};
use askbridge_peers::told::Told;
use askbridge_peers::wish::{AskRef, AskWish, Query, Receipt, Rejection, Watch, Wish};

use super::NAME;
use super::tell::say;
use super::wire::{Heard, Said};

const CLOSE_UNAUTHORIZED: u16 = 4401;
const CLOSE_BAD_FRAME: u16 = 1007;
const PROOF: &str = "the agent said that it heard";

/// One agent.
#[derive(Debug)]
pub struct Asker {
    token: Option<String>,
    ready: bool,
    /// The other side is gone: what is still in flight has to be stranded when it lands.
    pub(super) gone: bool,
    pub(super) asked: BTreeMap<String, Asked>,
    /// Notes that wait to be handed or acknowledged.
    pub(super) notes: BTreeMap<MessageId, String>,
    awaited: HashMap<Tag, Awaited>,
    tags: u64,
}

/// One ask of this connection, under the agent's own name for it.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Unknown until it is durable.
    pub(super) id: Option<AskId>,
    /// The way back was lost before: an answer comes as a note.
    pub(super) stranded: bool,
    pub(super) stage: Stage,
}

#[derive(Debug, Default)]
pub(super) enum Stage {
    #[default]
    Open,
    /// To be said once it is recorded that it was handed.
    Handing(Box<(Ask, Verdict)>),
    Over,
}

#[derive(Debug)]
pub(super) enum Awaited {
    Login,
    Ask(String),
    /// How an ask stands that was made before.
    Look(String),
    /// What waits in the session of a stranded ask.
    Notes,
    Handed(String),
    HandedNote(MessageId),
    /// About this ask, if it is about one: a refusal is passed on, a receipt is not.
    Word(Option<String>),
}

impl Asker {
    pub fn new(token: &str) -> Self {
        Self {
            token: Some(token.to_owned()),
            ready: false,
            gone: false,
            asked: BTreeMap::new(),
            notes: BTreeMap::new(),
            awaited: HashMap::new(),
            tags: 0,
        }
    }

    pub(super) fn wish(&mut self, awaited: Awaited, wish: Wish, out: &mut Outbox) {
        let tag = self.await_reply(awaited);
        out.wishes.push((tag, wish));
    }

    pub(super) fn query(&mut self, awaited: Awaited, query: Query, out: &mut Outbox) {
        let tag = self.await_reply(awaited);
        out.queries.push((tag, query));
    }

    fn await_reply(&mut self, awaited: Awaited) -> Tag {
        self.tags += 1;
        self.awaited.insert(Tag(self.tags), awaited);
        Tag(self.tags)
    }

    fn heard(&mut self, heard: Heard, out: &mut Outbox) {
        match heard {
            Heard::Ask { id, body } => self.ask(id, &body.to_string(), out),
            Heard::Ack { id: Some(id), .. } => {
                if let Some(ask) = self.known(&id, out) {
                    let deliver = Wish::Deliver { parcel: Parcel::Verdict(ask), proof: PROOF.to_owned() };
                    self.wish(Awaited::Word(Some(id)), deliver, out);
                }
            }
            Heard::Ack { note, .. } => match note.and_then(|note| note.parse::<MessageId>().ok()) {
                Some(note) => {
                    self.notes.remove(&note);
                    let deliver = Wish::Deliver { parcel: Parcel::Message(note), proof: PROOF.to_owned() };
                    self.wish(Awaited::Word(None), deliver, out);
                }
                None => refuse(out, None, "bad_request", "say which id or which note was heard"),
            },
            Heard::Nevermind { id, why } => {
                if let Some(ask) = self.known(&id, out) {
                    let why = why.unwrap_or_else(|| "the agent no longer needs it".to_owned());
                    self.wish(Awaited::Word(Some(id)), Wish::Withdraw { ask: AskRef::Id(ask), why }, out);
                }
            }
            Heard::Overheard { id, mouth } => {
                if let Some(ask) = self.known(&id, out) {
                    self.wish(Awaited::Word(Some(id)), Wish::Overtake { ask: AskRef::Id(ask), mouth, ran: None }, out);
                }
            }
        }
    }

    fn known(&self, id: &str, out: &mut Outbox) -> Option<AskId> {
        let known = self.asked.get(id).and_then(|asked| asked.id);
        if known.is_none() {
            refuse(out, Some(id), "unknown_ask", "nothing was asked under this id here");
        }
        known
    }

    fn ask(&mut self, id: String, original: &str, out: &mut Outbox) {
        let body = json::parse(original).map(|body| wild::body(&body, &json::parse));
        let body = match body {
            Some(Ok(body @ Body::Questions(_))) => body,
            Some(Err(error)) => return refuse(out, Some(&id), "bad_request", &error.to_string()),
            _ => return refuse(out, Some(&id), "bad_request", "the body is not an ask"),
        };
        let wish = AskWish {
            door: NAME,
            session: None,
            agent: None,
            body,
            wishes: Wishes::default(),
            reach: Reach::Held,
            call: Some(CallId::from(id.as_str())),
            made: None,
            context: Context::default(),
            key: Some(Key::from(id.as_str())),
            original: Some(Raw::from(original)),
        };
        self.asked.entry(id.clone()).or_default();
        self.wish(Awaited::Ask(id), Wish::Ask(Box::new(wish)), out);
    }

    /// Everything that still waits for a person loses its way back.
    fn strand(&mut self, out: &mut Outbox) {
        self.gone = true;
        let open = self.asked.values().filter(|asked| matches!(asked.stage, Stage::Open));
        let open: Vec<_> = open.filter_map(|asked| asked.id).collect();
        for ask in open {
            self.wish(Awaited::Word(None), Wish::Strand { ask: AskRef::Id(ask) }, out);
        }
    }

    fn granted(&mut self, awaited: Awaited, receipt: Receipt, out: &mut Outbox) {
        match awaited {
            Awaited::Login => {
                let Some(caller) = receipt.caller else { return };
                self.ready = true;
                say(out, &Said::Ready { name: &caller.name });
                out.watches.push(Watch::Inbox { after: None });
            }
            Awaited::Ask(id) => self.taken(id, receipt, out),
            Awaited::Look(id) => {
                if let Some(view) = receipt.view {
                    self.looked(&id, *view, out);
                }
            }
            Awaited::Notes => {
                let queued = receipt.session_view.map(|view| view.queued).unwrap_or_default();
                queued.into_iter().for_each(|(note, text)| self.hand_note(note, text, out));
            }
            Awaited::Handed(id) => self.say_verdict(&id, out),
            Awaited::HandedNote(note) => {
                if let Some(text) = self.notes.get(&note) {
                    say(out, &Said::Note { note: note.to_string(), text });
                }
            }
            Awaited::Word(_) => {}
        }
    }

    fn taken(&mut self, id: String, receipt: Receipt, out: &mut Outbox) {
        let Some(ask) = receipt.ask else { return };
        self.asked.entry(id.clone()).or_default().id = Some(ask);
        if self.gone {
            return self.wish(Awaited::Word(None), Wish::Strand { ask: AskRef::Id(ask) }, out);
        }
        say(out, &Said::Taken { id: &id, ask: ask.to_string() });
        // It may have been asked before, or decided by a rule before this receipt came: look how it stands.
        self.query(Awaited::Look(id), Query::Ask(ask), out);
    }
}

impl Peer for Asker {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        match frame {
            Frame::Text(text) => {
                let heard: Heard = serde_json::from_str(&text)
                    .map_err(|error| Garbled { code: CLOSE_BAD_FRAME, why: format!("not a frame: {error}") })?;
                match self.ready {
                    true => self.heard(heard, cx.out),
                    false => cx.out.hang_up = Some((CLOSE_UNAUTHORIZED, "not signed in".to_owned())),
                }
            }
            Frame::Close(..) => self.strand(cx.out),
            Frame::Request(_) | Frame::Response(_) | Frame::Chunk(_) => {}
        }
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        if let Told::Event(happened) = told {
            self.happened(happened, cx.out);
        }
    }

    fn reply(&mut self, tag: Tag, ruling: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        let Some(awaited) = self.awaited.remove(&tag) else { return };
        match (ruling, awaited) {
            (Ok(receipt), awaited) => self.granted(awaited, receipt, cx.out),
            (Err(rejection), Awaited::Login) => {
                cx.out.hang_up = Some((CLOSE_UNAUTHORIZED, rejection.to_string()));
            }
            (Err(rejection), Awaited::Ask(id)) => {
                self.asked.remove(&id);
                refuse(cx.out, Some(&id), rejection.code(), &rejection.to_string());
            }
            (Err(rejection), Awaited::Word(about)) => {
                refuse(cx.out, about.as_deref(), rejection.code(), &rejection.to_string());
            }
            // Neither asked for by the agent nor for it to mend: it comes again with the next connection.
            (Err(_), Awaited::Look(_) | Awaited::Notes | Awaited::Handed(_) | Awaited::HandedNote(_)) => {}
        }
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        if let Some(token) = self.token.take() {
            self.query(Awaited::Login, Query::Login { token }, cx.out);
        }
        None
    }
}

fn refuse(out: &mut Outbox, id: Option<&str>, code: &str, why: &str) {
    say(out, &Said::Refused { id, code, why: why.to_owned() });
}
