//! How a call ends, in words for a model: complete, so that it need not guess.

use std::time::Duration;

use askbridge_core::verdict::{Ruling, in_words, spoken};
use askbridge_core::view::{AskView, State};

pub(super) enum Outcome {
    Settled(Box<AskView>),
    /// The same was answered this long ago.
    Repeated(Box<AskView>, Duration),
    /// A task that is still open.
    Working(Box<AskView>),
    /// Nobody has answered, and the client may give up soon.
    Pending,
    /// The person closed the dialog in the client's window without deciding.
    DialogClosed,
    /// The answer from the client's window, in words.
    SaidThere(String),
    NothingOpen,
    TakenBack,
    Noted,
    Failed(String),
}

impl Outcome {
    /// Returns the words, and whether they report an error.
    pub(super) fn in_words(&self) -> (String, bool) {
        let words = match self {
            Self::Settled(view) => settled(view),
            Self::Repeated(view, since) => format!(
                "You asked exactly this before, and got this answer {} ago. To ask the person anew, set `again`. {}",
                spoken(*since),
                settled(view)
            ),
            Self::SaidThere(words) => words.clone(),
            Self::Working(_) | Self::Pending | Self::DialogClosed => {
                "Nobody has answered yet. The question is stored and stays open.".to_owned()
            }
            Self::NothingOpen => "You have no question that waits for an answer.".to_owned(),
            Self::TakenBack => "The question was taken back. Nobody has answered it, and nobody will.".to_owned(),
            Self::Noted => "The person will see this. No answer will come.".to_owned(),
            Self::Failed(why) => return (format!("That did not work: {why}. Do not assume an answer."), true),
        };
        (words, false)
    }
}

/// Says that nobody has answered yet, and what to do with the ticket.
pub(super) fn pending(ticket: &str) -> String {
    format!(
        "Nobody has answered yet. The question is stored and stays open; its ticket is {ticket}\n\
         Call wait_for_answer with this ticket to go on waiting, as often as needed, or do other work first and call it \
         then. Do not assume an answer, and do not take this for a refusal."
    )
}

/// Says that the person did not want to answer here and now. They are at the client, so the turn goes back to them.
pub(super) fn dialog_closed(ticket: &str) -> String {
    format!(
        "The person closed this question in the terminal without an answer. It is stored and stays open on their other \
         devices; its ticket is {ticket}\n\
         Do not assume an answer, and do not take this for a refusal. If you cannot go on without it, say so and end your \
         turn; call wait_for_answer with this ticket when the person tells you to."
    )
}

/// Says how an ask ended.
pub(super) fn settled(view: &AskView) -> String {
    let body = &view.ask.body;
    match (view.state, &view.verdict) {
        (State::Withdrawn | State::Overtaken, _) => {
            let why = view.words.as_deref().unwrap_or("nobody said why");
            format!("This question was closed before anybody answered it: {why}. Do not assume an answer.")
        }
        (state, Some(verdict)) => match &verdict.ruling {
            Ruling::Answer(answer) if state == State::Ruled => {
                format!("{} The answer: {}", verdict.words, in_words(body, answer))
            }
            Ruling::Answer(answer) => {
                let beside = if verdict.words.is_empty() { String::new() } else { format!("\n{}", verdict.words) };
                format!("The person answered: {}{beside}", in_words(body, answer))
            }
            Ruling::Assume(_) | Ruling::Deny | Ruling::DenyAndStop => verdict.words.clone(),
        },
        (_, None) => "Nobody has answered yet.".to_owned(),
    }
}
