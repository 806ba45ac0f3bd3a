//! A person with our own client: reconnects with a cursor, and has to see everything exactly once.

use std::sync::Arc;

use askbridge_core::answer::Who;
use askbridge_core::event::Event;
use askbridge_core::ids::AskId;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout_at};

use super::mind::{Card, Mind, Mishap};
use super::watching::Watching;
use crate::house::Doors;
use crate::wire::{ROOM, Socket};
use crate::world::{PersonDecision, Sent, World};

/// A small pipe, which a slow reader fills soon.
const SMALL_ROOM: usize = 2048;

struct Client {
    watching: Watching,
    /// What was sent on this connection, by tag, with the key of its card.
    said: Vec<(String, Wished)>,
}

/// What a client waits for a reply to.
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
            let watching = Watching::new(world, mind, book, cursor);
            Client { watching, said: Vec::new() }.converse(socket).await;
        }
        sleep(pause).await;
    }
}

impl Client {
    /// Runs until the connection ends.
    async fn converse(&mut self, mut socket: Socket) -> Option<()> {
        let token = self.watching.mind.lock().token.clone();
        let cursor = self.watching.cursor.lock().clone();
        socket.say(&json!({"type": "hello", "token": token, "cursor": cursor})).await?;
        self.watching.mind.lock().connected(false);
        loop {
            let due = self.watching.mind.lock().next_due();
            match timeout_at(due, socket.hear()).await {
                Ok(frame) => self.heard(&frame?),
                Err(_) => {
                    let taken = self.watching.mind.lock().take_due();
                    if let Some((key, card)) = taken {
                        self.act(&mut socket, &key, &card).await?;
                    }
                }
            }
            let mishap = self.watching.mind.lock().mishap();
            match mishap {
                Some(Mishap::Cut) => return None,
                Some(Mishap::Stall(span) | Mishap::Delay(span)) => sleep(span).await,
                Some(Mishap::Twice) | None => {}
            }
        }
    }

    fn heard(&mut self, frame: &Value) {
        match frame["type"].as_str() {
            Some("reply") => self.reply(frame),
            _ => self.watching.heard(frame),
        }
    }

    fn reply(&mut self, frame: &Value) {
        let tag = frame["tag"].as_u64().unwrap_or(u64::MAX) as usize;
        let Some((key, wished)) = self.said.get(tag).cloned() else { return };
        let Wished::Decision(sent) = wished else {
            return self.changed_mind(&key, &wished, frame);
        };
        if frame["ok"] == true {
            self.watching.world.note_acknowledged(&sent, Some(frame["late"] == true));
            return;
        }
        let code = frame["error"]["code"].as_str().unwrap_or_default();
        self.watching.world.log.line(&sent.person, Some(sent.session), format!("is refused: {code}"));
        match code {
            "down" | "too_fast" => self.watching.mind.lock().intend(key),
            "already_decided" => {
                let winner = frame["error"]["winner"]["by"]["person"].as_str().map(str::to_owned);
                if !self.watching.world.was_won_by(&sent, winner.as_deref()) {
                    let why = format!("{} was told that {winner:?} decided first", sent.person);
                    self.watching.world.log.broke(2, Some(sent.session), why);
                }
            }
            "gone" | "not_open" => {}
            other => {
                let why = format!("{} was refused for no good reason: {other}", sent.person);
                self.watching.world.log.broke(4, Some(sent.session), why);
            }
        }
    }

    /// Law 1: an undo or an extension that was confirmed is in the journal.
    fn changed_mind(&self, key: &str, wished: &Wished, frame: &Value) {
        let Ok(ask) = key.parse::<AskId>() else { return };
        let name = self.watching.mind.lock().name.clone();
        let code = frame["error"]["code"].as_str().unwrap_or("done");
        let what = if matches!(wished, Wished::Undo) { "take it back" } else { "extend it" };
        self.watching.world.log.line(&name, Some(ask.session), format!("tries to {what}: {code}"));
        // An ask that replaced another is also meant by the id of the first.
        let (session, number, person) = (ask.session, Some(ask.number), name.clone());
        let cards =
            self.watching.world.cards(&Sent { person, session, number, call: None, what: PersonDecision::Dismiss });
        let is_it = |event: &AskId, by: &Who| cards.contains(&event.number) && by.person.as_str() == name;
        let there = self.watching.world.has(ask.session, |event| match (event, wished) {
            (Event::Undone { ask, by }, Wished::Undo) => is_it(ask, by),
            (Event::Extended { ask, by, .. }, Wished::Extend) => is_it(ask, by),
            _ => false,
        });
        // An extension to the deadline that already holds is not recorded again; an undo always is.
        let was_so = frame["news"] == false && matches!(wished, Wished::Extend);
        if frame["ok"] == true && !was_so && !there {
            let why = format!("{name} was told that they could {what}, but it is not in the journal");
            self.watching.world.log.broke(1, Some(ask.session), why);
        }
    }

    async fn act(&mut self, socket: &mut Socket, key: &str, card: &Card) -> Option<()> {
        let decided = self.watching.mind.lock().decide(card);
        let Some((sent, chosen)) = decided else {
            let more = self.watching.mind.lock().dice.in_thousand(200);
            if more {
                let extend = json!({"type": "extend", "tag": self.said.len(), "ask": key, "seconds": 30});
                self.said.push((key.to_owned(), Wished::Extend));
                socket.say(&extend).await?;
            }
            return Some(());
        };
        let twice = self.watching.mind.lock().mishap() == Some(Mishap::Twice);
        let undo = self.watching.mind.lock().undo_seconds();
        for _ in 0..=usize::from(twice) {
            self.watching.world.note_sent(&sent);
            let mut frame = json!({"type": "answer", "tag": self.said.len(), "ask": key});
            match (&sent.what, card.approval) {
                (PersonDecision::Dismiss, _) => frame["type"] = json!("dismiss"),
                (_, true) => frame["decision"] = json!(if chosen == [Some(0)] { "allow" } else { "deny" }),
                (_, false) => frame["answers"] = card.labels(&chosen),
            }
            if undo > 0 && sent.what != PersonDecision::Dismiss {
                frame["undo_seconds"] = json!(undo);
            }
            self.said.push((key.to_owned(), Wished::Decision(sent.clone())));
            socket.say(&frame).await?;
        }
        if self.watching.mind.lock().takes_back() {
            let undo = json!({"type": "undo", "tag": self.said.len(), "ask": key});
            self.said.push((key.to_owned(), Wished::Undo));
            socket.say(&undo).await?;
            self.watching.mind.lock().intend(key.to_owned());
        }
        // Second thoughts: a person who answers again, differently, is told that it is too late.
        if self.watching.mind.lock().dice.in_thousand(150) {
            self.watching.mind.lock().intend(key.to_owned());
        }
        Some(())
    }
}
