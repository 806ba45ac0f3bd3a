//! What an ask that is not over still takes: a verdict, a late answer, a call that a person let through.

use crate::answer::{Answer, Decision, Outcome};
use crate::ids::{CallId, Timestamp};
use crate::limits;
use crate::session::{AskStage, Live};
use crate::verdict;

impl Live {
    /// Whether a person still has to decide, or the agent still has to be told. What is no news is not told to an agent
    /// whose way back is gone.
    pub fn is_unfinished(&self) -> bool {
        let is_news = |outcome| verdict::is_news(&self.ask, outcome);
        let untold = self.stranded && matches!(&self.stage, AskStage::Settled { outcome, .. } if !is_news(outcome));
        self.is_open() || (self.delivered_at.is_none() && !untold)
    }

    /// An ask stays answerable after expiry, with or without an assumption, and after a rule.
    pub fn takes_late_answers(&self) -> bool {
        let AskStage::Settled { outcome, .. } = &self.stage else { return false };
        matches!(outcome, Outcome::Expired | Outcome::Ruled { .. } | Outcome::RuledOut { .. })
    }

    /// When a person overruled the denial that this ask is about. `None`: none did, or it is about something else.
    pub fn overruled_at(&self) -> Option<Timestamp> {
        self.ask.body.denied()?;
        let allows = |answer: &Answer| matches!(answer, Answer::Approval(Decision::Allow { .. }));
        match (&self.stage, &self.late) {
            (_, Some(late)) if allows(&late.answer) => Some(late.at),
            (AskStage::Settled { outcome: Outcome::Answered { answer, .. }, at, .. }, _) if allows(answer) => Some(*at),
            _ => None,
        }
    }

    /// May this call run because a person overruled its denial? Once, and for a while.
    pub fn lets_through(&self, call: &CallId, at: Timestamp) -> bool {
        let Some(since) = self.overruled_at() else { return false };
        match &self.used_by {
            Some(used_by) => **used_by == *call,
            None => at < since.plus(limits::OVERRULE_MAX),
        }
    }
}
