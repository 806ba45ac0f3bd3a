//! A person whose letters come as an event stream and whose replies go by other requests.

use std::sync::Arc;

use askbridge_core::ids::AskId;
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::{sleep, timeout_at};

use super::mind::{Card, Mind, Mishap, questions};
use crate::house::Doors;
use crate::wire::{Call, Letter, Letters, call};
use crate::world::{What, World};

pub(crate) async fn live(world: Arc<World>, mind: Arc<Mutex<Mind>>, cursor: Arc<Mutex<Option<String>>>, doors: Doors) {
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
        if let Some(letters) = Letters::open(&doors, node, &token, after.as_deref()).await {
            mind.lock().connected(false);
            read(&world, &mind, &cursor, &doors, letters).await;
        }
        sleep(pause).await;
    }
}

async fn read(
    world: &World,
    mind: &Mutex<Mind>,
    cursor: &Mutex<Option<String>>,
    doors: &Doors,
    mut letters: Letters,
) -> Option<()> {
    loop {
        let due = mind.lock().next_due();
        match timeout_at(due, letters.hear()).await {
            Ok(letter) => heard(world, mind, cursor, &letter?),
            Err(_) => {
                let taken = mind.lock().take_due();
                if let Some((key, card)) = taken {
                    act(world, mind, doors, &key, &card).await;
                }
            }
        }
        let mishap = mind.lock().mishap();
        match mishap {
            Some(Mishap::Cut) => return None,
            Some(Mishap::Stall(span) | Mishap::Delay(span)) => sleep(span).await,
            Some(Mishap::Twice) | None => {}
        }
    }
}

fn heard(world: &World, mind: &Mutex<Mind>, cursor: &Mutex<Option<String>>, letter: &Letter) {
    let id = letter.data["letter"].as_str().unwrap_or_default();
    let name = mind.lock().name.clone();
    if let Ok(ask) = id.parse::<AskId>() {
        world.log.line(&name, Some(ask.session), format!("finds: {}", letter.name));
        if !world.has(ask.session, |event| event.ask() == Some(ask)) {
            world.log.broke(1, Some(ask.session), format!("{name} got a letter that is not in the journal"));
        }
        match (letter.name.as_str(), questions(&letter.data["questions"], "question", "boxes")) {
            ("letter", Some(questions)) => {
                let approval = questions.iter().any(|(_, options)| *options == ["Allow", "Deny"]);
                let (session, number) = (ask.session, Some(ask.number));
                mind.lock().shown(id, Card { session, number, call: None, questions, approval });
            }
            ("taken", _) => mind.lock().over(id, letter.data["how"] == "nobody came"),
            _ => {}
        }
    }
    if letter.id.is_some() {
        cursor.lock().clone_from(&letter.id);
    }
}

async fn act(world: &World, mind: &Mutex<Mind>, doors: &Doors, key: &str, card: &Card) {
    let decided = mind.lock().decide(card);
    let Some((sent, chosen)) = decided else { return };
    world.note_sent(&sent);
    let ticks = card.questions.iter().zip(&chosen);
    let ticks: serde_json::Map<_, _> =
        ticks.filter_map(|((text, _), chosen)| Some((text.clone(), json!([(*chosen)?])))).collect();
    let body = match sent.what {
        What::Dismiss => json!({"letter": key, "back": ""}),
        What::Answer(_) => json!({"letter": key, "ticks": ticks}),
    };
    let (node, token) = {
        let mut mind = mind.lock();
        (mind.dice.below(8), mind.token.clone())
    };
    let post = Call { method: "POST", path: "/letterbox/reply", token: &token, headers: &[], body: Some(&body) };
    match call(doors, node, &post).await {
        Some((200, reply)) if reply["resolved"] == true => world.note_acknowledged(&sent, None),
        Some((200, reply)) => {
            let why = reply["why"].as_str().unwrap_or_default();
            world.log.line(&sent.person, Some(sent.session), format!("is refused: {why}"));
            if !matches!(why, "already_decided" | "gone" | "not_open") {
                world.log.broke(4, Some(sent.session), format!("{} was refused: {why}", sent.person));
            }
        }
        Some((401, _)) if world.revoked(&sent.person).is_some() => {}
        _ => mind.lock().intend(key.to_owned()),
    }
}
