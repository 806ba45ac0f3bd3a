//! Law 8 for holders of revoked tokens: from the revocation on nothing is granted, told or delivered to them.
//!
//! The line is drawn in the journal, not by the clock: a revocation has a position, and its holder may not see what is
//! stored after it. What was on its way before may still arrive.

use std::collections::BTreeMap;
use std::sync::Arc;

use askbridge_core::event::{Event, Parcel};
use askbridge_core::ids::{AskId, Position, SessionId};
use askbridge_journal::Stored;
use serde_json::Value;

use crate::world::World;

/// Breaks the law if the event that a client was told of was stored after its token was revoked.
pub(crate) fn was_told(world: &World, name: &str, session: SessionId, event: &Value) {
    let Some(revoked) = world.revoked(name) else { return };
    let stored = world.stored(session);
    let is_it = |stored: &&Arc<Stored>| {
        let mut events = stored.entry.events.iter();
        events.any(|written| serde_json::from_str::<Value>(&written.json).is_ok_and(|it| it == *event))
    };
    if stored.iter().find(is_it).is_some_and(|stored| stored.position > revoked.after) {
        let kind = event["type"].as_str().unwrap_or_default();
        world.log.broke(8, Some(session), format!("{name} was told of {kind} after their token was revoked"));
    }
}

/// Was this ask decided after that entry?
pub(crate) fn settled_after(world: &World, ask: AskId, after: Position) -> bool {
    let settles = |event: &Event| matches!(event, Event::Settled(settled) if settled.ask == ask);
    let stored = world.stored(ask.session);
    stored.iter().any(|it| it.position > after && it.entry.events.iter().any(|written| settles(&written.event)))
}

/// Checks the journal and the ledger at the end.
pub(super) fn judge(world: &World, stored: &[Arc<Stored>]) {
    let mut askers: BTreeMap<AskId, &str> = BTreeMap::new();
    let mut settled: BTreeMap<AskId, Position> = BTreeMap::new();
    for entry in stored {
        for written in &entry.entry.events {
            match &*written.event {
                Event::Asked(ask) => drop(askers.insert(ask.id, ask.asker.party.as_str())),
                Event::Settled(it) => drop(settled.entry(it.ask).or_insert(entry.position)),
                Event::Delivered { parcel: Parcel::Verdict(ask), .. } => {
                    let asker = askers.get(ask).and_then(|party| world.revoked_party(party));
                    let decided = settled.get(ask).copied().unwrap_or(Position(0));
                    if asker.is_some_and(|revoked| decided > revoked.after) {
                        let why = format!("{ask} was decided after its asker's token was revoked, and delivered to it");
                        world.log.broke(8, Some(ask.session), why);
                    }
                }
                _ => {}
            }
        }
    }
    let views = world.ledger.lock().views.clone();
    for (key, view) in &views {
        let Some(ask) = view["id"].as_str().and_then(|id| id.parse::<AskId>().ok()) else { continue };
        let Some(revoked) = askers.get(&ask).and_then(|party| world.revoked_party(party)) else { continue };
        let told = !view["verdict"].is_null();
        if told && settled.get(&ask).is_some_and(|decided| *decided > revoked.after) {
            world.log.broke(
                8,
                Some(ask.session),
                format!("{key} got a verdict that was made after its token was revoked"),
            );
        }
    }
}
