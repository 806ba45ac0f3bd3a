//! Short constructors of intents.

use askbridge_core::answer::{Answer, RuleSays, Who};
use askbridge_core::ask::Ask;
use askbridge_core::event::{CallMade, CallResult, Parcel};
use askbridge_core::intent::{AskRuling, Due, Intent, NewAsk};
use askbridge_core::terms::Wait;

use crate::asks::secs;
use crate::facts::{id, message};

/// Makes this ask; the session gives it its number and time.
pub(crate) fn ask(ask: &Ask) -> Intent {
    let Ask { body, terms, reach, asker, call, context, key, stated, original, .. } = ask.clone();
    let (made, ruling) = (None, None);
    Intent::Ask(Box::new(NewAsk { body, terms, reach, asker, call, made, context, key, stated, original, ruling }))
}

/// The same, with a rule that answers it.
pub(crate) fn ask_ruled(asked: &Ask, rule: &str, answer: Answer) -> Intent {
    match ask(asked) {
        Intent::Ask(new) => {
            let ruling = Some(AskRuling { rule: rule.into(), place: None, says: RuleSays::Answer(answer) });
            Intent::Ask(Box::new(NewAsk { ruling, ..*new }))
        }
        other => other,
    }
}

/// The same, with the call that it was made from.
pub(crate) fn ask_from(asked: &Ask, made: CallMade) -> Intent {
    match ask(asked) {
        Intent::Ask(new) => Intent::Ask(Box::new(NewAsk { made: Some(made), ..*new })),
        other => other,
    }
}

pub(crate) fn returned(ask: u32, result: CallResult) -> Intent {
    Intent::Return { ask: id(ask), result: Box::new(result) }
}

pub(crate) fn answer(ask: u32, answer: Answer, by: Who) -> Intent {
    Intent::Answer { ask: id(ask), answer, by, undo: secs(0) }
}

/// An answer of a person who wants `undo` seconds to undo it.
pub(crate) fn answer_undoable(ask: u32, answer: Answer, by: Who, undo: u64) -> Intent {
    Intent::Answer { ask: id(ask), answer, by, undo: secs(undo) }
}

pub(crate) fn undo(ask: u32, by: Who) -> Intent {
    Intent::Undo { ask: id(ask), by }
}

pub(crate) fn dismiss(ask: u32, words: Option<&str>, by: Who) -> Intent {
    Intent::Dismiss { ask: id(ask), words: words.map(Into::into), by }
}

pub(crate) fn extend(ask: u32, more: u64, by: Who) -> Intent {
    Intent::Extend { ask: id(ask), wait: Wait::For(secs(more)), by }
}

pub(crate) fn extend_for_ever(ask: u32, by: Who) -> Intent {
    Intent::Extend { ask: id(ask), wait: Wait::Forever, by }
}

pub(crate) fn vote(ask: u32, answer: Answer, by: Who) -> Intent {
    Intent::Vote { ask: id(ask), answer, by }
}

pub(crate) fn rule(ask: u32, rule: &str, answer: Answer) -> Intent {
    Intent::Rule { ask: id(ask), rule: rule.into(), answer }
}

pub(crate) fn correct(ask: u32, answer: Answer, by: Who) -> Intent {
    Intent::Correct { ask: id(ask), answer, by }
}

/// The agent makes a denied call again.
pub(crate) fn use_overrule(ask: u32, call: &str) -> Intent {
    Intent::UseOverrule { ask: id(ask), call: call.into() }
}

pub(crate) fn withdraw(ask: u32, why: &str) -> Intent {
    Intent::Withdraw { ask: id(ask), why: why.into() }
}

pub(crate) fn abandon(ask: u32, why: &str) -> Intent {
    Intent::Abandon { ask: id(ask), why: why.into() }
}

pub(crate) fn overtake(ask: u32) -> Intent {
    Intent::Overtake { ask: id(ask), mouth: "terminal".into(), ran: None }
}

pub(crate) fn park(ask: u32) -> Intent {
    Intent::Park { ask: id(ask) }
}

pub(crate) fn strand(ask: u32) -> Intent {
    Intent::Strand { ask: id(ask) }
}

pub(crate) fn hand(ask: u32) -> Intent {
    Intent::Hand { parcel: Parcel::Verdict(id(ask)) }
}

pub(crate) fn deliver(ask: u32) -> Intent {
    Intent::Deliver { parcel: Parcel::Verdict(id(ask)), proof: "seen".into() }
}

pub(crate) fn hand_message(number: u32) -> Intent {
    Intent::Hand { parcel: Parcel::Message(message(number)) }
}

pub(crate) fn deliver_message(number: u32) -> Intent {
    Intent::Deliver { parcel: Parcel::Message(message(number)), proof: "seen".into() }
}

pub(crate) fn tick(ask: u32, due: Due) -> Intent {
    Intent::Tick { ask: id(ask), due }
}

pub(crate) fn say(text: &str, by: Option<Who>) -> Intent {
    Intent::Say { text: text.into(), by, about: None, client_id: None }
}

pub(crate) fn unsay(number: u32) -> Intent {
    Intent::Unsay { message: message(number) }
}

pub(crate) fn close() -> Intent {
    Intent::Close { why: "done".into() }
}
