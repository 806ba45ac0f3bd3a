//! An agent behind the whimmy plugin: asks on one socket, may be answered on another, and confirms with a pong.

use std::sync::Arc;

use askbridge_core::answer::{Answer, Outcome, Pick};
use askbridge_core::ask::Body;
use askbridge_core::event::{Event, Settled};
use askbridge_core::ids::{AskId, Timestamp};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::dice::Dice;
use crate::house::Doors;
use crate::judge;
use crate::plan::Plan;
use crate::wire::{ROOM, Socket};
use crate::world::World;

const QUESTION: &str = "Which way?";
const LABELS: [&str; 2] = ["North", "East"];
/// How long the plugin waits for an answer. Beyond: it continues without one, and does not say so.
const PATIENCE_MS: i64 = 120_000;

pub(crate) struct Plugin {
    name: String,
    token: String,
    dice: Dice,
    trouble: u32,
    calm: bool,
    rounds: usize,
    at: usize,
    /// When the current question was first asked.
    asked_at: Option<Timestamp>,
}

impl Plugin {
    pub(crate) fn new(name: String, token: String, dice: Dice, plan: &Plan) -> Self {
        Self { name, token, dice, trouble: plan.wire_trouble, calm: false, rounds: plan.rounds, at: 0, asked_at: None }
    }

    pub(crate) fn calm_down(&mut self) {
        self.calm = true;
    }

    pub(crate) fn waits_for(&self) -> Option<String> {
        (self.at < self.rounds).then(|| self.key())
    }

    fn next(&mut self) {
        self.at += 1;
        self.asked_at = None;
    }

    fn id(&self) -> String {
        format!("{}-{}", self.name, self.at)
    }

    /// The key under which the bridge knows the question.
    fn key(&self) -> String {
        format!("q:{}", self.id())
    }

    fn is_troubled(&mut self) -> bool {
        !self.calm && self.dice.in_thousand(self.trouble)
    }
}

pub(crate) async fn live(world: Arc<World>, me: Arc<Mutex<Plugin>>, doors: Doors) {
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
        let pipe = doors.connect_to("whimmy", node, ROOM);
        let path = format!("/api/v1/providers/ws?token={token}");
        if let Some(socket) = Socket::over(pipe, &path, None).await {
            converse(&world, &me, socket).await;
        }
        sleep(pause).await;
    }
    std::future::pending().await
}

/// Asks its questions, one after the other, until the connection ends.
async fn converse(world: &World, me: &Mutex<Plugin>, mut socket: Socket) -> Option<()> {
    while me.lock().waits_for().is_some() {
        let (id, key, name) = {
            let me = me.lock();
            (me.id(), me.key(), me.name.clone())
        };
        let asked_at = *me.lock().asked_at.get_or_insert_with(|| world.log.now());
        if world.log.now().0 - asked_at.0 > PATIENCE_MS {
            world.log.line(&name, None, format!("{id}: goes on without an answer"));
            me.lock().next();
            continue;
        }
        let options = LABELS.map(|label| json!({"label": label, "description": ""}));
        let questions = json!([{"question": QUESTION, "header": "Way", "options": options, "multiSelect": false}]);
        let asked = json!({"sessionKey": name, "agentId": "main", "questionId": id, "questions": questions});
        let event = json!({"event": "ask_user_question", "payload": asked});
        socket.say(&json!({"type": "event", "payload": event})).await?;
        let mut heard = false;
        loop {
            // If the question or its answer was lost, asking again under the same id gets the answer.
            let patience = me.lock().dice.millis(20_000, 40_000);
            let Ok(frame) = timeout(patience, socket.hear()).await else { return None };
            let frame = frame?;
            if me.lock().is_troubled() {
                world.log.line(&name, None, "drops its line");
                return None;
            }
            match frame["type"].as_str().unwrap_or_default() {
                "hook.ask_user_answer" if frame["payload"]["questionId"] == id.as_str() => {
                    heard = true;
                    if hear(world, &name, &key, &frame["payload"]["answers"]).await == PluginReply::Refusal {
                        break;
                    }
                }
                "ping" => {
                    socket.say(&json!({"type": "pong"})).await?;
                    if heard {
                        break;
                    }
                }
                _ => {}
            }
        }
        me.lock().next();
    }
    // Let the last proof of delivery arrive before the connection closes.
    timeout(std::time::Duration::from_secs(1), socket.hear()).await.ok().flatten().map(drop)
}

/// What the plugin received as an answer.
#[derive(PartialEq)]
enum PluginReply {
    Verdict,
    /// A sentence that it could not be asked. No ping follows, because there is nothing to prove.
    Refusal,
}

/// Laws 1 and 2: what the plugin receives is in the journal at that moment, and says the same.
async fn hear(world: &World, name: &str, key: &str, answers: &Value) -> PluginReply {
    let said = answers[QUESTION].as_str().unwrap_or_default();
    let ask = judge::ask_of_key(world, key).await;
    let session = ask.map(|ask| ask.session);
    world.log.line(name, session, format!("hears {said}"));
    let Some((ask, decided)) = ask.and_then(|ask| Some((ask, settled(world, ask)?))) else {
        // An option here would be invented: no person chose it.
        if LABELS.contains(&said) {
            world.log.broke(1, session, format!("{name} was told “{said}”, which is not in the journal"));
        }
        return PluginReply::Refusal;
    };
    if decided != said {
        let why = format!("{name} was told “{said}”, and decided was “{decided}”");
        world.log.broke(2, Some(ask.session), why);
    }
    if let Some(revoked) = world.revoked(name)
        && judge::settled_after(world, ask, revoked.after)
    {
        world.log.broke(
            8,
            Some(ask.session),
            format!("{name} got a verdict that was made after its token was revoked"),
        );
    }
    let mut ledger = world.ledger.lock();
    if !ledger.known.contains(&ask) {
        ledger.known.push(ask);
    }
    PluginReply::Verdict
}

/// Returns the text that the plugin should receive for an ask, if it was decided.
fn settled(world: &World, ask: AskId) -> Option<String> {
    let stored = world.stored(ask.session);
    let mut asked = None;
    for written in stored.iter().flat_map(|stored| &stored.entry.events) {
        match &*written.event {
            Event::Asked(known) if known.id == ask => asked = Some(Arc::clone(known)),
            Event::Settled(settled) if settled.ask == ask => return words(&asked?.body, settled),
            _ => {}
        }
    }
    None
}

fn words(body: &Body, settled: &Settled) -> Option<String> {
    let label = |picks: &[Pick]| {
        let Body::Questions(questions) = body else { return None };
        let at = picks.first()?.chosen.first()?;
        Some(questions.first()?.options.get(usize::from(*at))?.label.clone())
    };
    match &settled.outcome {
        Outcome::Answered { answer: Answer::Questions(picks), .. } => label(picks),
        // That no person chose it stands behind the option.
        Outcome::Ruled { answer: Answer::Questions(picks), .. } => {
            Some(format!("{} ({})", label(picks)?, settled.verdict.words))
        }
        _ => Some(settled.verdict.words.clone()),
    }
}
