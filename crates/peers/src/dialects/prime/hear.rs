//! Frames → wishes.

use askbridge_core::ids::AskId;
use askbridge_core::unfit::{Given, QuestionKey, Reply, Value as Said};
use serde_json::Value;

use super::peer::{Awaited, Prime};
use super::wire::{Answering, Heard, OneOrMany};
use super::{quirks, tell};
use crate::peer::{Cx, Garbled};
use crate::wish::{AskRef, Wish};

impl Prime {
    pub(super) fn heard(&mut self, text: &str, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            let (code, why) = quirks::NOT_JSON;
            return Err(Garbled { code, why: why.to_owned() });
        };
        let heard = match serde_json::from_value::<Heard>(value) {
            Ok(heard) if quirks::TYPES.contains(&heard.kind.as_str()) => heard,
            Ok(heard) => {
                let why = format!("Invalid message format: `{}` is not a type of message", heard.kind);
                tell::error(&why, cx.out);
                return Ok(());
            }
            Err(error) => {
                tell::error(&format!("Invalid message format: {error}"), cx.out);
                return Ok(());
            }
        };
        let data = heard.data.unwrap_or_default();
        match heard.kind.as_str() {
            "user_message" => match data["message"].as_str().filter(|text| !text.is_empty()) {
                Some(text) => self.say(text.to_owned(), cx),
                None => tell::error("Missing 'message' field in data", cx.out),
            },
            "ask_user_response" => self.answered(data, cx),
            "interrupt" => {
                if let Some(session) = self.session {
                    self.wish(Awaited::Interrupt, Wish::Interrupt { session }, cx.out);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn answered(&mut self, data: Value, cx: &mut Cx<'_>) {
        let id = quirks::question_id(&data).map(str::to_owned);
        let read = serde_json::from_value::<Answering>(data);
        let (id, answering) = match (id, read) {
            (Some(id), Ok(answering)) => (id, answering),
            (None, _) => return self.not_an_answer("`question_id` is missing", cx),
            (_, Err(error)) => return self.not_an_answer(&error.to_string(), cx),
        };
        let named = self.slot.find(|ask| tell::question_id(ask.id) == id);
        let Some(ask) = named.map(|ask| ask.id) else {
            // Whoever answers a question that is long gone has nothing to do about it.
            if let Some(pending) = self.slot.shown().map(|ask| ask.id) {
                tell::error("Question ID does not match pending question", cx.out);
                self.show_again(pending, cx);
            }
            return;
        };
        let reply = reply(answering.answers);
        let wish = match (answering.cancelled, reply) {
            (false, Some(reply)) => Wish::Answer { ask: AskRef::Id(ask), reply },
            // To say nothing late is to say nothing.
            _ if !self.slot.is_open(ask) => return,
            _ => Wish::Dismiss { ask: AskRef::Id(ask), words: None },
        };
        if self.slot.is_open(ask) {
            self.slot.say(ask);
        }
        self.wish(Awaited::Answer(ask), wish, cx.out);
    }

    /// The card closed when this was sent, so it has to be shown again.
    fn not_an_answer(&mut self, why: &str, cx: &mut Cx<'_>) {
        tell::error(&format!("Invalid ask_user_response: {why}"), cx.out);
        if let Some(ask) = self.slot.shown().map(|ask| ask.id) {
            self.show_again(ask, cx);
        }
    }

    pub(super) fn show_again(&mut self, ask: AskId, cx: &mut Cx<'_>) {
        if let Some(ask) = self.slot.refused(ask) {
            self.show(&ask, cx.now, cx.out);
        }
    }
}

/// Reads answers by question. `None`: nothing was answered at all.
fn reply(answers: std::collections::BTreeMap<String, OneOrMany>) -> Option<Reply> {
    let blank = |text: &String| text.trim().is_empty();
    let given: Vec<_> = answers
        .into_iter()
        .filter_map(|(question, said)| {
            let value = match said {
                OneOrMany::One(text) if blank(&text) => return None,
                OneOrMany::One(text) => Said::Label(text),
                OneOrMany::Many(texts) => {
                    let texts: Vec<_> = texts.into_iter().filter(|text| !blank(text)).map(Said::Label).collect();
                    if texts.is_empty() {
                        return None;
                    }
                    Said::List(texts)
                }
            };
            Some(Given { key: QuestionKey::Text(question), value: Some(value), note: None })
        })
        .collect();
    (!given.is_empty()).then_some(Reply::Questions(given))
}
