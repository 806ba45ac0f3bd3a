//! What the agent is told, for every way an ask can end. The texts are data, in one table.

use std::time::Duration;

use crate::answer::{Answer, Decision, Filled, Outcome, Pick, Review, Who};
use crate::ask::{Ask, Body, Kind, Question};
use crate::terms::{OnDismissal, OnExpiry};

/// What the agent is told. Stored with the settled ask, so that later policy changes do not alter it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Verdict {
    pub ruling: Ruling,
    /// What the agent reads beside or instead of an answer. Complete, so that a model need not guess.
    pub words: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Ruling {
    /// A person, or a rule that the words name, said this.
    Answer(Answer),
    /// Nobody answered; this is to be assumed, and the words say that it is an assumption.
    Assume(Answer),
    Deny,
    DenyAndStop,
}

impl Verdict {
    pub fn stops_the_turn(&self) -> bool {
        self.ruling == Ruling::DenyAndStop
    }
}

/// The endings without an answer: rows of the table of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Dismissed,
    DismissedWithWords,
    Expired,
    ExpiredAssuming,
}

/// Ending × kind → what the agent reads. `{words}` is what the person wrote, `{wait}` how long the ask waited.
const WORDS: &[(Ending, Kind, &str)] = {
    use Ending::*;
    use Kind::*;
    &[
        (
            Dismissed,
            Questions,
            "The person closed the question without answering. Do not assume an answer: go on without it, or ask differently.",
        ),
        (
            Dismissed,
            Approval,
            "Denied: the person closed the request without deciding. Go on without this tool call, or ask again with a reason.",
        ),
        (Dismissed, Plan, "Not approved: the person closed the plan without deciding. Do not start on it."),
        (Dismissed, Form, "The person closed the form without filling it in. Do not assume any value."),
        (DismissedWithWords, Questions, "The person closed the question without choosing, and wrote: {words}"),
        (DismissedWithWords, Approval, "Denied: the person closed the request, and wrote: {words}"),
        (DismissedWithWords, Plan, "Not approved: the person closed the plan, and wrote: {words}"),
        (DismissedWithWords, Form, "The person closed the form without filling it in, and wrote: {words}"),
        (
            Expired,
            Questions,
            "Nobody answered within {wait}. This is a timeout, not a refusal: nobody declined. Go on without the answer, or ask again.",
        ),
        (Expired, Approval, "Denied: nobody answered within {wait}. Go on without this tool call, or ask again."),
        (
            Expired,
            Plan,
            "Not approved: nobody answered within {wait}. Do not start on the plan; ask again when it is needed.",
        ),
        (Expired, Form, "Nobody filled in the form within {wait}. Do not assume any value."),
        (
            ExpiredAssuming,
            Questions,
            "Nobody answered within {wait}. The asker's own default applies; no person chose it: {words}",
        ),
    ]
};

/// The same for a call that was denied already, where a person was asked to overrule that.
const STANDING: &[(Ending, &str)] = &[
    (
        Ending::Dismissed,
        "The denial stands: the person closed the request without deciding. Go on without this tool call.",
    ),
    (Ending::DismissedWithWords, "The denial stands: the person closed the request, and wrote: {words}"),
    (Ending::Expired, "The denial stands: nobody overruled it within {wait}. Go on without this tool call."),
];

/// What the agent reads of a call that it was denied, beyond the denial itself.
const STANDS: &str = "The denial stands: ";
const OVERRULED: &str = "the denial is overruled; make exactly the same call again, and it runs. This holds once";

/// How the words about a question begin that a rule refused. [`follow_up`] knows it by them.
const RULED_OUT: &str = "Not answered: refused by the rule";

/// What the agent is told of a call that a rule denied before a person could have been asked.
pub fn denied_by_rule(rule: &str, words: &str) -> String {
    format!("Denied by the rule “{rule}”; no person was asked. It says: {words}")
}

/// Computes what the agent is told about `outcome`.
pub fn verdict(ask: &Ask, outcome: &Outcome, waited: Duration) -> Verdict {
    let kind = ask.body.kind();
    let wait = spoken(waited);
    let is_denied = ask.body.denied().is_some();
    match outcome {
        Outcome::Answered { answer, .. } => {
            Verdict { words: beside(&ask.body, answer, "person"), ruling: Ruling::Answer(answer.clone()) }
        }
        Outcome::Ruled { rule, place, answer } => {
            // A bot's ruling has no place, and people may have seen the ask before it.
            let mut words = match place {
                Some(_) => format!("Decided by the rule “{rule}”; no person was asked."),
                None => format!("Decided by the rule “{rule}”, not by a person."),
            };
            let beside = beside(&ask.body, answer, "rule");
            if !beside.is_empty() {
                words = format!("{words} {beside}");
            }
            Verdict { words, ruling: Ruling::Answer(answer.clone()) }
        }
        Outcome::RuledOut { rule, words, .. } => Verdict {
            words: format!("{RULED_OUT} “{rule}”; no person was asked. It says: {words}"),
            ruling: Ruling::Deny,
        },
        Outcome::Dismissed { words, .. } => {
            let ending = if words.is_some() { Ending::DismissedWithWords } else { Ending::Dismissed };
            Verdict {
                ruling: match ask.terms.on_dismissal {
                    // A call that was denied has not stopped the agent, and that the denial stands is no reason to.
                    _ if is_denied => Ruling::Deny,
                    OnDismissal::Tell => Ruling::Deny,
                    OnDismissal::TellAndStop => Ruling::DenyAndStop,
                },
                words: look_up(ending, kind, is_denied).replace("{words}", words.as_deref().unwrap_or_default()),
            }
        }
        Outcome::Expired => match (&ask.terms.on_expiry, &ask.body) {
            (OnExpiry::Assume(picks), Body::Questions(questions)) => Verdict {
                words: look_up(Ending::ExpiredAssuming, kind, false)
                    .replace("{wait}", &wait)
                    .replace("{words}", &picks_in_words(questions, picks)),
                ruling: Ruling::Assume(Answer::Questions(picks.clone())),
            },
            (on_expiry, _) => Verdict {
                ruling: match on_expiry {
                    _ if is_denied => Ruling::Deny,
                    OnExpiry::TellAndStop => Ruling::DenyAndStop,
                    // `ask` refuses an assumption for anything but questions. If one got here, the answer is no.
                    OnExpiry::Tell | OnExpiry::Assume(_) => Ruling::Deny,
                },
                words: look_up(Ending::Expired, kind, is_denied).replace("{wait}", &wait),
            },
        },
    }
}

fn look_up(ending: Ending, kind: Kind, is_denied: bool) -> &'static str {
    if let Some((_, words)) = STANDING.iter().find(|(e, _)| is_denied && *e == ending) {
        return words;
    }
    let row = WORDS.iter().find(|(e, k, _)| *e == ending && *k == kind);
    row.map(|(_, _, words)| *words).expect("the table has a row for every ending of every kind")
}

/// Returns what to say beside an answer: what was left out, and what was added. `who` is a person or a rule.
fn beside(body: &Body, answer: &Answer, who: &str) -> String {
    match (body, answer) {
        (Body::Questions(questions), Answer::Questions(picks)) => {
            let skipped: Vec<_> = questions
                .iter()
                .zip(picks)
                .filter(|(_, pick)| pick.is_skipped())
                .map(|(question, _)| format!("“{}”", question.text))
                .collect();
            if skipped.is_empty() {
                String::new()
            } else {
                format!("Not answered: {}. The {who} skipped it; do not assume an answer.", skipped.join(", "))
            }
        }
        (Body::Approval(approval), Answer::Approval(decision)) if approval.overrule => match decision {
            Decision::Allow { .. } => sentence(OVERRULED),
            Decision::Deny { words: Some(words), .. } => format!("{STANDS}{words}"),
            Decision::Deny { words: None, .. } => {
                format!("{STANDS}the {who} leaves it. Go on without this tool call.")
            }
        },
        (_, Answer::Approval(Decision::Allow { edited: Some(_), .. })) => {
            "Allowed with a changed input; the changed input is what counts.".to_owned()
        }
        (_, Answer::Approval(Decision::Deny { words, .. })) => match words {
            Some(words) => format!("Denied: {words}"),
            None => format!("Denied by the {who}, without a reason. Go on without this tool call."),
        },
        (_, Answer::Plan(Review::Approve { edited: Some(_) })) => {
            "Approved with changes; the changed plan is what counts.".to_owned()
        }
        (_, Answer::Plan(Review::SendBack { words })) => format!("Sent back: {words}"),
        (_, Answer::Form(Filled::Decline { words })) => match words {
            Some(words) => format!("Declined: {words}"),
            None => format!("The {who} declined to fill in the form."),
        },
        _ => String::new(),
    }
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    first.chain(letters).chain(['.']).collect()
}

/// Writes a late answer or a correction as a message: the question, what the agent was told, what the person says now.
pub fn follow_up(ask: &Ask, told: &Verdict, answer: &Answer, by: &Who) -> String {
    if ask.body.denied().is_some() {
        return about_a_denial(ask, &format!("{} now says: {}", by.person, in_words(&ask.body, answer)));
    }
    let then = match &told.ruling {
        Ruling::Deny if told.words.starts_with(RULED_OUT) => "At the time a rule refused the question".to_owned(),
        Ruling::Deny | Ruling::DenyAndStop => "You were told at the time that nobody had answered".to_owned(),
        Ruling::Assume(assumed) => {
            format!("At the time you were to assume: {}", in_words(&ask.body, assumed))
        }
        Ruling::Answer(ruled) => format!("At the time a rule decided: {}", in_words(&ask.body, ruled)),
    };
    format!(
        "A late answer to your earlier question “{}”. {then}. {} now says: {}",
        ask.body.headline(),
        by.person,
        in_words(&ask.body, answer),
    )
}

fn about_a_denial(ask: &Ask, said: &str) -> String {
    format!("Your call “{}” was denied. {said}", ask.body.headline())
}

/// Whether an outcome is news to an agent whose way back is gone. An expiry is none, nor that a denial stands, unless a
/// person wrote something.
pub(crate) fn is_news(ask: &Ask, outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Expired => false,
        Outcome::Answered { answer: Answer::Approval(Decision::Deny { words: None, .. }), .. }
        | Outcome::Dismissed { words: None, .. }
        | Outcome::Ruled { .. }
        | Outcome::RuledOut { .. } => ask.body.denied().is_none(),
        Outcome::Answered { .. } | Outcome::Dismissed { .. } => true,
    }
}

/// Writes a verdict as a message, because the way back to the agent is gone. `None` for what is no news to it.
pub fn stranded(ask: &Ask, outcome: &Outcome, verdict: &Verdict) -> Option<String> {
    if !is_news(ask, outcome) {
        return None;
    }
    if ask.body.denied().is_some() {
        let said = match outcome {
            Outcome::Answered { answer, by } => format!("{} says: {}", by.person, in_words(&ask.body, answer)),
            _ => verdict.words.clone(),
        };
        return Some(about_a_denial(ask, &said));
    }
    let said = match outcome {
        Outcome::Answered { answer, by } => format!("{} says: {}", by.person, in_words(&ask.body, answer)),
        Outcome::Dismissed { .. } | Outcome::RuledOut { .. } => verdict.words.clone(),
        Outcome::Ruled { rule, answer, .. } => {
            format!("The rule “{rule}” decided, not a person: {}", in_words(&ask.body, answer))
        }
        Outcome::Expired => return None,
    };
    Some(format!("You asked “{}” and the connection was lost before the answer. {said}", ask.body.headline()))
}

/// Writes an answer as a sentence, for messages and for agents that read only text.
pub fn in_words(body: &Body, answer: &Answer) -> String {
    match (body, answer) {
        (Body::Questions(questions), Answer::Questions(picks)) => picks_in_words(questions, picks),
        (Body::Approval(approval), Answer::Approval(decision)) if approval.overrule => match decision {
            Decision::Allow { .. } => OVERRULED.to_owned(),
            Decision::Deny { words: None, .. } => "the denial stands".to_owned(),
            Decision::Deny { words: Some(words), .. } => format!("the denial stands: {words}"),
        },
        (_, Answer::Approval(Decision::Allow { edited: None, .. })) => "allowed".to_owned(),
        (_, Answer::Approval(Decision::Allow { edited: Some(input), .. })) => {
            format!("allowed, with the input changed to: {input}")
        }
        (_, Answer::Approval(Decision::Deny { words, .. })) => {
            words.as_ref().map_or("denied".to_owned(), |words| format!("denied: {words}"))
        }
        (_, Answer::Plan(Review::Approve { edited: None })) => "approved".to_owned(),
        (_, Answer::Plan(Review::Approve { edited: Some(plan) })) => format!("approved, changed to:\n{plan}"),
        (_, Answer::Plan(Review::SendBack { words })) => format!("sent back: {words}"),
        (_, Answer::Form(Filled::Accept(values))) => {
            let lines = values.iter().map(|(name, value)| format!("{name}: {}", field_in_words(value)));
            lines.collect::<Vec<_>>().join("; ")
        }
        (_, Answer::Form(Filled::Decline { words })) => {
            words.as_ref().map_or("declined".to_owned(), |words| format!("declined: {words}"))
        }
        (_, Answer::Questions(_)) => "answered".to_owned(),
    }
}

fn field_in_words(value: &crate::answer::FieldValue) -> String {
    use crate::answer::FieldValue::*;
    match value {
        Text(text) | Number(text) => text.clone(),
        Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Many(many) => many.join(", "),
    }
}

fn picks_in_words(questions: &[Question], picks: &[Pick]) -> String {
    let several = questions.len() > 1;
    let lines = questions.iter().zip(picks).map(|(question, pick)| {
        let said = pick_in_words(question, pick);
        if several { format!("“{}”: {said}", question.text) } else { said }
    });
    lines.collect::<Vec<_>>().join("; ")
}

fn pick_in_words(question: &Question, pick: &Pick) -> String {
    let labels = pick.chosen.iter().filter_map(|&i| question.options.get(usize::from(i))).map(|o| o.label.as_str());
    let mut said = labels.chain(pick.text.as_deref()).collect::<Vec<_>>().join(", ");
    if said.is_empty() {
        said.push_str("(skipped)");
    }
    if let Some(note) = &pick.note {
        said.push_str(&format!(" (note: {note})"));
    }
    said
}

/// Writes a duration as a person would say it: in the largest unit that loses little.
pub fn spoken(span: Duration) -> String {
    // The deadline is computed a moment before the ask is made, so a promised two seconds must not become one.
    let secs = (span + Duration::from_millis(500)).as_secs();
    let (number, unit) = match secs {
        0..120 => (secs.max(1), "second"),
        120..7200 => (secs / 60, "minute"),
        7200..172_800 => (secs / 3600, "hour"),
        _ => (secs / 86_400, "day"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_of_every_kind_has_words() {
        for ending in [Ending::Dismissed, Ending::DismissedWithWords, Ending::Expired] {
            for kind in [Kind::Questions, Kind::Approval, Kind::Plan, Kind::Form] {
                assert!(!look_up(ending, kind, false).is_empty());
                assert!(look_up(ending, kind, true).starts_with(STANDS));
            }
        }
        assert!(!look_up(Ending::ExpiredAssuming, Kind::Questions, false).is_empty());
    }

    #[test]
    fn a_timeout_never_reads_like_a_refusal_by_a_person() {
        let standing = STANDING.iter().map(|(ending, words)| (ending, words));
        for (ending, words) in WORDS.iter().map(|(ending, _, words)| (ending, words)).chain(standing) {
            let expired = matches!(ending, Ending::Expired | Ending::ExpiredAssuming);
            assert_eq!(words.contains("The person") || words.contains("the person"), !expired, "{words}");
            assert_eq!(words.to_lowercase().contains("nobody"), expired, "{words}");
        }
    }

    #[test]
    fn spans_are_spoken_in_the_largest_unit_that_loses_little() {
        assert_eq!(spoken(Duration::from_millis(1_998)), "2 seconds");
        assert_eq!(spoken(Duration::from_millis(599_999)), "10 minutes");
        let said = [0, 1, 55, 119, 120, 600, 7200, 172_800].map(|s| spoken(Duration::from_secs(s)));
        assert_eq!(
            said,
            ["1 second", "1 second", "55 seconds", "119 seconds", "2 minutes", "10 minutes", "2 hours", "2 days"]
        );
    }
}
