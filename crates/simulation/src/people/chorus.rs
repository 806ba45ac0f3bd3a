//! A person with a screen that only appends: sees everything anew each time, names asks by call or not at all.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout_at};

use super::mind::{Card, Mind, Mishap, questions};
use crate::house::Doors;
use crate::wire::{ROOM, Socket};
use crate::world::{What, World};

pub(crate) async fn live(world: Arc<World>, mind: Arc<Mutex<Mind>>, doors: Doors) {
    loop {
        let name = mind.lock().name.clone();
        if world.revoked(&name).is_some() && !mind.lock().tries_again() {
            return world.log.line(&name, None, "goes home");
        }
        let (node, pause, token) = {
            let mut mind = mind.lock();
            (mind.dice.below(8), mind.dice.millis(5, 800), mind.token.clone())
        };
        if let Some(socket) = Socket::open(&doors, node, ROOM, "/chorus", Some(&token)).await {
            converse(&world, &mind, socket).await;
        }
        sleep(pause).await;
    }
}

async fn converse(world: &World, mind: &Mutex<Mind>, mut socket: Socket) -> Option<()> {
    mind.lock().connected(true);
    loop {
        let due = mind.lock().next_due();
        match timeout_at(due, socket.hear()).await {
            Ok(frame) => heard(world, mind, &frame?),
            Err(_) => {
                let taken = mind.lock().take_due();
                if let Some((_, card)) = taken {
                    act(world, mind, &mut socket, &card).await?;
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

fn heard(world: &World, mind: &Mutex<Mind>, frame: &Value) {
    let sung = frame["sing"].as_str().unwrap_or_default();
    let (r#in, call) = (frame["in"].as_str().unwrap_or_default(), frame["call"].as_str());
    let key = format!("{} {}", r#in, call.unwrap_or_default());
    let name = mind.lock().name.clone();
    let session = r#in.parse().ok();
    if session.is_some() {
        world.log.line(&name, session, format!("is sung: {sung}"));
    }
    match (sung, session, questions(&frame["questions"], "text", "options")) {
        ("ask", Some(session), Some(questions)) => {
            let is_call = |known: Option<&str>| known == call;
            let asked = |event: &askbridge_core::event::Event| match event {
                askbridge_core::event::Event::Asked(ask) => is_call(ask.call.as_ref().map(|call| call.as_str())),
                _ => false,
            };
            if !world.has(session, asked) {
                world.log.broke(1, Some(session), format!("{name} was shown an ask that is not in the journal"));
            }
            let approval = questions.iter().any(|(_, options)| *options == ["Allow", "Deny"]);
            let call = call.map(str::to_owned);
            mind.lock().shown(&key, Card { session, number: None, call, questions, approval });
        }
        ("over", ..) => mind.lock().over(&key, false),
        _ => {}
    }
}

async fn act(world: &World, mind: &Mutex<Mind>, socket: &mut Socket, card: &Card) -> Option<()> {
    let decided = mind.lock().decide(card);
    let Some((sent, chosen)) = decided else { return Some(()) };
    world.note_sent(&sent);
    let named = json!({"in": card.session.to_string(), "call": card.call});
    let mut frame = match sent.what {
        What::Dismiss => json!({"close": named}),
        What::Answer(_) => json!({"answer": named}),
    };
    if matches!(sent.what, What::Answer(_)) {
        frame["answer"]["to"] = card.labels(&chosen);
    }
    let twice = mind.lock().mishap() == Some(Mishap::Twice);
    for _ in 0..=usize::from(twice) {
        socket.say(&frame).await?;
    }
    // Nothing is acknowledged here: look again later, in case it was lost.
    let key = format!("{} {}", card.session, card.call.as_deref().unwrap_or_default());
    mind.lock().intend(key);
    Some(())
}
