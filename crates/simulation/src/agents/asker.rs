//! An agent that holds a connection: when it dies, what it asked is stranded; when it comes back, it asks the same again.

use std::sync::Arc;

use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, MessageId};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::dice::Dice;
use crate::house::Doors;
use crate::plan::Plan;
use crate::wire::{ROOM, Socket};
use crate::world::{Heard, World};

pub(crate) struct Asker {
    name: String,
    token: String,
    dice: Dice,
    trouble: u32,
    calm: bool,
    rounds: usize,
    at: usize,
}

impl Asker {
    pub(crate) fn new(name: String, token: String, dice: Dice, plan: &Plan) -> Self {
        Self { name, token, dice, trouble: plan.wire_trouble, calm: false, rounds: plan.rounds, at: 0 }
    }

    pub(crate) fn calm_down(&mut self) {
        self.calm = true;
    }

    pub(crate) fn waits_for(&self) -> Option<String> {
        (self.at < self.rounds).then(|| self.id())
    }

    fn id(&self) -> String {
        format!("{}-{}", self.name, self.at)
    }

    fn is_troubled(&mut self) -> bool {
        !self.calm && self.dice.in_thousand(self.trouble)
    }
}

pub(crate) async fn live(world: Arc<World>, me: Arc<Mutex<Asker>>, doors: Doors) {
    while me.lock().waits_for().is_some() {
        let name = me.lock().name.clone();
        if world.revoked(&name).is_some() {
            let mut me = me.lock();
            me.at = me.rounds;
            break;
        }
        let (token, node, pause) = {
            let mut me = me.lock();
            (me.token.clone(), me.dice.below(8), me.dice.millis(20, 1_500))
        };
        if let Some(socket) = Socket::open(&doors, node, ROOM, &format!("/asker?token={token}"), None).await {
            converse(&world, &me, socket).await;
        }
        sleep(pause).await;
    }
    std::future::pending().await
}

/// Asks what is to be asked, one after the other, until the connection is gone.
async fn converse(world: &World, me: &Mutex<Asker>, mut socket: Socket) -> Option<()> {
    while socket.hear().await?["op"] != "ready" {}
    while me.lock().waits_for().is_some() {
        let (id, name) = {
            let me = me.lock();
            (me.id(), me.name.clone())
        };
        let options = json!([{"label": "North"}, {"label": "East"}]);
        let body = json!({"questions": [{"question": "Which way?", "options": options}]});
        socket.say(&json!({"op": "ask", "id": id, "body": body})).await?;
        let mut ask = None;
        loop {
            // Whatever was lost on the way, somebody who asks again gets it.
            let patience = me.lock().dice.millis(20_000, 40_000);
            let Ok(frame) = timeout(patience, socket.hear()).await else { return None };
            let frame = frame?;
            if me.lock().is_troubled() {
                world.log.line(&name, ask.map(|ask: AskId| ask.session), "drops its line");
                return None;
            }
            match frame["op"].as_str().unwrap_or_default() {
                "taken" if frame["id"] == id.as_str() => {
                    let taken: AskId = frame["ask"].as_str()?.parse().ok()?;
                    world.log.line(&name, Some(taken.session), format!("{id}: taken"));
                    if !world.has(taken.session, |event| matches!(event, Event::Asked(asked) if asked.id == taken)) {
                        world.log.broke(1, Some(taken.session), format!("{taken} was taken and is not in the journal"));
                    }
                    ask = Some(taken);
                }
                "verdict" if frame["id"] == id.as_str() => {
                    hear(world, &name, ask?, &frame);
                    socket.say(&json!({"op": "heard", "id": id})).await?;
                    break;
                }
                "note" => {
                    let note: MessageId = frame["note"].as_str()?.parse().ok()?;
                    if Some(note.session) == ask.map(|ask| ask.session) {
                        hear(world, &name, ask?, &frame);
                        socket.say(&json!({"op": "heard", "note": frame["note"]})).await?;
                        break;
                    }
                }
                "refused" if frame["code"] == "down" || frame["code"] == "too_fast" => return None,
                "refused" if world.revoked(&name).is_some() => return None,
                "refused" => world.log.broke(4, ask.map(|ask| ask.session), format!("{name} was refused: {frame}")),
                _ => {}
            }
        }
        me.lock().at += 1;
    }
    // Let the last proof arrive before the line is closed.
    timeout(std::time::Duration::from_secs(1), socket.hear()).await.ok().flatten().map(drop)
}

fn hear(world: &World, name: &str, ask: AskId, frame: &Value) {
    let ruling = frame["ruling"].as_str().map(str::to_owned);
    let words = frame["words"].as_str().or_else(|| frame["text"].as_str()).unwrap_or_default().to_owned();
    world.log.line(name, Some(ask.session), format!("hears {ruling:?}"));
    let there = world.has(ask.session, |event| match event {
        Event::Settled(settled) => settled.ask == ask && ruling.is_some() && settled.verdict.words == words,
        Event::Said(said) => ruling.is_none() && said.text == words,
        _ => false,
    });
    if !there {
        world.log.broke(1, Some(ask.session), format!("{name} was told something that is not in the journal"));
    }
    world.ledger.lock().verdicts.push(Heard { ask, ruling, words });
}
