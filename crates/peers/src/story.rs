//! A session's history as a list of messages, for clients that load a conversation before they follow it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use askbridge_core::answer::Outcome;
use askbridge_core::ask::Ask;
use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, CallId, Position, Raw, SessionId, Timestamp};
use askbridge_core::terms::OtherTools;

use crate::peer::Outbox;
use crate::told::Happened;
use crate::turn::Turn;
use crate::wish::Watch;

/// Messages that one story keeps. Beyond: the oldest are dropped.
const MESSAGES_MAX: usize = 5000;

/// What was said and done in a session.
#[derive(Debug, Default)]
pub struct Story {
    pub messages: VecDeque<Message>,
    pub title: Option<String>,
    pub folder: Option<String>,
    pub model: Option<String>,
    pub mode: Option<String>,
    pub other_tools: Option<OtherTools>,
    pub started_at: Option<Timestamp>,
    pub last_at: Option<Timestamp>,
    /// A turn runs, an ask is open, or a message waits for the agent.
    pub is_running: bool,
    pub is_over: bool,
    goes_on_as: Option<SessionId>,
    /// All asks, each with how it was settled.
    pub asks: BTreeMap<AskId, (Arc<Ask>, Option<Outcome>)>,
    /// Asks that are no longer open: settled, withdrawn, or answered elsewhere.
    over: BTreeSet<AskId>,
    turn: Turn,
}

/// One item of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its number in the whole conversation, counted from 1.
    pub number: u64,
    pub session: SessionId,
    pub position: Position,
    pub at: Timestamp,
    pub part: Part,
    /// The number of its block, if it is text that streams.
    pub block: Option<u32>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A person's message.
    User(String),
    Text(String),
    Thinking(String),
    Tool {
        call: CallId,
        name: String,
        input: Raw,
        /// The ask that was made from this call.
        ask: Option<AskId>,
        /// Whether the call succeeded, and its output.
        result: Option<(bool, String)>,
    },
}

impl Story {
    pub fn hear(&mut self, happened: &Happened) {
        let at = happened.at;
        match &*happened.event {
            Event::Started(started) => {
                self.started_at = self.started_at.or(Some(started.at));
                self.is_over = false;
                self.set(&started.settings);
            }
            Event::Configured(settings) => self.set(settings),
            Event::Said(said) => self.add(happened, Part::User(said.text.clone())),
            Event::Text { text, .. } => self.add(happened, Part::Text(text.clone())),
            Event::Thinking { text, .. } => self.add(happened, Part::Thinking(text.clone())),
            Event::Asked(ask) => drop(self.asks.insert(ask.id, (Arc::clone(ask), None))),
            Event::Withdrawn { ask, .. } | Event::Overtaken { ask, .. } => drop(self.over.insert(*ask)),
            Event::Settled(settled) => {
                self.over.insert(settled.ask);
                if let Some((_, outcome)) = self.asks.get_mut(&settled.ask) {
                    *outcome = Some(settled.outcome.clone());
                }
            }
            Event::ToolCalled { call, name, input, ask, .. } => {
                let (call, name, input) = (call.clone(), name.clone(), input.clone());
                self.add(happened, Part::Tool { call, name, input, ask: *ask, result: None });
            }
            Event::ToolReturned { call: returned, ok, output } => {
                let calls = self.messages.iter_mut().rev().filter_map(|message| match &mut message.part {
                    Part::Tool { call, result, .. } if call == returned => Some(result),
                    _ => None,
                });
                if let Some(result) = calls.into_iter().next() {
                    *result = Some((*ok, output.clone()));
                }
            }
            Event::Closed { .. } => self.is_over = true,
            Event::Continued { to, .. } => {
                self.is_over = true;
                self.goes_on_as = Some(*to);
            }
            _ => {}
        }
        self.last_at = Some(at);
        self.turn.hear(&happened.event);
        self.is_running = self.turn.has_more_to_come();
    }

    /// Call at the end of a session's history. Watches the session that it continues as; `false` if there is none.
    pub fn goes_on(&mut self, out: &mut Outbox) -> bool {
        let next = self.goes_on_as.take().map(|session| Watch::Chat { session, remembered: false });
        let goes_on = next.is_some();
        out.watches.extend(next);
        goes_on
    }

    /// The asks that still wait for a person, oldest first.
    pub fn open_asks(&self) -> impl Iterator<Item = &Arc<Ask>> {
        self.asks.values().map(|(ask, _)| ask).filter(|ask| self.is_open(ask.id))
    }

    pub fn is_open(&self, ask: AskId) -> bool {
        !self.over.contains(&ask)
    }

    fn set(&mut self, settings: &askbridge_core::event::Settings) {
        let pairs = [
            (&mut self.title, &settings.title),
            (&mut self.folder, &settings.folder),
            (&mut self.model, &settings.model),
            (&mut self.mode, &settings.mode),
        ];
        self.other_tools = settings.wishes.other_tools.or(self.other_tools);
        for (known, newer) in pairs {
            if newer.is_some() {
                known.clone_from(newer);
            }
        }
    }

    fn add(&mut self, happened: &Happened, part: Part) {
        let (session, position, at) = (happened.session, happened.position, happened.at);
        let number = self.messages.back().map_or(1, |last| last.number + 1);
        let block = match &*happened.event {
            Event::Text { block, .. } | Event::Thinking { block, .. } => Some(*block),
            _ => None,
        };
        self.messages.push_back(Message { number, session, position, at, part, block });
        if self.messages.len() > MESSAGES_MAX {
            self.messages.pop_front();
        }
    }

    /// The conversation's title, or the beginning of its first message.
    pub fn heading(&self) -> String {
        let first = || {
            let said = self.messages.iter().find_map(|message| match &message.part {
                Part::User(text) => Some(text.as_str()),
                _ => None,
            });
            said.unwrap_or_default()
        };
        self.title.as_deref().unwrap_or_else(first).chars().take(80).collect()
    }
}
