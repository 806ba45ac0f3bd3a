//! Records of a session's start and settings.

use std::borrow::Cow;

use askbridge_core::event as core;
use askbridge_core::ids::{AskId, MessageId, PartyId, PersonId, SessionId, StableNodeId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::terms::Wishes;
use super::text::{Id, Inconsistent, Json, lent, owned, words};

words!(Level = core::Level, { Info Warning Error });
words!(ToolRuling = core::ToolRuling, { Allow Ask Deny });

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Started<'a> {
    at: i64,
    door: Cow<'a, str>,
    agent: Cow<'a, str>,
    owner: Cow<'a, str>,
    #[serde(borrow)]
    audience: Audience<'a>,
    #[serde(borrow, default)]
    settings: Settings<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    continues: Option<Id<SessionId>>,
    /// The node that runs its agent, if the journal is shared by several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<Id<StableNodeId>>,
}

/// `"everyone"` or `{"only":[…]}`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Audience<'a> {
    Everyone,
    Only(#[serde(borrow)] Vec<Cow<'a, str>>),
}

#[derive(Serialize, Deserialize, JsonSchema, Default)]
#[serde(default)]
pub(super) struct Settings<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Wishes::are_none")]
    wishes: Wishes<'a>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    more: Option<Json<'a>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Process {
    pid: u32,
    started: u64,
}

/// `{"verdict":"ask_…"}` or `{"message":"msg_…"}`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Parcel {
    Verdict(Id<AskId>),
    Message(Id<MessageId>),
}

impl<'a> From<&'a core::Started> for Started<'a> {
    fn from(of: &'a core::Started) -> Self {
        Self {
            at: of.at.0,
            door: (&of.door).into(),
            agent: (&of.agent).into(),
            owner: of.owner.as_str().into(),
            audience: match &of.audience {
                core::Audience::Everyone => Audience::Everyone,
                core::Audience::Only(people) => {
                    Audience::Only(people.iter().map(|person| person.as_str().into()).collect())
                }
            },
            settings: (&of.settings).into(),
            continues: of.continues.map(Id),
            host: of.host.map(Id),
        }
    }
}

impl TryFrom<Started<'_>> for core::Event {
    type Error = Inconsistent;

    fn try_from(of: Started<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Started(Box::new(core::Started {
            at: Timestamp(of.at),
            door: of.door.into_owned(),
            agent: of.agent.into_owned(),
            owner: PartyId(of.owner.into()),
            audience: match of.audience {
                Audience::Everyone => core::Audience::Everyone,
                Audience::Only(people) => {
                    core::Audience::Only(people.into_iter().map(|person| PersonId(person.into())).collect())
                }
            },
            settings: of.settings.into(),
            continues: of.continues.map(|id| id.0),
            host: of.host.map(|id| id.0),
        })))
    }
}

impl<'a> From<&'a core::Settings> for Settings<'a> {
    fn from(of: &'a core::Settings) -> Self {
        Self {
            title: lent(&of.title),
            folder: lent(&of.folder),
            branch: lent(&of.branch),
            model: lent(&of.model),
            mode: lent(&of.mode),
            wishes: (&of.wishes).into(),
            more: of.more.as_ref().map(Into::into),
        }
    }
}

impl From<Settings<'_>> for core::Settings {
    fn from(of: Settings<'_>) -> Self {
        Self {
            title: owned(of.title),
            folder: owned(of.folder),
            branch: owned(of.branch),
            model: owned(of.model),
            mode: owned(of.mode),
            wishes: of.wishes.into(),
            more: of.more.map(Into::into),
        }
    }
}

impl From<core::Process> for Process {
    fn from(of: core::Process) -> Self {
        Self { pid: of.pid, started: of.started }
    }
}

impl From<Process> for core::Process {
    fn from(of: Process) -> Self {
        Self { pid: of.pid, started: of.started }
    }
}

impl From<core::Parcel> for Parcel {
    fn from(of: core::Parcel) -> Self {
        match of {
            core::Parcel::Verdict(ask) => Self::Verdict(Id(ask)),
            core::Parcel::Message(message) => Self::Message(Id(message)),
        }
    }
}

impl From<Parcel> for core::Parcel {
    fn from(of: Parcel) -> Self {
        match of {
            Parcel::Verdict(ask) => Self::Verdict(ask.0),
            Parcel::Message(message) => Self::Message(message.0),
        }
    }
}
