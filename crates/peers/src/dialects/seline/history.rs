//! A conversation in the form that its client stores: messages of parts, each call with exactly the streamed arguments.
//!
//! Its reader compares every snapshot of a call's arguments with the previous one, and early versions throw if the new
//! one does not begin with the old. So calls are drawn here by the same rules as in the stream.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use askbridge_core::answer::Outcome;
use askbridge_core::ask::{Ask, Body};
use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, SessionId, Timestamp};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::tell::{Card, card_of};
use super::{answers, draw, quirks};
use crate::json::Rfc3339;
use crate::slot::Ending;
use crate::told::Happened;
use crate::uuid;

/// Messages that one history keeps. Beyond: the oldest are dropped.
const MESSAGES_MAX: usize = 1000;

/// What was said and done in a conversation.
#[derive(Default)]
pub(super) struct History {
    messages: Vec<Message>,
    /// How many messages of people there were.
    said: u32,
    asks: BTreeMap<AskId, Arc<Ask>>,
    calls: BTreeSet<String>,
    large: BTreeMap<String, Map<String, Value>>,
    /// Calls that have a result.
    over: BTreeSet<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Message {
    id: String,
    role: &'static str,
    content: Vec<Part>,
    created_at: Rfc3339,
    ordering_index: usize,
    metadata: Value,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum Part {
    Text {
        text: String,
    },
    ToolCall {
        tool_call_id: String,
        tool_name: String,
        args: Box<RawValue>,
        args_text: String,
        state: &'static str,
    },
    ToolResult {
        tool_call_id: String,
        tool_name: String,
        result: Value,
        state: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        error_text: Option<String>,
    },
}

/// The id of the message that answers the nth message of people, the same as in the stream.
pub(super) fn answer_to(session: SessionId, said: u32) -> String {
    format!("msg_{}", uuid::derived_hex(session, said))
}

impl History {
    pub(super) fn hear(&mut self, session: SessionId, happened: &Happened) {
        let at = happened.at;
        match &*happened.event {
            Event::Said(said) => {
                self.said += 1;
                // A page that still shows the message compares it by the id that it gave: another id would be an edited
                // copy beside it. A message that is sent again has its id twice.
                let is_free = |id: &&str| !self.messages.iter().any(|message| message.id == **id);
                let own = said.client_id.as_deref().filter(is_free).map(str::to_owned);
                let id = own.unwrap_or_else(|| format!("user_{}", uuid::derived_hex(session, self.said)));
                self.begin(id, "user", at);
                self.push(Part::Text { text: said.text.clone() });
            }
            Event::Text { text, .. } => self.add(session, at, Part::Text { text: text.clone() }),
            Event::ToolCalled { call, ask: Some(ask), .. } if self.is_card(*ask, call.as_str()) => {}
            Event::ToolCalled { within: Some(_), .. } => {}
            Event::ToolCalled { call, name, input, .. } => {
                self.call(session, at, call.as_str(), name, input.as_str());
            }
            Event::ToolReturned { call, ok: true, output } => {
                let output = serde_json::from_str(output).unwrap_or_else(|_| json!(output));
                self.result(call.as_str(), output, None);
            }
            Event::ToolReturned { call, ok: false, output } => {
                self.result(call.as_str(), Value::Null, Some(output.clone()));
            }
            Event::Asked(ask) => {
                self.asks.insert(ask.id, Arc::clone(ask));
                match card_of(ask) {
                    Card::Call { id, name, input } => self.call(session, at, &id, name, &input),
                    Card::Words(text) => self.add(session, at, Part::Text { text }),
                }
            }
            event => self.ended(event),
        }
    }

    /// The call of a question is its card, which is drawn when it is asked.
    fn is_card(&self, ask: AskId, call: &str) -> bool {
        self.asks.get(&ask).is_none_or(|ask| answers::card_id(ask) == call)
    }

    fn ended(&mut self, event: &Event) {
        let Some((id, ending)) = Ending::of(event) else { return };
        let Some(ask) = self.asks.remove(&id) else { return };
        let card = answers::card_id(&ask);
        let words = match event {
            Event::Settled(settled) => match &settled.outcome {
                Outcome::Answered { answer, .. } => return self.result(&card, answers::output(&ask, answer), None),
                Outcome::Ruled { answer, rule, .. } => {
                    let mut output = answers::output(&ask, answer);
                    output["rule"] = json!(rule);
                    return self.result(&card, output, None);
                }
                Outcome::Expired | Outcome::RuledOut { .. } => {
                    return self.result(&card, Value::Null, Some(settled.verdict.words.clone()));
                }
                Outcome::Dismissed { .. } => settled.verdict.words.clone(),
            },
            _ => ending.in_words(),
        };
        match &ask.body {
            Body::Plan(_) => {
                let result = answers::plan_result(quirks::SEND_BACK, Some(&words));
                self.result(&card, Value::Object(result), None);
            }
            _ => self.result(&card, Value::Null, Some(words)),
        }
    }

    fn begin(&mut self, id: String, role: &'static str, at: Timestamp) {
        let ordering_index = self.messages.last().map_or(0, |last| last.ordering_index + 1);
        let (created_at, content, metadata) = (Rfc3339(at), Vec::new(), json!({}));
        self.messages.push(Message { id, role, content, created_at, ordering_index, metadata });
        if self.messages.len() > MESSAGES_MAX {
            self.messages.remove(0);
        }
    }

    fn push(&mut self, part: Part) {
        if let Some(last) = self.messages.last_mut() {
            last.content.push(part);
        }
    }

    /// Adds a part to the agent's message.
    fn add(&mut self, session: SessionId, at: Timestamp, part: Part) {
        if self.messages.last().is_none_or(|last| last.role != "assistant") {
            self.begin(answer_to(session, self.said), "assistant", at);
        }
        self.push(part);
    }

    fn call(&mut self, session: SessionId, at: Timestamp, id: &str, name: &str, input: &str) {
        if !self.calls.insert(id.to_owned()) {
            return;
        }
        self.large.extend(quirks::large_input(input).map(|large| (id.to_owned(), large)));
        let args_text = draw::arguments(input);
        let Ok(args) = RawValue::from_string(args_text.clone()) else { return };
        let (tool_call_id, tool_name, state) = (id.to_owned(), name.to_owned(), "input-available");
        self.add(session, at, Part::ToolCall { tool_call_id, tool_name, args, args_text, state });
    }

    /// Adds a result to its call, in the message that has it.
    fn result(&mut self, id: &str, result: Value, error: Option<String>) {
        if !self.calls.contains(id) || !self.over.insert(id.to_owned()) {
            return;
        }
        let result = draw::with_large(result, self.large.remove(id));
        let done = if error.is_some() { "output-error" } else { "output-available" };
        for message in self.messages.iter_mut().rev() {
            let calls = message.content.iter_mut().filter_map(|part| match part {
                Part::ToolCall { tool_call_id, tool_name, state, .. } if tool_call_id == id => Some((tool_name, state)),
                _ => None,
            });
            let Some((name, state)) = calls.into_iter().next() else { continue };
            *state = done;
            let (tool_call_id, tool_name) = (id.to_owned(), name.clone());
            message.content.push(Part::ToolResult { tool_call_id, tool_name, result, state: done, error_text: error });
            return;
        }
    }

    pub(super) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The beginning of the first message.
    pub(super) fn heading(&self) -> Option<String> {
        let first = self.messages.iter().find(|message| message.role == "user")?;
        match first.content.first()? {
            Part::Text { text } => Some(text.chars().take(80).collect()),
            _ => None,
        }
    }
}
