//! What a person knows and intends, on any kind of screen.

use std::collections::BTreeMap;
use std::time::Duration;

use askbridge_core::answer::{Answer, Decision, Pick, Scope};
use askbridge_core::ids::SessionId;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::dice::Dice;
use crate::plan::Plan;
use crate::world::{PersonDecision, Sent};

/// Each question with the labels of its options.
pub(crate) type Questions = Vec<(String, Vec<String>)>;

/// An ask as a screen shows it.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    pub(crate) session: SessionId,
    pub(crate) number: Option<u32>,
    pub(crate) call: Option<String>,
    pub(crate) questions: Questions,
    pub(crate) approval: bool,
}

pub(crate) struct Mind {
    pub(crate) name: String,
    pub(crate) token: String,
    pub(crate) dice: Dice,
    trouble: u32,
    calm: bool,
    /// Chance for undoing an answer; `None` if they never do.
    thoughts: Option<Dice>,
    /// Connections still tried after their token was revoked. More would only run into the limit on wrong tokens.
    tries: usize,
    open: BTreeMap<String, Card>,
    todo: Vec<(Instant, String)>,
}

/// What goes wrong on the connection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mishap {
    Cut,
    Stall(Duration),
    Delay(Duration),
    Twice,
}

impl Mind {
    pub(crate) fn new(name: String, token: String, dice: Dice, plan: &Plan) -> Self {
        let thoughts = plan.second_thoughts.then(|| dice.aside());
        let (open, todo) = (BTreeMap::new(), Vec::new());
        Self { name, token, dice, trouble: plan.wire_trouble, calm: false, thoughts, tries: 2, open, todo }
    }

    /// Do they undo the answer that they just gave?
    pub(crate) fn takes_back(&mut self) -> bool {
        !self.calm && self.thoughts.as_mut().is_some_and(|thoughts| thoughts.in_thousand(350))
    }

    /// The undo time, in seconds, that they want for an answer. Zero: none.
    pub(crate) fn undo_seconds(&mut self) -> u64 {
        let Some(thoughts) = &mut self.thoughts else { return 0 };
        if thoughts.in_thousand(400) { 1 + thoughts.below(8) as u64 } else { 0 }
    }

    /// Do they connect once more although they were refused?
    pub(crate) fn tries_again(&mut self) -> bool {
        self.tries = self.tries.saturating_sub(1);
        self.tries > 0
    }

    pub(crate) fn calm_down(&mut self) {
        self.calm = true;
    }

    pub(crate) fn mishap(&mut self) -> Option<Mishap> {
        if self.calm || !self.dice.in_thousand(self.trouble) {
            return None;
        }
        Some(match self.dice.below(8) {
            0 | 1 => Mishap::Cut,
            2 => Mishap::Stall(self.dice.millis(5_000, 60_000)),
            3..=5 => Mishap::Delay(self.dice.millis(1, 4_000)),
            _ => Mishap::Twice,
        })
    }

    /// Begins a new connection and plans again what to do about open cards; `forget` if the screen will show them anew.
    pub(crate) fn connected(&mut self, forget: bool) {
        self.todo.clear();
        if forget {
            self.open.clear();
        }
        let keys: Vec<_> = self.open.keys().cloned().collect();
        keys.into_iter().for_each(|key| self.intend(key));
    }

    pub(crate) fn shown(&mut self, key: &str, card: Card) {
        self.open.insert(key.to_owned(), card);
        self.intend(key.to_owned());
    }

    /// Closes a card. After an expiry they may still answer late.
    pub(crate) fn over(&mut self, key: &str, may_answer_late: bool) {
        if may_answer_late && self.open.contains_key(key) && self.dice.in_thousand(500) {
            return self.intend(key.to_owned());
        }
        self.open.remove(key);
        self.todo.retain(|(_, due)| due != key);
    }

    pub(crate) fn intend(&mut self, key: String) {
        let at = Instant::now() + self.dice.millis(20, 3_000);
        self.todo.push((at, key));
    }

    pub(crate) fn next_due(&self) -> Instant {
        let far = Instant::now() + Duration::from_secs(3600);
        self.todo.iter().map(|(at, _)| *at).min().unwrap_or(far)
    }

    /// Takes the next card that is due.
    pub(crate) fn take_due(&mut self) -> Option<(String, Card)> {
        let now = Instant::now();
        let place = self.todo.iter().position(|(at, _)| *at <= now)?;
        let (_, key) = self.todo.remove(place);
        let card = self.open.get(&key)?.clone();
        Some((key, card))
    }

    /// Decides about a card, or not. Returns what is said and the option for each question.
    pub(crate) fn decide(&mut self, card: &Card) -> Option<(Sent, Vec<Option<usize>>)> {
        let thrown = self.dice.below(100);
        if !self.calm && thrown < 20 {
            return None;
        }
        let sent = |what| Sent {
            person: self.name.clone(),
            session: card.session,
            number: card.number,
            call: card.call.clone(),
            what,
        };
        if thrown >= 92 {
            return Some((sent(PersonDecision::Dismiss), Vec::new()));
        }
        let mut chosen: Vec<_> = Vec::new();
        for (_, options) in &card.questions {
            chosen.push(Some(self.dice.below(options.len())));
        }
        if chosen.len() > 1 && self.dice.in_thousand(300) {
            // A partial answer: the rest is skipped.
            let place = self.dice.below(chosen.len());
            chosen[place] = None;
        }
        let answer = match (card.approval, &chosen[..]) {
            (true, [Some(0), ..]) => Answer::Approval(Decision::Allow { scope: Scope::Once, edited: None }),
            (true, _) => Answer::Approval(Decision::Deny { words: None, stop: false }),
            (false, chosen) => {
                let pick = |option: &Option<usize>| option.map(|at| Pick::option(at as u16)).unwrap_or_default();
                Answer::Questions(chosen.iter().map(pick).collect())
            }
        };
        Some((sent(PersonDecision::Answer(answer)), chosen))
    }
}

impl Card {
    /// Parses an ask as the native dialect shows it.
    pub(crate) fn of_json(ask: &Value) -> Option<Self> {
        let id: askbridge_core::ids::AskId = ask["id"].as_str()?.parse().ok()?;
        let (questions, approval) = match ask["approval"].as_object() {
            Some(_) => (vec![("".to_owned(), vec!["allow".to_owned(), "deny".to_owned()])], true),
            None => (questions(&ask["questions"], "question", "options")?, false),
        };
        Some(Self { session: id.session, number: Some(id.number), call: None, questions, approval })
    }

    /// Maps the texts of the questions to the chosen labels.
    pub(crate) fn labels(&self, chosen: &[Option<usize>]) -> Value {
        let pairs = self.questions.iter().zip(chosen).filter_map(|((text, options), chosen)| {
            let at = (*chosen)?;
            Some((text.clone(), json!(options[at])))
        });
        Value::Object(pairs.collect::<Map<_, _>>())
    }
}

/// Parses questions and the labels of their options; `text` and `options` are the field names of the dialect.
pub(crate) fn questions(list: &Value, text: &str, options: &str) -> Option<Questions> {
    let label = |option: &Value| option.as_str().or_else(|| option["label"].as_str()).map(str::to_owned);
    let read = |question: &Value| {
        let labels = question[options].as_array()?.iter().filter_map(label).collect();
        Some((question[text].as_str()?.to_owned(), labels))
    };
    list.as_array()?.iter().map(read).collect()
}
