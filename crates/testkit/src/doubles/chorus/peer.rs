//! The machine: shows what is open in every session, and remembers no more than it needs to name it.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use askbridge_core::answer::Outcome;
use askbridge_core::ask::{Ask, Kind};
use askbridge_core::event::Event;
use askbridge_core::fit::{Card, fit};
use askbridge_core::ids::{AskId, CallId, SessionId, Timestamp};
use askbridge_core::unfit::{Given, QuestionKey, Reply, Value};
use askbridge_peers::peer::{Cx, Frame, Garbled, Outbox, Peer, Tag};
use askbridge_peers::stream::{Completion, Streams};
use askbridge_peers::told::{Happened, Told};
use askbridge_peers::wish::{AskRef, Receipt, Rejection, Watch, Wish};

use super::ABILITIES;
use super::wire::{self, Heard, Sung};

/// One screen.
#[derive(Debug, Default)]
pub struct Chorus {
    begun: bool,
    /// How far the text of each session has been sung.
    streams: HashMap<SessionId, Streams>,
    /// Asks that this screen shows: an answer says neither of what kind it is nor, often, to what.
    shown: BTreeMap<AskId, (Kind, Option<CallId>)>,
    tags: u64,
}

impl Chorus {
    fn show(&mut self, ask: &Ask, out: &mut Outbox) {
        self.shown.insert(ask.id, (ask.body.kind(), ask.call.clone()));
        let (session, call) = (ask.id.session.to_string(), ask.call.as_ref().map(CallId::as_str));
        let card = fit(ask, &ABILITIES);
        let sung = match (card.questions(), &card) {
            (Some(questions), _) => {
                Sung::Ask { r#in: session, call, questions: questions.iter().map(wire::Question::from).collect() }
            }
            (None, Card::Unshowable(why)) => Sung::Elsewhere { r#in: session, call, why },
            (None, _) => Sung::Elsewhere { r#in: session, call, why: "this screen shows questions only" },
        };
        sing(out, &sung);
    }

    fn over(&mut self, ask: AskId, how: &str, by: Option<String>, out: &mut Outbox) {
        // What was never shown here, or is over already, need not be closed.
        let Some((_, call)) = self.shown.remove(&ask) else { return };
        let call = call.as_ref().map(CallId::as_str);
        sing(out, &Sung::Over { r#in: ask.session.to_string(), call, how, by });
    }

    fn happened(&mut self, happened: &Happened, out: &mut Outbox) {
        let session = happened.session;
        match &*happened.event {
            Event::Asked(ask) => self.show(ask, out),
            Event::Settled(settled) => match &settled.outcome {
                Outcome::Answered { by, .. } => self.over(settled.ask, "answered", Some(by.person.to_string()), out),
                Outcome::Dismissed { by, .. } => self.over(settled.ask, "closed", Some(by.person.to_string()), out),
                Outcome::Expired => self.over(settled.ask, "nobody came", None, out),
                Outcome::Ruled { rule, .. } => self.over(settled.ask, "ruled", Some(rule.clone()), out),
            },
            Event::Withdrawn { ask, .. } => self.over(*ask, "withdrawn", None, out),
            Event::Overtaken { ask, mouth, .. } => self.over(*ask, "overtaken", Some(mouth.clone()), out),
            Event::Text { block, text } => self.complete(session, *block, text, out),
            Event::Said(said) => sing(out, &Sung::Message { r#in: session.to_string(), text: &said.text }),
            Event::Closed { .. } | Event::Continued { .. } => drop(self.streams.remove(&session)),
            _ => {}
        }
    }

    fn complete(&mut self, session: SessionId, block: u32, text: &str, out: &mut Outbox) {
        let r#in = session.to_string();
        let streams = self.streams.entry(session).or_default();
        match streams.complete(block, text) {
            Completion::Whole(text) | Completion::Rest(text) => {
                sing(out, &Sung::More { r#in: r#in.clone(), block, text });
            }
            Completion::Nothing => {}
            Completion::Instead(text) => return sing(out, &Sung::Anew { r#in, block, text }),
        }
        sing(out, &Sung::End { r#in, block });
    }

    /// Which ask is meant: the one of that call, or the only one that is open.
    fn which(&self, session: SessionId, call: Option<String>) -> AskRef {
        if let Some(call) = call {
            return AskRef::Call(session, CallId::from(call));
        }
        let here = self.shown.iter().find(|(ask, _)| ask.session == session);
        AskRef::OnlyOpen(session, here.map_or(Kind::Questions, |(_, (kind, _))| *kind))
    }

    fn wish(&self, heard: Heard) -> Option<Wish> {
        match heard {
            Heard::Answer(answer) => {
                let given = answer.to.into_iter().map(|(question, value)| Given {
                    key: QuestionKey::Text(question),
                    value: Some(match value {
                        wire::Given::One(label) => Value::Label(label),
                        wire::Given::Many(labels) => Value::List(labels.into_iter().map(Value::Label).collect()),
                    }),
                    note: None,
                });
                let reply = Reply::Questions(given.collect());
                Some(Wish::Answer {
                    ask: self.which(answer.session.parse().ok()?, answer.call),
                    reply,
                    undo: Duration::ZERO,
                })
            }
            Heard::Close(it) => {
                Some(Wish::Dismiss { ask: self.which(it.session.parse().ok()?, it.call), words: it.words })
            }
            Heard::Say(it) => Some(Wish::Say { session: it.session.parse().ok()?, text: it.text, about: None }),
        }
    }
}

impl Peer for Chorus {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        let Frame::Text(text) = frame else { return Ok(()) };
        match serde_json::from_str::<Heard>(&text).ok().and_then(|heard| self.wish(heard)) {
            Some(wish) => {
                self.tags += 1;
                cx.out.wishes.push((Tag(self.tags), wish));
            }
            None => sing(cx.out, &Sung::No { why: "not_understood" }),
        }
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        match told {
            Told::Snapshot(snapshot) => snapshot.asks.iter().for_each(|view| self.show(&view.ask, cx.out)),
            Told::Event(happened) => self.happened(happened, cx.out),
            Told::Delta { session, block, offset, text, .. } => {
                if let Some(text) = self.streams.entry(*session).or_default().delta(*block, *offset, text) {
                    sing(cx.out, &Sung::More { r#in: session.to_string(), block: *block, text });
                }
            }
            Told::Draft { .. }
            | Told::Own(_)
            | Told::CaughtUp { .. }
            | Told::Displaced { .. }
            | Told::Gone { .. }
            | Told::Looked { .. }
            | Told::Whispered { .. } => {}
            Told::Lagged => sing(cx.out, &Sung::Lost),
        }
    }

    fn reply(&mut self, _tag: Tag, ruling: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        if let Err(rejection) = ruling {
            sing(cx.out, &Sung::No { why: rejection.code() });
        }
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        if !self.begun {
            self.begun = true;
            sing(cx.out, &Sung::Hello);
            cx.out.watches.push(Watch::Inbox { after: None });
        }
        None
    }
}

fn sing(out: &mut Outbox, sung: &Sung<'_>) {
    out.text(serde_json::to_string(sung).expect("frames have text keys"));
}
