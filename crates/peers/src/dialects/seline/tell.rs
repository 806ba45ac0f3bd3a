//! Turns events into chunks.

use askbridge_core::answer::Outcome;
use askbridge_core::ask::{Ask, Body};
use askbridge_core::event::{Event, Level};
use askbridge_core::fit::{Card as Fitted, CardQuestion, fit};
use askbridge_core::ids::AskId;
use serde_json::{Value, json};

use super::chat::Chat;
use super::draw::send;
use super::wire::Chunk;
use super::{ABILITIES, answers, quirks};
use crate::peer::{BlockKind, Cx, Outbox};
use crate::slot::Ending;

/// The block number of our own words, far from those of any agent.
const OWN_BLOCK: u32 = u32::MAX;

impl Chat {
    pub(super) fn tell_event(&mut self, event: &Event, cx: &mut Cx<'_>) {
        let out = &mut *cx.out;
        match event {
            Event::Text { block, text } => self.drawn.whole(*block, BlockKind::Text, text, out),
            Event::Thinking { block, text } => self.drawn.whole(*block, BlockKind::Thinking, text, out),
            Event::ToolCalled { call, ask: Some(ask), .. } if self.is_card(*ask, call.as_str()) => {}
            // "Sub-agent traffic … is filtered out of the UI stream." Its asks are drawn all the same.
            Event::ToolCalled { within: Some(_), .. } => {}
            Event::ToolCalled { call, name, input, .. } => {
                let endless = quirks::ENDLESS.contains(&name.as_str());
                let until = (!endless).then(|| cx.now.plus(quirks::RESULT_WAIT));
                self.drawn.call(call.as_str(), name, input.as_str(), until, out);
            }
            Event::ToolReturned { call, ok: true, output } => {
                let output = serde_json::from_str(output).unwrap_or_else(|_| json!(output));
                self.drawn.output(call.as_str(), output, out);
            }
            Event::ToolReturned { call, ok: false, output } => self.drawn.failed(call.as_str(), output, out),
            Event::Asked(ask) => self.draw(&ask.clone(), out),
            Event::Notice { level: Level::Error, text } => send(&Chunk::Error { error_text: text }, out),
            event => self.ended(event, out),
        }
    }

    /// The call of a question is its card, drawn when the question is durable, so that the first click always counts.
    fn is_card(&self, ask: AskId, call: &str) -> bool {
        self.asks.get(&ask).is_none_or(|ask| answers::card_id(ask) == call)
    }

    /// Draws the card of an ask.
    pub(super) fn draw(&mut self, ask: &Ask, out: &mut Outbox) {
        match card_of(ask) {
            Card::Call { id, name, input } => self.drawn.call(&id, name, &input, None, out),
            Card::Words(words) => self.drawn.whole(OWN_BLOCK, BlockKind::Text, &words, out),
        }
    }

    /// An ask has ended: its card shows the answer, or why there is none.
    fn ended(&mut self, event: &Event, out: &mut Outbox) {
        let Some((id, ending)) = Ending::of(event) else { return };
        let Some(ask) = self.asks.remove(&id) else { return };
        let card = answers::card_id(&ask);
        match event {
            Event::Settled(settled) => match &settled.outcome {
                Outcome::Answered { answer, .. } => self.drawn.output(&card, answers::output(&ask, answer), out),
                Outcome::Ruled { answer, rule, .. } => {
                    let mut output = answers::output(&ask, answer);
                    output["rule"] = json!(rule);
                    self.drawn.output(&card, output, out);
                }
                // It can still be answered late: the card keeps its buttons.
                Outcome::Expired | Outcome::RuledOut { .. } => self.drawn.failed(&card, &settled.verdict.words, out),
                Outcome::Dismissed { .. } => self.closed(&ask, &card, &settled.verdict.words, out),
            },
            _ => self.closed(&ask, &card, &ending.in_words(), out),
        }
    }

    /// An ask is over and cannot be answered late. A plan's card keeps its buttons until its result says that it was
    /// decided; the reason goes where the card shows what was sent.
    fn closed(&mut self, ask: &Ask, card: &str, words: &str, out: &mut Outbox) {
        match &ask.body {
            Body::Plan(_) => {
                let result = answers::plan_result(quirks::SEND_BACK, Some(words));
                self.drawn.output(card, Value::Object(result), out);
            }
            _ => self.drawn.failed(card, words, out),
        }
    }
}

/// How an ask is drawn in a conversation.
pub(super) enum Card {
    /// A call of the tool that its client draws as a card.
    Call { id: String, name: &'static str, input: String },
    /// It cannot be clicked here; the reason, in words.
    Words(String),
}

pub(super) fn card_of(ask: &Ask) -> Card {
    let id = answers::card_id(ask);
    let original = ask.original.as_ref().filter(|_| ask.call.is_some());
    match (&ask.body, original, fit(ask, &ABILITIES)) {
        (Body::Plan(plan), original, _) => {
            let input = original.map_or_else(|| json!({"plan": plan.text}).to_string(), |it| it.to_string());
            Card::Call { id, name: quirks::PLAN_TOOL, input }
        }
        // Unchanged, as the agent wrote it: its client knows every shape of it.
        (Body::Questions(_), Some(original), Fitted::Questions(_)) => {
            Card::Call { id, name: quirks::QUESTION_TOOL, input: original.as_str().to_owned() }
        }
        (_, _, Fitted::Unshowable(why)) => Card::Words(format!("(A question for you cannot be shown here: {why})")),
        (_, _, card) => {
            let questions: Vec<_> = card.questions().unwrap_or_default().iter().map(question).collect();
            Card::Call { id, name: quirks::QUESTION_TOOL, input: json!({"questions": questions}).to_string() }
        }
    }
}

fn question(question: &CardQuestion) -> Value {
    let options = question
        .options
        .iter()
        .map(|option| json!({"label": option.label, "description": option.description.as_deref().unwrap_or_default()}));
    json!({
        "question": question.text,
        "header": question.header.as_deref().unwrap_or_default(),
        "options": options.collect::<Vec<_>>(),
        "multiSelect": question.multi,
    })
}
