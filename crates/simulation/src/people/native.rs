//! A person with our own client: comes back with a cursor and has to see everything, once.

use std::sync::Arc;

use askbridge_core::answer::Who;
use askbridge_core::event::Event;
use askbridge_core::ids::AskId;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout_at};

use super::mind::{Card, Mind, Mishap};
use crate::house::Doors;
use crate::judge;
use crate::log::session_of;
use crate::wire::{ROOM, Socket};
use crate::world::{Sent, What, World};

/// A pipe that a slow reader fills soon.
const SMALL_ROOM: usize = 2048;

struct Client {
    world: Arc<World>,
    mind: Arc<Mutex<Mind>>,
    /// Where this client writes down what it watched.
    book: usize,
    cursor: Arc<Mutex<Option<String>>>,
    /// What was said on this connection, by tag, and under which key it was shown.
    said: Vec<(String, Wished)>,
    /// Events of an entry whose last event has not come yet.
    pending: Vec<Value>,
}

/// What a client waits to hear about.
#[derive(Clone)]
enum Wished {
    Decision(Sent),
    Undo,
    Extend,
}

pub(crate) async fn live(
    world: Arc<World>,
    mind: Arc<Mutex<Mind>>,
    book: usize,
    cursor: Arc<Mutex<Option<String>>>,
    doors: Doors,
) {
    loop {
        let name = mind.lock().name.clone();
        if world.revoked(&name).is_some() && !mind.lock().tries_again() {
            return world.log.line(&name, None, "goes home");
        }
        let (node, room, pause) = {
            let mut mind = mind.lock();
            let room = if mind.dice.in_thousand(300) { SMALL_ROOM } else { ROOM };
            (mind.dice.below(8), room, mind.dice.millis(5, 800))
        };
        if let Some(socket) = Socket::open(&doors, node, room, "/v1/ws", None).await {
            let (world, mind, cursor) = (Arc::clone(&world), Arc::clone(&mind), Arc::clone(&cursor));
            let mut client = Client { world, mind, book, cursor, said: Vec::new(), pending: Vec::new() };
            client.converse(socket).await;
        }
        sleep(pause).await;
    }
}

impl Client {
    /// Goes on until the connection is gone.
    async fn converse(&mut self, mut socket: Socket) -> Option<()> {
        let token = self.mind.lock().token.clone();
        let cursor = self.cursor.lock().clone();
        socket.say(&json!({"type": "hello", "token": token, "cursor": cursor})).await?;
        self.mind.lock().connected(false);
        loop {
            let due = self.mind.lock().next_due();
            match timeout_at(due, socket.hear()).await {
                Ok(frame) => self.heard(&frame?),
                Err(_) => {
                    let taken = self.mind.lock().take_due();
                    if let Some((key, card)) = taken {
                        self.act(&mut socket, &key, &card).await?;
                    }
                }
            }
            let mishap = self.mind.lock().mishap();
            match mishap {
                Some(Mishap::Cut) => return None,
                Some(Mishap::Stall(span) | Mishap::Delay(span)) => sleep(span).await,
                Some(Mishap::Twice) | None => {}
            }
        }
    }

    fn heard(&mut self, frame: &Value) {
        match frame["type"].as_str().unwrap_or_default() {
            "snapshot" => self.snapshot(frame),
            "event" => self.event(frame),
            "reply" => self.reply(frame),
            _ => {}
        }
    }

    fn snapshot(&mut self, frame: &Value) {
        let cursor = frame["cursor"].as_str().map(str::to_owned);
        let asks = frame["asks"].as_array().cloned().unwrap_or_default();
        let name = self.mind.lock().name.clone();
        self.world.log.line(&name, None, format!("sees {} open asks", asks.len()));
        let mut ledger = self.world.ledger.lock();
        let watched = &mut ledger.watched[self.book];
        watched.snapshots += 1;
        if watched.first_cursor.is_none() {
            watched.first_cursor.clone_from(&cursor);
            watched.first_had_more = frame["more"] == true;
            watched.first_open = asks.iter().filter_map(|ask| ask["id"].as_str().map(str::to_owned)).collect();
        }
        drop(ledger);
        *self.cursor.lock() = cursor;
        for ask in asks {
            if let (Some(id), Some(card)) = (ask["id"].as_str(), Card::of_json(&ask)) {
                self.mind.lock().shown(id, card);
            }
        }
    }

    fn event(&mut self, frame: &Value) {
        let event = &frame["event"];
        let session = frame["session"].as_str().and_then(session_of);
        let kind = event["type"].as_str().unwrap_or_default();
        let name = self.mind.lock().name.clone();
        self.world.log.line(&name, session, format!("is told: {kind}"));
        // Law 1: whatever anybody is told is in the journal at that moment.
        if let Some(session) = session
            && !self.world.has_json(session, event)
        {
            self.world.log.broke(1, Some(session), format!("{name} was told of {kind}, which is not in the journal"));
        }
        if let Some(session) = session {
            judge::was_told(&self.world, &name, session, event);
        }
        match kind {
            "asked" => {
                if let (Some(id), Some(card)) = (event["ask"]["id"].as_str(), Card::of_json(&event["ask"])) {
                    self.mind.lock().shown(id, card);
                }
            }
            "settled" => {
                let late = matches!(event["outcome"]["type"].as_str(), Some("expired"));
                self.mind.lock().over(event["ask"].as_str().unwrap_or_default(), late);
            }
            "withdrawn" | "overtaken" => self.mind.lock().over(event["ask"].as_str().unwrap_or_default(), false),
            _ => {}
        }
        self.pending.push(event.clone());
        if let Some(here) = frame["cursor"].as_str() {
            *self.cursor.lock() = Some(here.to_owned());
            self.world.ledger.lock().watched[self.book].events.append(&mut self.pending);
        }
    }

    fn reply(&mut self, frame: &Value) {
        let tag = frame["tag"].as_u64().unwrap_or(u64::MAX) as usize;
        let Some((key, wished)) = self.said.get(tag).cloned() else { return };
        let Wished::Decision(sent) = wished else {
            return self.changed_mind(&key, &wished, frame);
        };
        if frame["ok"] == true {
            self.world.note_acknowledged(&sent, Some(frame["late"] == true));
            return;
        }
        let code = frame["error"]["code"].as_str().unwrap_or_default();
        self.world.log.line(&sent.person, Some(sent.session), format!("is refused: {code}"));
        match code {
            "down" | "too_fast" => self.mind.lock().intend(key),
            "already_decided" => {
                let winner = frame["error"]["winner"]["by"]["person"].as_str().map(str::to_owned);
                if !self.world.was_won_by(&sent, winner.as_deref()) {
                    let why = format!("{} was told that {winner:?} decided first", sent.person);
                    self.world.log.broke(2, Some(sent.session), why);
                }
            }
            "gone" | "not_open" => {}
            other => {
                let why = format!("{} was refused for no good reason: {other}", sent.person);
                self.world.log.broke(4, Some(sent.session), why);
            }
        }
    }

    /// Whatever a person is told to have taken back or extended is so in the journal.
    fn changed_mind(&self, key: &str, wished: &Wished, frame: &Value) {
        let Ok(ask) = key.parse::<AskId>() else { return };
        let name = self.mind.lock().name.clone();
        let code = frame["error"]["code"].as_str().unwrap_or("done");
        let what = if matches!(wished, Wished::Undo) { "take it back" } else { "extend it" };
        self.world.log.line(&name, Some(ask.session), format!("tries to {what}: {code}"));
        // What is asked again in the place of another is meant by the name of the first.
        let (session, number, person) = (ask.session, Some(ask.number), name.clone());
        let cards = self.world.cards(&Sent { person, session, number, call: None, what: What::Dismiss });
        let is_it = |event: &AskId, by: &Who| cards.contains(&event.number) && by.person.as_str() == name;
        let there = self.world.has(ask.session, |event| match (event, wished) {
            (Event::Undone { ask, by }, Wished::Undo) => is_it(ask, by),
            (Event::Extended { ask, by, .. }, Wished::Extend) => is_it(ask, by),
            _ => false,
        });
        // What was extended so far already is no news; what was taken back always is.
        let was_so = frame["news"] == false && matches!(wished, Wished::Extend);
        if frame["ok"] == true && !was_so && !there {
            let why = format!("{name} was told that they could {what}, but it is not in the journal");
            self.world.log.broke(1, Some(ask.session), why);
        }
    }

    async fn act(&mut self, socket: &mut Socket, key: &str, card: &Card) -> Option<()> {
        let decided = self.mind.lock().decide(card);
        let Some((sent, chosen)) = decided else {
            let more = self.mind.lock().dice.in_thousand(200);
            if more {
                let extend = json!({"type": "extend", "tag": self.said.len(), "ask": key, "seconds": 30});
                self.said.push((key.to_owned(), Wished::Extend));
                socket.say(&extend).await?;
            }
            return Some(());
        };
        let twice = self.mind.lock().mishap() == Some(Mishap::Twice);
        let undo = self.mind.lock().undo_seconds();
        for _ in 0..=usize::from(twice) {
            self.world.note_sent(&sent);
            let mut frame = json!({"type": "answer", "tag": self.said.len(), "ask": key});
            match (&sent.what, card.approval) {
                (What::Dismiss, _) => frame["type"] = json!("dismiss"),
                (_, true) => frame["decision"] = json!(if chosen == [Some(0)] { "allow" } else { "deny" }),
                (_, false) => frame["answers"] = card.labels(&chosen),
            }
            if undo > 0 && sent.what != What::Dismiss {
                frame["undo_seconds"] = json!(undo);
            }
            self.said.push((key.to_owned(), Wished::Decision(sent.clone())));
            socket.say(&frame).await?;
        }
        if self.mind.lock().takes_back() {
            let undo = json!({"type": "undo", "tag": self.said.len(), "ask": key});
            self.said.push((key.to_owned(), Wished::Undo));
            socket.say(&undo).await?;
            self.mind.lock().intend(key.to_owned());
        }
        // Second thoughts: somebody who answers again, differently, is told that it is too late.
        if self.mind.lock().dice.in_thousand(150) {
            self.mind.lock().intend(key.to_owned());
        }
        Some(())
    }
}
