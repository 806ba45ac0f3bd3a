//! A rule decides, in its own name.

use super::found::{conflict, find, over, rule_may_say};
use super::settle::settle;
use crate::answer::{Answer, Outcome};
use crate::event::Event;
use crate::ids::{AskId, Timestamp};
use crate::refusal::Refusal;
use crate::session::{AskStage, FoundAsk, Session};

pub(super) fn rule(
    session: &Session,
    ask: AskId,
    rule: String,
    answer: Answer,
    at: Timestamp,
) -> Result<Vec<Event>, Refusal> {
    match find(session, ask)? {
        FoundAsk::Live(live) if live.stage == AskStage::Open => {
            rule_may_say(&live.ask, &answer)?;
            Ok(settle(session, live, Outcome::Ruled { rule, place: None, answer }, at))
        }
        FoundAsk::Live(live) => match &live.stage {
            // A bot that missed our reply sends the same again.
            AskStage::Settled { outcome: Outcome::Ruled { rule: first, answer: said, .. }, .. }
                if *first == rule && *said == answer =>
            {
                Ok(Vec::new())
            }
            _ => Err(conflict(live)),
        },
        FoundAsk::Over(stub) => Err(over(session, stub)),
    }
}
