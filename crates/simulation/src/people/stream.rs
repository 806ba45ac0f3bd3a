//! A person who follows the event stream and answers with separate requests, as a script does.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout_at};

use super::mind::{Card, Mind, Mishap};
use super::watching::Watching;
use crate::house::Doors;
use crate::wire::{ApiRequest, EventStream, call};
use crate::world::{PersonDecision, Sent, World};

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
        let (node, pause, token) = {
            let mut mind = mind.lock();
            (mind.dice.below(8), mind.dice.millis(5, 800), mind.token.clone())
        };
        let after = cursor.lock().clone();
        if let Some(events) = EventStream::open(&doors, node, &token, after.as_deref()).await {
            mind.lock().connected(false);
            let mut watching = Watching::new(Arc::clone(&world), Arc::clone(&mind), book, Arc::clone(&cursor));
            follow(&mut watching, &doors, events).await;
        }
        sleep(pause).await;
    }
}

/// Runs until the stream ends.
async fn follow(watching: &mut Watching, doors: &Doors, mut events: EventStream) -> Option<()> {
    loop {
        let due = watching.mind.lock().next_due();
        match timeout_at(due, events.hear()).await {
            Ok(frame) => watching.heard(&frame?),
            Err(_) => {
                let taken = watching.mind.lock().take_due();
                if let Some((key, card)) = taken {
                    act(&watching.world, &watching.mind, doors, &key, &card).await;
                }
            }
        }
        let mishap = watching.mind.lock().mishap();
        match mishap {
            Some(Mishap::Cut) => return None,
            Some(Mishap::Stall(span) | Mishap::Delay(span)) => sleep(span).await,
            Some(Mishap::Twice) | None => {}
        }
    }
}

async fn act(world: &World, mind: &Mutex<Mind>, doors: &Doors, key: &str, card: &Card) {
    let decided = mind.lock().decide(card);
    let Some((sent, chosen)) = decided else { return };
    let (verb, body) = match (&sent.what, card.approval) {
        (PersonDecision::Dismiss, _) => ("dismiss", json!({})),
        (_, true) => ("answer", json!({"decision": if chosen == [Some(0)] { "allow" } else { "deny" }})),
        (_, false) => ("answer", json!({"answers": card.labels(&chosen)})),
    };
    let path = format!("/v1/asks/{key}/{verb}");
    let twice = mind.lock().mishap() == Some(Mishap::Twice);
    for _ in 0..=usize::from(twice) {
        world.note_sent(&sent);
        let (node, token) = {
            let mut mind = mind.lock();
            (mind.dice.below(8), mind.token.clone())
        };
        let post = ApiRequest { method: "POST", path: &path, token: &token, headers: &[], body: Some(&body) };
        match call(doors, node, &post).await {
            Some((status @ (200 | 202), _)) => world.note_acknowledged(&sent, Some(status == 202)),
            Some((401, _)) if world.revoked(&sent.person).is_some() => {}
            Some((409 | 410, refused)) => was_refused(world, &sent, &refused),
            // Lost, rate-limited, or the journal is down: the answer may have counted, and is sent again.
            None | Some((429 | 503, _)) => mind.lock().intend(key.to_owned()),
            Some((status, said)) => {
                let why = format!("{} was refused for no good reason: {status} {said}", sent.person);
                world.log.broke(4, Some(sent.session), why);
            }
        }
    }
}

fn was_refused(world: &World, sent: &Sent, refused: &Value) {
    let code = refused["code"].as_str().unwrap_or_default();
    world.log.line(&sent.person, Some(sent.session), format!("is refused: {code}"));
    match code {
        "already_decided" => {
            let winner = refused["winner"]["by"]["person"].as_str();
            if !world.was_won_by(sent, winner) {
                let why = format!("{} was told that {winner:?} decided first", sent.person);
                world.log.broke(2, Some(sent.session), why);
            }
        }
        "gone" | "not_open" => {}
        other => {
            let why = format!("{} was refused for no good reason: {other}", sent.person);
            world.log.broke(4, Some(sent.session), why);
        }
    }
}
