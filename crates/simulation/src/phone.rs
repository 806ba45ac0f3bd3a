//! A person with a phone: an ntfy server that outlives the bridge, whose calls are lost, late and refused, and taps on what it
//! shows, some of them twice.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use askbridge_bridge::outbound::{Dialer, Outbound, OutboundOptions, Wire};
use askbridge_bridge::ringing::{RingOptions, RingingOptions, ring};
use askbridge_bridge::server::App;
use askbridge_core::answer::{Answer, Decision, Pick, Scope};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, Timestamp};
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::dice::Dice;
use crate::house::Doors;
use crate::plan::Plan;
use crate::wire::{ApiRequest, ROOM, call};
use crate::world::{PersonDecision, Sent, World};

pub(crate) const PERSON: &str = "rung";
/// The law that is added to those of the design: a ring decides nothing, and nothing rings that was answered in its grace.
const LAW: u8 = 9;
const GRACE: Duration = Duration::from_secs(2);
const SERVER: &str = "http://10.0.0.9";
const TOPIC: &str = "phone";

/// The phone's server, and what the person does.
pub(crate) struct Phone {
    state: Mutex<PhoneState>,
    changed: Notify,
}

struct PhoneState {
    dice: Dice,
    trouble: u32,
    /// Everything that was published, to any topic.
    messages: Vec<Value>,
}

/// What becomes of one call.
enum CallFate {
    Fine,
    /// The connection breaks off before the server has read it.
    Lost,
    /// The server took it, and its response is lost.
    Unanswered,
    Late(Duration),
    Busy,
}

impl Phone {
    pub(crate) fn new(plan: &Plan) -> Self {
        // Half of the plans with a phone have calls that go wrong, however well their other wires are.
        let trouble = plan.wire_trouble.max(if plan.seed.is_multiple_of(2) { 200 } else { 0 });
        let state = PhoneState { dice: Dice::new(plan.seed, 7), trouble, messages: Vec::new() };
        Self { state: Mutex::new(state), changed: Notify::new() }
    }

    pub(crate) fn calm_down(&self) {
        self.state.lock().trouble = 0;
    }

    fn fate(&self) -> CallFate {
        let mut state = self.state.lock();
        let trouble = state.trouble;
        if !state.dice.in_thousand(trouble) {
            return CallFate::Fine;
        }
        match state.dice.below(4) {
            0 => CallFate::Lost,
            1 => CallFate::Unanswered,
            2 => CallFate::Late(state.dice.millis(500, 20_000)),
            _ => CallFate::Busy,
        }
    }

    fn store(&self, mut message: Value) -> Value {
        let mut state = self.state.lock();
        let id = format!("id{}", state.messages.len());
        message["id"] = json!(id);
        message["event"] = json!("message");
        message["time"] = json!(1);
        if message["sequence_id"].is_null() {
            message["sequence_id"] = json!(id);
        }
        state.messages.push(message.clone());
        drop(state);
        self.changed.notify_waiters();
        message
    }

    fn of_topic(&self, topic: &str, from: usize) -> (Vec<Value>, usize) {
        let state = self.state.lock();
        let messages = state.messages.iter().skip(from).filter(|message| message["topic"] == topic).cloned();
        (messages.collect(), state.messages.len())
    }
}

/// Lets this bridge ring the phone.
pub(crate) async fn ring_phone(world: &Arc<World>, app: &App) {
    let dialer = Arc::new(PhoneLine(Arc::clone(world)));
    app.call_out(Outbound::new(OutboundOptions { dialer, ..OutboundOptions::default() }));
    let when = RingOptions { grace: GRACE, remind: vec![Duration::from_secs(60)] };
    let public_url = Some("https://ask.example".to_owned());
    let options = RingingOptions { when, quiet: None, public_url, user: "machine".to_owned(), digest: None };
    ring(app, options).await.expect("memory can be read");
}

/// Adds the channel, unless it is there: an earlier life may have been killed before it could say so.
pub(crate) async fn adopt(world: Arc<World>, token: String, doors: Doors) {
    loop {
        let get = ApiRequest { method: "GET", path: "/v1/channels", token: &token, headers: &[], body: None };
        let listed = call(&doors, 0, &get).await;
        if listed.is_some_and(|(_, listed)| listed["items"].as_array().is_some_and(|items| !items.is_empty())) {
            return;
        }
        let body = json!({"kind": "ntfy", "server": SERVER, "topic": TOPIC});
        let add = ApiRequest { method: "POST", path: "/v1/channels", token: &token, headers: &[], body: Some(&body) };
        if let Some((201, _)) = call(&doors, 0, &add).await {
            world.log.line(PERSON, None, "adds a channel");
        }
        sleep(Duration::from_millis(300)).await;
    }
}

/// Every outgoing connection of the bridge leads to the phone's server.
struct PhoneLine(Arc<World>);

impl fmt::Debug for PhoneLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PhoneLine")
    }
}

impl Dialer for PhoneLine {
    fn dial<'a>(&'a self, _: &'a [SocketAddr]) -> BoxFuture<'a, io::Result<Wire>> {
        let (ours, theirs) = tokio::io::duplex(ROOM);
        tokio::spawn(serve(Arc::clone(&self.0), theirs));
        Box::pin(async move { Ok(Box::new(ours) as Wire) })
    }
}

async fn serve(world: Arc<World>, mut pipe: DuplexStream) -> Option<()> {
    let phone = world.phone.as_ref()?;
    let mut buffer = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if pipe.read_buf(&mut buffer).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        let length = length.unwrap_or(0);
        while buffer.len() < end + length {
            if pipe.read_buf(&mut buffer).await.ok()? == 0 {
                return None;
            }
        }
        let body = buffer[end..end + length].to_vec();
        buffer.drain(..end + length);
        let path = head.split(' ').nth(1)?.to_owned();
        let (path, query) = path.split_once('?').unwrap_or((&path, ""));
        if path.ends_with("/json") && !query.contains("poll=1") {
            return stream(phone, pipe, path.trim_matches('/').split('/').next()?).await;
        }
        let fate = phone.fate();
        if matches!(fate, CallFate::Lost) {
            return None;
        }
        let (status, answer) = match fate {
            CallFate::Busy => ("429 Too Many Requests", "{}".to_owned()),
            _ => ("200 OK", answer(&world, phone, path, &body)?),
        };
        match fate {
            CallFate::Unanswered => return None,
            CallFate::Late(after) => sleep(after).await,
            _ => {}
        }
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n", answer.len());
        pipe.write_all(head.as_bytes()).await.ok()?;
        pipe.write_all(answer.as_bytes()).await.ok()?;
    }
}

fn answer(world: &Arc<World>, phone: &Phone, path: &str, body: &[u8]) -> Option<String> {
    if path.ends_with("/auth") {
        return Some(r#"{"success":true}"#.to_owned());
    }
    if let Some(topic) = path.trim_matches('/').strip_suffix("/json") {
        let lines: Vec<_> = phone.of_topic(topic, 0).0.iter().map(|message| format!("{message}\n")).collect();
        return Some(lines.concat());
    }
    let message = phone.store(serde_json::from_slice(body).ok()?);
    // One that takes another's place is below the others, and makes no sound.
    let is_quiet = message["priority"] == json!(1);
    // That nobody answered in time is told, and is no ring.
    let is_news = message["title"].as_str().is_some_and(|title| title.ends_with("nobody answered in time"));
    if !is_quiet && !is_news {
        rang(world, &message);
    }
    Some(message.to_string())
}

/// The phone rings: was it right to, and what does the person do?
fn rang(world: &Arc<World>, message: &Value) {
    let link = message["click"].as_str().unwrap_or_default();
    let Some(ask) = link.rsplit_once("/asks/").and_then(|(_, id)| id.parse::<AskId>().ok()) else {
        return world.log.line("phone", None, "rings for several");
    };
    world.log.line("phone", Some(ask.session), format!("rings for {ask}"));
    let stored = world.stored(ask.session);
    let events: Vec<_> = stored.iter().flat_map(|stored| &stored.entry.events).map(|it| &*it.event).collect();
    let asked = events.iter().find_map(|event| match event {
        Event::Asked(known) if known.id == ask => Some(Arc::clone(known)),
        _ => None,
    });
    let Some(asked) = asked else {
        return world.log.broke(LAW, Some(ask.session), format!("{ask} rang, and was never asked"));
    };
    let due = asked.at.plus(GRACE);
    if world.log.now() < due {
        world.log.broke(LAW, Some(ask.session), format!("{ask} rang within its grace"));
    }
    if events.iter().any(|event| ended_at(event, ask).is_some_and(|at| at < due)) {
        world.log.broke(LAW, Some(ask.session), format!("{ask} was over within its grace, and rang"));
    }
    let Some(phone) = &world.phone else { return };
    let actions: Vec<Value> = message["actions"].as_array().cloned().unwrap_or_default();
    let actions: Vec<_> = actions.into_iter().filter(|action| action["action"] == "http").collect();
    let mut state = phone.state.lock();
    if actions.is_empty() || !state.dice.in_thousand(700) {
        return;
    }
    let action = actions[state.dice.below(actions.len())].clone();
    let (after, is_doubled) = (state.dice.millis(100, 6_000), state.dice.in_thousand(200));
    drop(state);
    let world = Arc::clone(world);
    tokio::spawn(async move {
        sleep(after).await;
        tap(&world, &asked, &action, is_doubled);
    });
}

fn ended_at(event: &Event, ask: AskId) -> Option<Timestamp> {
    match event {
        Event::Settled(settled) if settled.ask == ask => Some(settled.at),
        Event::Withdrawn { ask: other, at, .. } | Event::Overtaken { ask: other, at, .. } if *other == ask => Some(*at),
        _ => None,
    }
}

/// What the person taps is recorded before it is sent, as everything that people say: the judge accepts no other answer of
/// theirs.
fn tap(world: &World, asked: &Ask, action: &Value, is_doubled: bool) {
    let label = action["label"].as_str().unwrap_or_default();
    let Some(answer) = answer_of(asked, label) else { return };
    let (session, number) = (asked.id.session, Some(asked.id.number));
    let what = PersonDecision::Answer(answer);
    world.note_sent(&Sent { person: PERSON.to_owned(), session, number, call: None, what });
    let Some(phone) = &world.phone else { return };
    let url = action["url"].as_str().unwrap_or_default();
    let topic = url.rsplit('/').next().unwrap_or_default().split('?').next().unwrap_or_default();
    for _ in 0..1 + usize::from(is_doubled) {
        phone.store(json!({"topic": topic, "message": action["body"]}));
    }
}

fn answer_of(asked: &Ask, label: &str) -> Option<Answer> {
    match &asked.body {
        Body::Questions(questions) => {
            let option = questions.first()?.options.iter().position(|option| option.label == label)?;
            let chosen = vec![u16::try_from(option).ok()?];
            Some(Answer::Questions(vec![Pick { chosen, text: None, note: None }]))
        }
        Body::Approval(_) if label == "Deny" => Some(Answer::Approval(Decision::Deny { words: None, stop: false })),
        Body::Approval(_) => Some(Answer::Approval(Decision::Allow { scope: Scope::Once, edited: None })),
        Body::Plan(_) | Body::Form(_) => None,
    }
}

/// What was posted before, then what is posted.
async fn stream(phone: &Phone, mut pipe: DuplexStream, topic: &str) -> Option<()> {
    pipe.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await.ok()?;
    let mut from = 0;
    loop {
        let mut changed = std::pin::pin!(phone.changed.notified());
        changed.as_mut().enable();
        let (messages, until) = phone.of_topic(topic, from);
        for message in messages {
            pipe.write_all(format!("{message}\n").as_bytes()).await.ok()?;
        }
        from = until;
        changed.await;
    }
}
