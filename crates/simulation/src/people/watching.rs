//! How our own clients handle snapshots and events, over a socket or a stream: everything has to arrive once, and be in
//! the journal.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use super::mind::{Card, Mind};
use crate::judge;
use crate::log::session_of;
use crate::world::World;

pub(super) struct Watching {
    pub(super) world: Arc<World>,
    pub(super) mind: Arc<Mutex<Mind>>,
    /// The index of this client's record in [`crate::world::Ledger::watched`].
    pub(super) book: usize,
    pub(super) cursor: Arc<Mutex<Option<String>>>,
    /// Events of an entry whose last event has not arrived yet.
    pending: Vec<Value>,
}

impl Watching {
    pub(super) fn new(
        world: Arc<World>,
        mind: Arc<Mutex<Mind>>,
        book: usize,
        cursor: Arc<Mutex<Option<String>>>,
    ) -> Self {
        Self { world, mind, book, cursor, pending: Vec::new() }
    }

    pub(super) fn heard(&mut self, frame: &Value) {
        match frame["type"].as_str().unwrap_or_default() {
            "snapshot" => self.snapshot(frame),
            "event" => self.event(frame),
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
        // Law 1: an event that a client is told of is in the journal at that moment.
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
}
