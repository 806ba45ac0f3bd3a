//! Turns a reply into an answer.

use crate::answer::{Answer, Decision, Review, Scope};
use crate::ask::{Approval, Ask, Body, Kind};
use crate::fit::stand_in::posed;
use crate::ids::Raw;
use crate::limits;
use crate::wild::is_blank;

use super::{Mismatch, Problem, Reply, form, questions, stand_in};

/// Returns what is wrong with an input that a person has edited; nothing, if it may run. The caller passes it in,
/// because the rules know neither JSON nor any tool.
pub type EditCheck<'a> = &'a dyn Fn(&Ask, &Approval, &Raw) -> Vec<Problem>;

/// Turns a reply into an answer to `ask`.
///
/// Options are returned ascending, each once. A question that is left out is skipped, but an empty reply is refused:
/// closing an ask without an answer is a dismissal, and the agent is told so.
pub fn unfit(ask: &Ask, reply: Reply, check: EditCheck<'_>) -> Result<Answer, Mismatch> {
    match (&ask.body, reply) {
        (Body::Questions(_), Reply::Questions(given)) => {
            questions::picks(&posed(&ask.body), given).map(Answer::Questions)
        }
        (Body::Approval(approval), Reply::Approval(decision)) => {
            decided(approval, decision, &|input| check(ask, approval, input)).map(Answer::Approval)
        }
        (Body::Plan(_), Reply::Plan(review)) => reviewed(review).map(Answer::Plan),
        (Body::Form(form), Reply::Form(reply)) => form::filled(form, reply).map(Answer::Form),
        (body, Reply::Questions(given)) => stand_in::answer(body, questions::picks(&posed(body), given)?),
        (body, Reply::Approval(_) | Reply::Plan(_) | Reply::Form(_)) => Err(Mismatch::whole(match body.kind() {
            Kind::Questions => "these are questions; answer them with options or words",
            Kind::Approval => "this ask is an approval; answer it with allow or deny",
            Kind::Plan => "this ask is a plan; answer it by approving it or sending it back",
            Kind::Form => "this ask is a form; answer it by filling it in or declining",
        })),
    }
}

/// Does the question of `ask` with this text accept several answers? `None` if no question has it, or more than one.
pub fn takes_several(ask: &Ask, text: &str) -> Option<bool> {
    questions::takes_several(&posed(&ask.body), text)
}

fn decided(
    approval: &Approval,
    decision: Decision,
    check: &dyn Fn(&Raw) -> Vec<Problem>,
) -> Result<Decision, Mismatch> {
    match decision {
        Decision::Allow { scope, edited } => {
            if let Scope::Always(index) = scope
                && usize::from(index) >= approval.rules.len()
            {
                let offered = approval.rules.len();
                return Err(Mismatch::whole(format!("rule {index} was not offered; {offered} were, counted from 0")));
            }
            if approval.overrule && edited.is_some() {
                return Err(Mismatch::whole("a denied call runs as it is or not at all; its input cannot be changed"));
            }
            if let Some(input) = &edited {
                changed("the changed input", input.as_str())?;
                let problems = check(input);
                if !problems.is_empty() {
                    return Err(Mismatch { problems });
                }
            }
            Ok(Decision::Allow { scope, edited })
        }
        // The agent goes on after a denial of its own; to leave it changes nothing.
        Decision::Deny { words, stop } => {
            Ok(Decision::Deny { words: spoken(words)?, stop: stop && !approval.overrule })
        }
    }
}

fn reviewed(review: Review) -> Result<Review, Mismatch> {
    match review {
        Review::Approve { edited: Some(plan) } => {
            changed("the changed plan", &plan)?;
            Ok(Review::Approve { edited: Some(plan) })
        }
        Review::Approve { edited: None } => Ok(Review::Approve { edited: None }),
        Review::SendBack { words } => match spoken(Some(words))? {
            Some(words) => Ok(Review::SendBack { words }),
            None => Err(Mismatch::whole("a plan is sent back with words; say what should change")),
        },
    }
}

/// Refuses an edit that is blank or too long.
fn changed(what: &str, text: &str) -> Result<(), Mismatch> {
    if is_blank(text) {
        return Err(Mismatch::whole(format!("{what} is blank; leave it out to change nothing")));
    }
    if text.len() > limits::ASK_TEXT_BYTES_MAX {
        let limit = limits::ASK_TEXT_BYTES_MAX;
        return Err(Mismatch::whole(format!("{what} is longer than {limit} bytes; shorten it")));
    }
    Ok(())
}

/// Returns the words that a person added. Blank words count as none.
pub(super) fn spoken(words: Option<String>) -> Result<Option<String>, Mismatch> {
    let words = words.filter(|words| !is_blank(words));
    if words.as_ref().is_some_and(|words| words.len() > limits::ANSWER_TEXT_BYTES_MAX) {
        return Err(Mismatch::whole(too_long()));
    }
    Ok(words)
}

pub(super) fn too_long() -> String {
    format!("it is longer than {} bytes; shorten it", limits::ANSWER_TEXT_BYTES_MAX)
}
