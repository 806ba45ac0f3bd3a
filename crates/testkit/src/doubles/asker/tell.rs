//! What becomes of an ask → the verdict, handed before it is said.

use askbridge_core::answer::Outcome;
use askbridge_core::event::{Event, Parcel};
use askbridge_core::ids::{AskId, MessageId};
use askbridge_core::verdict::Ruling;
use askbridge_core::view::{AskView, State};
use askbridge_peers::json;
use askbridge_peers::peer::Outbox;
use askbridge_peers::told::Happened;
use askbridge_peers::wish::{Query, Wish};

use super::peer::{Asked, Asker, Awaited, Stage};
use super::wire::Said;

impl Asker {
    pub(super) fn happened(&mut self, happened: &Happened, out: &mut Outbox) {
        match &*happened.event {
            Event::Settled(settled) => {
                let Some((id, asked)) = self.named(settled.ask) else { return };
                let answered = matches!(settled.outcome, Outcome::Answered { .. });
                match (&asked.stage, asked.stranded && answered) {
                    // The answer comes as a note.
                    (Stage::Open, true) => asked.stage = Stage::Over,
                    // The ask itself is not in the event; how it stands now is looked up with it.
                    (Stage::Open, false) => self.query(Awaited::Look(id), Query::Ask(settled.ask), out),
                    _ => {}
                }
            }
            Event::Stranded { ask } => {
                if let Some((_, asked)) = self.named(*ask) {
                    asked.stranded = true;
                }
            }
            Event::Withdrawn { ask, why, .. } => self.no_verdict(*ask, why, out),
            Event::Overtaken { ask, mouth, .. } => self.no_verdict(*ask, mouth, out),
            Event::Said(said) => {
                let ours = |asked: &Asked| asked.id.is_some_and(|ask| ask.session == happened.session);
                if self.asked.values().any(ours) {
                    self.hand_note(said.message, said.text.clone(), out);
                }
            }
            _ => {}
        }
    }

    /// Acts on how an ask stands.
    pub(super) fn looked(&mut self, id: &str, view: AskView, out: &mut Outbox) {
        let Some(asked) = self.asked.get_mut(id) else { return };
        asked.stranded |= view.stranded;
        if !matches!(asked.stage, Stage::Open) {
            return;
        }
        let as_note = view.stranded && matches!(view.state, State::Open | State::Proposed | State::Answered);
        match (view.state, view.verdict) {
            (State::Withdrawn | State::Overtaken, _) => {
                return self.no_verdict(view.ask.id, view.words.as_deref().unwrap_or_default(), out);
            }
            (_, Some(verdict)) if !as_note => {
                asked.stage = Stage::Handing(Box::new(((*view.ask).clone(), verdict)));
                let hand = Wish::Hand { parcel: Parcel::Verdict(view.ask.id) };
                self.wish(Awaited::Handed(id.to_owned()), hand, out);
            }
            (_, Some(_)) => asked.stage = Stage::Over,
            (_, None) => {}
        }
        if view.stranded {
            self.query(Awaited::Notes, Query::Session(view.ask.id.session), out);
        }
    }

    pub(super) fn say_verdict(&mut self, id: &str, out: &mut Outbox) {
        let Some(asked) = self.asked.get_mut(id) else { return };
        let Stage::Handing(parcel) = std::mem::replace(&mut asked.stage, Stage::Over) else { return };
        let (ask, verdict) = *parcel;
        let (ruling, answer) = match &verdict.ruling {
            Ruling::Answer(answer) => ("answer", Some(answer)),
            Ruling::Assume(answer) => ("assume", Some(answer)),
            Ruling::Deny => ("deny", None),
            Ruling::DenyAndStop => ("stop", None),
        };
        let answers = answer.map(|answer| json::in_labels(&ask, answer));
        say(out, &Said::Verdict { id, ruling, answers, words: &verdict.words });
    }

    pub(super) fn hand_note(&mut self, note: MessageId, text: String, out: &mut Outbox) {
        // It may be told of and found waiting at the same time.
        if self.notes.insert(note, text).is_none() {
            self.wish(Awaited::HandedNote(note), Wish::Hand { parcel: Parcel::Message(note) }, out);
        }
    }

    fn no_verdict(&mut self, ask: AskId, why: &str, out: &mut Outbox) {
        let Some((id, asked)) = self.named(ask) else { return };
        if !matches!(asked.stage, Stage::Over) {
            asked.stage = Stage::Over;
            say(out, &Said::Gone { id: &id, why });
        }
    }

    fn named(&mut self, ask: AskId) -> Option<(String, &mut Asked)> {
        let mut asked = self.asked.iter_mut();
        asked.find(|(_, asked)| asked.id == Some(ask)).map(|(id, asked)| (id.clone(), asked))
    }
}

pub(super) fn say(out: &mut Outbox, said: &Said<'_>) {
    out.text(serde_json::to_string(said).expect("frames have text keys"));
}
