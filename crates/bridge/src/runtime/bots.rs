//! What a bot may answer: yes or no to one ask, exactly as it was asked.

use askbridge_core::answer::{Answer, Decision, Review, Scope};
use askbridge_peers::wish::Rejection;

/// Refuses an answer that goes beyond the one ask as the agent made it: a standing permission, another input or plan.
pub(super) fn check_bots_answer(answer: &Answer) -> Result<(), Rejection> {
    let why = match answer {
        Answer::Approval(Decision::Allow { scope: Scope::Always(_), .. }) => {
            "a bot decides this one ask; only a person may give a standing permission (`always`)"
        }
        Answer::Approval(Decision::Allow { edited: Some(_), .. }) => {
            "a bot decides about the input as it stands; only a person may change it (`input`)"
        }
        Answer::Plan(Review::Approve { edited: Some(_) }) => {
            "a bot decides about the plan as it stands; only a person may change it"
        }
        _ => return Ok(()),
    };
    Err(Rejection::Forbidden(why.to_owned()))
}
