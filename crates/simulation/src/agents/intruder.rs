//! An agent that tries to decide its own asks, and a client with an invalid token. Both must always be refused.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::limits;
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::sleep;

use crate::dice::Dice;
use crate::house::Doors;
use crate::wire::{ApiRequest, call};
use crate::world::World;

pub(crate) async fn live(world: Arc<World>, token: String, dice: Arc<Mutex<Dice>>, doors: Doors) {
    loop {
        sleep(Duration::from_millis(700)).await;
        let known = world.ledger.lock().known.clone();
        let (place, node, thrown) = {
            let mut dice = dice.lock();
            (dice.below(known.len()), dice.below(8), dice.below(5))
        };
        let Some(ask) = known.get(place) else { continue };
        let verb = ["answer", "dismiss", "withdraw", "extend", "answer"][thrown];
        let token = if thrown == 4 { "ab_nobody" } else { &token };
        let body = match verb {
            "answer" => json!({"answers": {"Which way?": "North"}}),
            _ => json!({"words": "mine"}),
        };
        let path = format!("/v1/asks/{ask}/{verb}");
        let post = ApiRequest { method: "POST", path: &path, token, headers: &[], body: Some(&body) };
        if let Some((status, said)) = call(&doors, node, &post).await {
            world.log.line("intruder", Some(ask.session), format!("tries to {verb}: {status}"));
            if !matches!(status, 401 | 403 | 404 | 429 | 503) {
                world.log.broke(8, Some(ask.session), format!("an intruder could {verb}: {status} {said}"));
            }
        }
        if thrown == 0 {
            let huge = json!({"plan": "x".repeat(limits::BODY_BYTES_MAX)});
            let post = ApiRequest { method: "POST", path: "/v1/asks", token, headers: &[], body: Some(&huge) };
            if let Some((status, _)) = call(&doors, node, &post).await
                && !matches!(status, 413 | 503)
            {
                world.log.broke(7, None, format!("a body beyond the limit was answered with {status}"));
            }
        }
    }
}
