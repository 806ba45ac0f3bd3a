//! An agent that asks over HTTP with an idempotency key, and repeats the request until the ask is settled.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::event::Event;
use askbridge_core::ids::AskId;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::rounds::Round;
use crate::dice::Dice;
use crate::house::Doors;
use crate::log::session_of;
use crate::plan::Plan;
use crate::wire::{ApiRequest, call};
use crate::world::World;

/// What the agent remembers from one life of the bridge to the next.
pub(crate) struct Agent {
    name: String,
    token: String,
    dice: Dice,
    trouble: u32,
    calm: bool,
    rounds: Vec<Round>,
    at: usize,
    session: Option<String>,
    /// Every ask id that it was given, with its key; all are fetched once more at the end.
    ids: Vec<(String, String)>,
    done: bool,
    /// Makes all its asks before it waits for the first answer?
    at_once: bool,
}

impl Agent {
    pub(crate) fn new(name: String, token: String, mut dice: Dice, plan: &Plan) -> Self {
        let mut thoughts = plan.second_thoughts.then(|| dice.aside());
        let draw = |number| Round::draw(&name, number, &mut dice, thoughts.as_mut());
        let rounds = (0..plan.rounds).map(draw).collect();
        Self::with(name, token, dice, plan, rounds)
    }

    /// Returns an agent that makes many large asks at once.
    pub(crate) fn with_large_asks(name: String, token: String, mut dice: Dice, plan: &Plan) -> Self {
        let rounds = (0..plan.large).map(|number| Round::large(&name, number, &mut dice)).collect();
        Self { at_once: true, ..Self::with(name, token, dice, plan, rounds) }
    }

    fn with(name: String, token: String, dice: Dice, plan: &Plan, rounds: Vec<Round>) -> Self {
        let (trouble, ids) = (plan.wire_trouble, Vec::new());
        Self { name, token, dice, trouble, calm: false, rounds, at: 0, session: None, ids, done: false, at_once: false }
    }

    pub(crate) fn calm_down(&mut self) {
        self.calm = true;
    }

    /// Returns the key of the ask that it waits for, or `None` if it is done.
    pub(crate) fn waits_for(&self) -> Option<String> {
        let key = self.rounds.get(self.at).map(|round| round.key.clone());
        (!self.done).then(|| key.unwrap_or_default())
    }

    fn is_troubled(&mut self) -> bool {
        !self.calm && self.dice.in_thousand(self.trouble)
    }
}

pub(crate) async fn live(world: Arc<World>, me: Arc<Mutex<Agent>>, doors: Doors) {
    let before = {
        let me = me.lock();
        if me.at_once && me.at == 0 { me.rounds.clone() } else { Vec::new() }
    };
    for round in before {
        while request(&world, &me, &doors, &round.key, "POST", "/v1/asks?wait=0", Some(&round.body)).await.is_none() {
            if me.lock().done {
                return;
            }
        }
    }
    loop {
        let round = {
            let me = me.lock();
            me.rounds.get(me.at).cloned().filter(|_| !me.done)
        };
        let Some(round) = round else { break };
        go(&world, &me, &doors, &round).await;
        me.lock().at += 1;
    }
    // Fetching an ask again must show the same.
    let ids = me.lock().ids.clone();
    for (key, id) in ids {
        let path = format!("/v1/asks/{id}");
        loop {
            let seen = request(&world, &me, &doors, &key, "GET", &path, None).await;
            if seen.is_some() || me.lock().done {
                break;
            }
        }
    }
    me.lock().done = true;
    std::future::pending().await
}

/// Repeats an ask until it is settled.
async fn go(world: &World, me: &Mutex<Agent>, doors: &Doors, round: &Round) {
    let mut body = round.body.clone();
    if round.shared {
        let session = session(world, me, doors).await;
        body["session"] = json!(session);
        if me.lock().done {
            return;
        }
    }
    let began = Instant::now();
    loop {
        let wait = me.lock().dice.below(8);
        let path = format!("/v1/asks?wait={wait}");
        let twice = me.lock().is_troubled();
        let status = if twice {
            // The same request on two connections at once, as a retrying proxy sends it.
            let one = request(world, me, doors, &round.key, "POST", &path, Some(&body));
            let other = request(world, me, doors, &round.key, "POST", &path, Some(&body));
            tokio::join!(one, other).0
        } else {
            request(world, me, doors, &round.key, "POST", &path, Some(&body)).await
        };
        if status == Some(SETTLED) || me.lock().done {
            return;
        }
        if round.withdraw_after.is_some_and(|after| began.elapsed() > after) {
            let id = me.lock().ids.iter().find(|(key, _)| *key == round.key).map(|(_, id)| id.clone());
            if let Some(id) = id {
                let path = format!("/v1/asks/{id}/withdraw");
                let why = json!({"why": "it found out by itself"});
                request(world, me, doors, &round.key, "POST", &path, Some(&why)).await;
            }
        }
    }
}

/// In place of an HTTP status: the view shows an ask that is no longer open.
const SETTLED: u16 = 1;

async fn session(world: &World, me: &Mutex<Agent>, doors: &Doors) -> String {
    loop {
        if let Some(session) = me.lock().session.clone() {
            return session;
        }
        let name = me.lock().name.clone();
        if world.revoked(&name).is_some() {
            me.lock().done = true;
            return String::new();
        }
        let (token, node, pause) = {
            let mut me = me.lock();
            (me.token.clone(), me.dice.below(8), me.dice.millis(50, 500))
        };
        let start = json!({"agent": "simulated"});
        let post = ApiRequest { method: "POST", path: "/v1/sessions", token: &token, headers: &[], body: Some(&start) };
        match call(doors, node, &post).await {
            Some((201, started)) => {
                let id = started["id"].as_str().unwrap_or_default().to_owned();
                let known = id.parse().is_ok_and(|session| !world.stored(session).is_empty());
                if !known {
                    world.log.broke(1, session_of(&id), "a session was started that is not in the journal");
                }
                me.lock().session = Some(id);
            }
            _ => sleep(pause).await,
        }
    }
}

/// Makes one request and records the response. Returns its status, or [`SETTLED`].
async fn request(
    world: &World,
    me: &Mutex<Agent>,
    doors: &Doors,
    key: &str,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Option<u16> {
    let (name, token, node, patience, pause) = {
        let mut me = me.lock();
        let patience = if me.is_troubled() { me.dice.millis(1, 2_000) } else { Duration::from_secs(600) };
        (me.name.clone(), me.token.clone(), me.dice.below(8), patience, me.dice.millis(50, 900))
    };
    let was_revoked = world.revoked(&name).is_some();
    let headers = [("idempotency-key", key)];
    let headers = if path.starts_with("/v1/asks?") { &headers[..] } else { &[] };
    let asking = ApiRequest { method, path, token: &token, headers, body };
    let Ok(Some((status, view))) = timeout(patience, call(doors, node, &asking)).await else {
        world.log.line(&name, None, format!("{key}: the line went dead"));
        sleep(pause).await;
        return None;
    };
    let id = view["id"].as_str().unwrap_or_default();
    let about = session_of(id);
    let code = view["code"].as_str().unwrap_or_default();
    let state = view["state"].as_str().unwrap_or_default();
    world.log.line(&name, about, format!("{key}: {status} {state}{code}"));
    if was_revoked && status < 400 {
        world.log.broke(8, about, format!("{name} asked with a revoked token and got {status}"));
    }
    match (status, id.parse::<AskId>()) {
        // The token was revoked in the meantime; the agent is done.
        (401, _) if world.revoked(&name).is_some() => {
            me.lock().done = true;
            Some(status)
        }
        (200 | 201, Ok(ask)) => {
            check(world, ask, &view);
            let mut me = me.lock();
            if !me.ids.iter().any(|(_, known)| known == id) {
                me.ids.push((key.to_owned(), id.to_owned()));
            }
            let mut ledger = world.ledger.lock();
            ledger.views.push((key.to_owned(), view.clone()));
            if !ledger.known.contains(&ask) {
                ledger.known.push(ask);
            }
            Some(if matches!(state, "open" | "proposed") { status } else { SETTLED })
        }
        // Too late to withdraw.
        (409 | 410, _) if path.ends_with("/withdraw") => Some(status),
        (429 | 503, _) => {
            sleep(pause).await;
            None
        }
        _ => {
            world.log.broke(4, about, format!("{name} asked with {key} and got {status} {view}"));
            sleep(pause).await;
            None
        }
    }
}

/// Law 1: what an agent is told is in the journal at that moment.
fn check(world: &World, ask: AskId, view: &Value) {
    if !world.has(ask.session, |event| matches!(event, Event::Asked(asked) if asked.id == ask)) {
        world.log.broke(1, Some(ask.session), format!("{ask} was acknowledged and is not in the journal"));
    }
    let words = view["verdict"]["words"].as_str();
    let settled = |event: &Event| match event {
        Event::Settled(settled) => settled.ask == ask && Some(settled.verdict.words.as_str()) == words,
        _ => false,
    };
    if words.is_some() && !world.has(ask.session, settled) {
        world.log.broke(1, Some(ask.session), format!("{ask} was told a verdict that is not in the journal"));
    }
}
