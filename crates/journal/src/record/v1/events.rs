//! Records of decisions: the events that are folded into a session.

use std::borrow::Cow;
use std::sync::Arc;

use askbridge_core::event::{self, Event};
use askbridge_core::ids::{AskId, CallId, Epoch, MessageId, NodeId, SessionId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Answer, Outcome, Verdict, Who};
use super::ask::Ask;
use super::session::{Parcel, Process, Settings};
use super::text::{Hex, Id, Inconsistent, Json};

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Closed<'a> {
    pub(super) why: Cow<'a, str>,
    pub(super) at: i64,
}

impl TryFrom<Closed<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Closed<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Closed { why: of.why.into_owned(), at: Timestamp(of.at) })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Continued {
    pub(super) to: Id<SessionId>,
    pub(super) at: i64,
}

impl TryFrom<Continued> for Event {
    type Error = Inconsistent;

    fn try_from(of: Continued) -> Result<Self, Inconsistent> {
        Ok(Self::Continued { to: of.to.0, at: Timestamp(of.at) })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hosted {
    pub(super) node: Hex,
    pub(super) epoch: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) process: Option<Process>,
}

impl TryFrom<Hosted> for Event {
    type Error = Inconsistent;

    fn try_from(of: Hosted) -> Result<Self, Inconsistent> {
        Ok(Self::Hosted { node: NodeId(of.node.0), epoch: Epoch(of.epoch), process: of.process.map(Into::into) })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Unhosted {
    pub(super) epoch: u32,
}

impl TryFrom<Unhosted> for Event {
    type Error = Inconsistent;

    fn try_from(of: Unhosted) -> Result<Self, Inconsistent> {
        Ok(Self::Unhosted { epoch: Epoch(of.epoch) })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Said<'a> {
    pub(super) message: Id<MessageId>,
    pub(super) at: i64,
    pub(super) text: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<Who<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) about: Option<Id<AskId>>,
    /// The id that the client gave it.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(super) client_id: Option<Cow<'a, str>>,
}

impl TryFrom<Said<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Said<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Said(Box::new(event::Said {
            message: of.message.0,
            at: Timestamp(of.at),
            text: of.text.into_owned(),
            by: of.by.map(Into::into),
            about: of.about.map(|id| id.0),
            client_id: of.client_id.map(|id| id.into_owned().into()),
        })))
    }
}

impl<'a> From<&'a event::Said> for Said<'a> {
    fn from(of: &'a event::Said) -> Self {
        Self {
            message: Id(of.message),
            at: of.at.0,
            text: (&of.text).into(),
            by: of.by.as_ref().map(Into::into),
            about: of.about.map(Id),
            client_id: of.client_id.as_deref().map(Into::into),
        }
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Unsaid {
    pub(super) message: Id<MessageId>,
}

impl TryFrom<Unsaid> for Event {
    type Error = Inconsistent;

    fn try_from(of: Unsaid) -> Result<Self, Inconsistent> {
        Ok(Self::Unsaid { message: of.message.0 })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Configured<'a> {
    #[serde(borrow)]
    pub(super) settings: Settings<'a>,
}

impl TryFrom<Configured<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Configured<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Configured(Box::new(of.settings.into())))
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Interrupted<'a> {
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<Who<'a>>,
    pub(super) at: i64,
}

impl TryFrom<Interrupted<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Interrupted<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Interrupted { by: of.by.map(Into::into), at: Timestamp(of.at) })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asked<'a> {
    #[serde(borrow)]
    pub(super) ask: Ask<'a>,
}

impl TryFrom<Asked<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Asked<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Asked(Arc::new(of.ask.try_into()?)))
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Proposed<'a> {
    pub(super) ask: Id<AskId>,
    #[serde(borrow)]
    pub(super) answer: Answer<'a>,
    #[serde(borrow)]
    pub(super) by: Who<'a>,
    pub(super) until: i64,
}

impl TryFrom<Proposed<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Proposed<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Proposed {
            ask: of.ask.0,
            answer: of.answer.try_into()?,
            by: of.by.into(),
            until: Timestamp(of.until),
        })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Undone<'a> {
    pub(super) ask: Id<AskId>,
    #[serde(borrow)]
    pub(super) by: Who<'a>,
}

impl TryFrom<Undone<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Undone<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Undone { ask: of.ask.0, by: of.by.into() })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Extended<'a> {
    pub(super) ask: Id<AskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) deadline: Option<i64>,
    #[serde(borrow)]
    pub(super) by: Who<'a>,
}

impl TryFrom<Extended<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Extended<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Extended { ask: of.ask.0, deadline: of.deadline.map(Timestamp), by: of.by.into() })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Voted<'a> {
    pub(super) ask: Id<AskId>,
    #[serde(borrow)]
    pub(super) answer: Answer<'a>,
    #[serde(borrow)]
    pub(super) by: Who<'a>,
}

impl TryFrom<Voted<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Voted<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Voted { ask: of.ask.0, answer: of.answer.try_into()?, by: of.by.into() })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Settled<'a> {
    pub(super) ask: Id<AskId>,
    pub(super) at: i64,
    #[serde(borrow)]
    pub(super) outcome: Outcome<'a>,
    #[serde(borrow)]
    pub(super) verdict: Verdict<'a>,
}

impl TryFrom<Settled<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Settled<'_>) -> Result<Self, Inconsistent> {
        let outcome = of.outcome.try_into()?;
        let verdict = of.verdict.read(&outcome)?;
        Ok(Self::Settled(Box::new(event::Settled { ask: of.ask.0, at: Timestamp(of.at), outcome, verdict })))
    }
}

impl<'a> From<&'a event::Settled> for Settled<'a> {
    fn from(of: &'a event::Settled) -> Self {
        let verdict = Verdict::beside(&of.outcome, &of.verdict);
        Self { ask: Id(of.ask), at: of.at.0, outcome: (&of.outcome).into(), verdict }
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Withdrawn<'a> {
    pub(super) ask: Id<AskId>,
    pub(super) why: Cow<'a, str>,
    pub(super) at: i64,
}

impl TryFrom<Withdrawn<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Withdrawn<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Withdrawn { ask: of.ask.0, why: of.why.into_owned(), at: Timestamp(of.at) })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Overtaken<'a> {
    pub(super) ask: Id<AskId>,
    pub(super) mouth: Cow<'a, str>,
    /// The input that the call ran with, where that is not what was allowed.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(super) ran: Option<Json<'a>>,
    pub(super) at: i64,
}

impl TryFrom<Overtaken<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Overtaken<'_>) -> Result<Self, Inconsistent> {
        let ran = of.ran.map(Into::into);
        Ok(Self::Overtaken { ask: of.ask.0, mouth: of.mouth.into_owned(), ran, at: Timestamp(of.at) })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parked {
    pub(super) ask: Id<AskId>,
}

impl TryFrom<Parked> for Event {
    type Error = Inconsistent;

    fn try_from(of: Parked) -> Result<Self, Inconsistent> {
        Ok(Self::Parked { ask: of.ask.0 })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stranded {
    pub(super) ask: Id<AskId>,
}

impl TryFrom<Stranded> for Event {
    type Error = Inconsistent;

    fn try_from(of: Stranded) -> Result<Self, Inconsistent> {
        Ok(Self::Stranded { ask: of.ask.0 })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OverruleUsed<'a> {
    pub(super) ask: Id<AskId>,
    /// The call that runs by it.
    pub(super) call: Cow<'a, str>,
    pub(super) at: i64,
}

impl TryFrom<OverruleUsed<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: OverruleUsed<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::OverruleUsed { ask: of.ask.0, call: CallId::from(&*of.call), at: Timestamp(of.at) })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LateAnswered<'a> {
    pub(super) ask: Id<AskId>,
    #[serde(borrow)]
    pub(super) answer: Answer<'a>,
    #[serde(borrow)]
    pub(super) by: Who<'a>,
    pub(super) at: i64,
}

impl TryFrom<LateAnswered<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: LateAnswered<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::LateAnswered { ask: of.ask.0, answer: of.answer.try_into()?, by: of.by.into(), at: Timestamp(of.at) })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Handed {
    pub(super) parcel: Parcel,
    pub(super) attempt: u32,
}

impl TryFrom<Handed> for Event {
    type Error = Inconsistent;

    fn try_from(of: Handed) -> Result<Self, Inconsistent> {
        Ok(Self::Handed { parcel: of.parcel.into(), attempt: of.attempt })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Delivered<'a> {
    pub(super) parcel: Parcel,
    pub(super) proof: Cow<'a, str>,
    pub(super) at: i64,
}

impl TryFrom<Delivered<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Delivered<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Delivered { parcel: of.parcel.into(), proof: of.proof.into_owned(), at: Timestamp(of.at) })
    }
}
