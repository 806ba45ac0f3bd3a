//! People with the clients of other systems, against the real machines: what all these clients have in common.
//!
//! Such a client shows one conversation at a time, or all of them on one socket; it has no cursor, and most answers are
//! not acknowledged. So a person opens a conversation for a while, answers what is shown, and opens another. What was
//! open when they connected has to be on the screen soon.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ask::Ask;
use askbridge_core::event::Event;
use askbridge_core::ids::SessionId;
use askbridge_journal::index::AskFilter;
use askbridge_peers::uuid;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::mind::{Card, Mind, Mishap, Questions};
use crate::house::Doors;
use crate::wire::{ApiRequest, EventStream, ROOM, Socket, call_at};
use crate::world::{PersonDecision, World};

/// How soon an open ask must be on the screen of a person who connects.
const SHOWN_WITHIN: Duration = Duration::from_millis(500);
/// Conversations from which a person chooses. Beyond: they come back for the rest.
const LISTED_MAX: usize = 50;

/// One dialect, as its client speaks it.
pub(crate) struct Tongue {
    /// The name in the listing.
    pub(crate) name: &'static str,
    /// Where the client connects to open this conversation.
    pub(super) opens: fn(&str) -> Opening,
    /// The first frame that it sends.
    pub(super) greets: fn(&str) -> Option<Value>,
    pub(super) hears: fn(&Value) -> FrameMeaning,
    /// Is this the client's name for that ask?
    pub(super) calls: fn(&Ask, &str) -> bool,
    pub(super) says: fn(&Saying<'_>) -> Option<Answered>,
}

/// How a conversation is opened.
pub(super) enum Opening {
    Socket(String),
    /// A request with a streamed response.
    Stream(&'static str, Value),
}

/// What a frame means to the person who looks at the screen.
#[derive(Debug)]
pub(super) enum FrameMeaning {
    Asked(Vec<Shown>),
    /// A card is closed: its conversation, if the frame names one, and its name.
    Over(Option<String>, String),
    Nothing,
}

#[derive(Debug)]
pub(super) struct Shown {
    /// `None`: the conversation that was opened.
    pub(super) conversation: Option<String>,
    pub(super) name: String,
    pub(super) questions: Questions,
    pub(super) approval: bool,
}

/// What a person decided, for the dialect to encode.
pub(super) struct Saying<'a> {
    pub(super) conversation: &'a str,
    pub(super) name: &'a str,
    pub(super) card: &'a Card,
    pub(super) what: &'a PersonDecision,
    pub(super) chosen: &'a [Option<usize>],
}

/// How an answer is sent.
pub(super) enum Answered {
    Frame(Value),
    /// A separate request, whose response says whether it counts.
    Request(&'static str, Value),
}

enum ClientConnection {
    Socket(Box<Socket>),
    Stream(Box<EventStream>),
}

struct Look<'a> {
    world: &'a World,
    mind: &'a Mutex<Mind>,
    doors: &'a Doors,
    tongue: &'static Tongue,
    session: SessionId,
    /// Asks that were shown since this conversation was opened.
    seen: BTreeSet<(SessionId, u32)>,
}

pub(crate) async fn live(world: Arc<World>, mind: Arc<Mutex<Mind>>, tongue: &'static Tongue, doors: Doors) {
    loop {
        let name = mind.lock().name.clone();
        if world.revoked(&name).is_some() && !mind.lock().tries_again() {
            return world.log.line(&name, None, "goes home");
        }
        let waiting = world.waiting();
        let (place, pause, node) = {
            let mut mind = mind.lock();
            (mind.dice.below(waiting.len()), mind.dice.millis(5, 800), mind.dice.below(8))
        };
        if let Some(session) = waiting.get(place).copied() {
            let (world, mind, seen) = (&*world, &*mind, BTreeSet::new());
            let mut look = Look { world, mind, doors: &doors, tongue, session, seen };
            let open_before = world.open_asks(session);
            match timeout(SHOWN_WITHIN, look.open(node)).await {
                Ok(Some(line)) => drop(look.converse(line, &open_before).await),
                // Refused, as are all clients with a revoked token.
                Ok(None) => {}
                Err(_) if world.fates.is_unsure(session) => {}
                Err(_) => look.was_shown(&open_before),
            }
        }
        sleep(pause).await;
    }
}

impl Look<'_> {
    async fn open(&self, node: usize) -> Option<ClientConnection> {
        let token = self.mind.lock().token.clone();
        let name = self.tongue.name;
        match (self.tongue.opens)(&uuid::of_session(self.session)) {
            Opening::Socket(path) => {
                let pipe = self.doors.connect_to(name, node, ROOM);
                Some(ClientConnection::Socket(Box::new(Socket::over(pipe, &path, Some(&token)).await?)))
            }
            Opening::Stream(path, body) => {
                let post = ApiRequest { method: "POST", path, token: &token, headers: &[], body: Some(&body) };
                Some(ClientConnection::Stream(Box::new(
                    EventStream::over(self.doors.connect_to(name, node, ROOM), &post).await?,
                )))
            }
        }
    }

    async fn converse(&mut self, mut line: ClientConnection, open_before: &BTreeSet<u32>) -> Option<()> {
        self.mind.lock().connected(true);
        let began = Instant::now();
        let leaves = began + self.mind.lock().dice.millis(2_000, 20_000);
        let mut looks_again = Some(began + SHOWN_WITHIN);
        if let (Some(greeting), ClientConnection::Socket(socket)) =
            ((self.tongue.greets)(&uuid::of_session(self.session)), &mut line)
        {
            socket.say(&greeting).await?;
        }
        while Instant::now() < leaves {
            let due = self.mind.lock().next_due().min(leaves).min(looks_again.unwrap_or(leaves));
            let heard = match &mut line {
                ClientConnection::Socket(socket) => timeout_at(due, socket.hear()).await,
                ClientConnection::Stream(letters) => timeout_at(due, letters.hear()).await,
            };
            match heard {
                Ok(frame) => self.heard(&frame?),
                Err(_) => {
                    let taken = self.mind.lock().take_due();
                    if let Some((key, card)) = taken {
                        self.act(&mut line, &key, &card).await?;
                    }
                }
            }
            if looks_again.is_some_and(|at| at <= Instant::now()) {
                let unsure = self.world.fates.is_unsure(self.session);
                looks_again = unsure.then(|| Instant::now() + SHOWN_WITHIN);
                if looks_again.is_none() {
                    self.was_shown(open_before);
                }
            }
            let mishap = self.mind.lock().mishap();
            match mishap {
                Some(Mishap::Cut) => return None,
                Some(Mishap::Stall(span) | Mishap::Delay(span)) => {
                    // A stalled reader may miss cards; do not judge its screen.
                    looks_again = None;
                    sleep(span).await;
                }
                Some(Mishap::Twice) | None => {}
            }
        }
        Some(())
    }

    /// Law 4: what was open when they connected, and still is, is on the screen by now.
    fn was_shown(&self, open_before: &BTreeSet<u32>) {
        let still_open: Vec<_> = self.world.open_asks(self.session).intersection(open_before).copied().collect();
        let shown = self.seen.iter().any(|(session, _)| *session == self.session);
        if !still_open.is_empty() && !shown {
            let name = self.mind.lock().name.clone();
            let why = format!("{name} came to a conversation with open asks {still_open:?} and was shown none");
            self.world.log.broke(4, Some(self.session), why);
        }
    }

    fn heard(&mut self, frame: &Value) {
        match (self.tongue.hears)(frame) {
            FrameMeaning::Asked(shown) => shown.into_iter().for_each(|shown| self.asked(shown)),
            FrameMeaning::Over(conversation, name) => {
                let session = self.session_of(conversation.as_deref());
                self.mind.lock().over(&format!("{session} {name}"), false);
            }
            FrameMeaning::Nothing => {}
        }
    }

    fn session_of(&self, conversation: Option<&str>) -> SessionId {
        conversation.and_then(uuid::read_session).unwrap_or(self.session)
    }

    fn asked(&mut self, shown: Shown) {
        let session = self.session_of(shown.conversation.as_deref());
        let name = self.mind.lock().name.clone();
        self.world.log.line(&name, Some(session), format!("is shown {}", shown.name));
        let calls = |ask: &Ask| (self.tongue.calls)(ask, &shown.name);
        let Some(number) = self.world.last_ask(session, calls) else {
            let why = format!("{name} was shown {}, which is not in the journal", shown.name);
            return self.world.log.broke(1, Some(session), why);
        };
        if let Some(revoked) = self.world.revoked(&name)
            && self.world.asked_after(session, number, revoked.after)
        {
            self.world.log.broke(8, Some(session), format!("{name} was shown an ask after their token was revoked"));
        }
        self.seen.insert((session, number));
        let (questions, approval) = (shown.questions, shown.approval);
        let card = Card { session, number: Some(number), call: None, questions, approval };
        self.mind.lock().shown(&format!("{session} {}", shown.name), card);
    }

    async fn act(&mut self, line: &mut ClientConnection, key: &str, card: &Card) -> Option<()> {
        let decided = self.mind.lock().decide(card);
        let Some((sent, chosen)) = decided else { return Some(()) };
        let (conversation, name) = (uuid::of_session(card.session), key.split_once(' ').map_or(key, |(_, name)| name));
        let saying = Saying { conversation: &conversation, name, card, what: &sent.what, chosen: &chosen };
        let Some(answered) = (self.tongue.says)(&saying) else { return Some(()) };
        let twice = self.mind.lock().mishap() == Some(Mishap::Twice);
        for _ in 0..=usize::from(twice) {
            self.world.note_sent(&sent);
            match (&answered, &mut *line) {
                (Answered::Frame(frame), ClientConnection::Socket(socket)) => socket.say(frame).await?,
                (Answered::Frame(_), ClientConnection::Stream(_)) => {}
                (Answered::Request(path, body), _) => {
                    let (node, token) = {
                        let mut mind = self.mind.lock();
                        (mind.dice.below(8), mind.token.clone())
                    };
                    let post = ApiRequest { method: "POST", path, token: &token, headers: &[], body: Some(body) };
                    let pipe = self.doors.connect_to(self.tongue.name, node, ROOM);
                    match call_at(pipe, &post).await {
                        Some((200, reply)) if reply["resolved"] == true => self.world.note_acknowledged(&sent, None),
                        Some((status, reply)) => {
                            let why = format!("is refused: {status} {reply}");
                            self.world.log.line(&sent.person, Some(sent.session), why);
                        }
                        None => {}
                    }
                }
            }
        }
        // Nothing else says whether the answer counts: look again later, in case it was lost.
        if self.mind.lock().dice.in_thousand(400) {
            self.mind.lock().intend(key.to_owned());
        }
        Some(())
    }
}

impl World {
    /// Returns the sessions with open asks, in the order in which lists show them.
    fn waiting(&self) -> Vec<SessionId> {
        let open = self.memory.index().asks(&AskFilter::default(), None, LISTED_MAX).expect("memory can be read");
        open.iter().map(|known| known.row.id.session).collect()
    }

    /// Returns the asks of a session that are open at this moment.
    fn open_asks(&self, session: SessionId) -> BTreeSet<u32> {
        let mut open = BTreeSet::new();
        for written in self.stored(session).iter().flat_map(|stored| &stored.entry.events) {
            match &*written.event {
                Event::Asked(ask) => drop(open.insert(ask.id.number)),
                Event::Settled(settled) => drop(open.remove(&settled.ask.number)),
                Event::Proposed { ask, .. } | Event::Withdrawn { ask, .. } | Event::Overtaken { ask, .. } => {
                    open.remove(&ask.number);
                }
                _ => {}
            }
        }
        open
    }

    /// Returns the newest ask of a session that satisfies `is_it`.
    fn last_ask(&self, session: SessionId, is_it: impl Fn(&Ask) -> bool) -> Option<u32> {
        let stored = self.stored(session);
        let events = stored.iter().flat_map(|stored| &stored.entry.events);
        let asks = events.filter_map(|written| match &*written.event {
            Event::Asked(ask) if is_it(ask) => Some(ask.id.number),
            _ => None,
        });
        asks.last()
    }

    fn asked_after(&self, session: SessionId, number: u32, after: askbridge_core::ids::Position) -> bool {
        let asked = |event: &Event| matches!(event, Event::Asked(ask) if ask.id.number == number);
        let stored = self.stored(session);
        stored.iter().any(|it| it.position > after && it.entry.events.iter().any(|written| asked(&written.event)))
    }
}

/// Parses questions as Claude Code writes them, which most of these dialects pass on.
pub(super) fn questions(list: &Value) -> Option<(Questions, bool)> {
    let questions = super::mind::questions(list, "question", "options")?;
    let approval = questions.iter().any(|(_, options)| *options == ["Allow", "Deny"]);
    Some((questions, approval))
}

/// Maps the texts of the questions to the chosen labels; empty for a dismissal.
pub(super) fn labels(saying: &Saying<'_>) -> Value {
    match saying.what {
        PersonDecision::Dismiss => json!({}),
        PersonDecision::Answer(_) => saying.card.labels(saying.chosen),
    }
}
