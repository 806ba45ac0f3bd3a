//! Version 1 of the records: `{"type":"asked",…}`, one object per event.
//!
//! Ids are text, times are milliseconds, absent values are left out. Unknown fields are ignored on reading; an unknown
//! event type is an error, because skipping an event would change the past.

mod answer;
mod ask;
mod content;
mod events;
mod schema;
mod session;
mod terms;
mod text;

use std::borrow::Cow;
use std::sync::Arc;

use askbridge_core::event::Event;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use text::{Hex, Id};

pub use schema::EventSchema;
pub use text::Inconsistent;

/// Why a record could not be read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DecodeError {
    #[error("an event of type `{kind}` was written by a newer release")]
    Newer { kind: String },
    #[error("could not read an event of type `{kind}`")]
    Malformed {
        kind: String,
        #[source]
        source: Arc<serde_json::Error>,
    },
    #[error("could not read an event of type `{kind}`")]
    Inconsistent {
        kind: String,
        #[source]
        source: Inconsistent,
    },
}

/// Writes an event as one line of JSON.
pub fn encode(event: &Event) -> String {
    // Large enough for most events; growing from nothing would copy them several times.
    let mut json = Vec::with_capacity(1024);
    serde_json::to_writer(&mut json, &Record::from(event)).expect("records are plain data and always serialize");
    String::from_utf8(json).expect("JSON is text")
}

/// Reads what [`encode`] wrote, in this release or an older one.
pub fn decode(json: &str) -> Result<Event, DecodeError> {
    let kind = kind_of(json)?;
    read(&kind, json)
}

/// Finds the type. We write it first, so that it is found without parsing; other writers may put it elsewhere.
pub(crate) fn kind_of(json: &str) -> Result<Cow<'_, str>, DecodeError> {
    #[derive(Deserialize)]
    struct Tag<'a> {
        #[serde(borrow, rename = "type")]
        kind: Cow<'a, str>,
    }
    if let Some((kind, _)) = json.strip_prefix("{\"type\":\"").and_then(|rest| rest.split_once('"')) {
        return Ok(Cow::Borrowed(kind));
    }
    let malformed = |source| DecodeError::Malformed { kind: "?".to_owned(), source: Arc::new(source) };
    serde_json::from_str::<Tag<'_>>(json).map(|tag| tag.kind).map_err(malformed)
}

/// Joins the records: for each its tag, its variant in [`Record`], and its row in [`read`].
macro_rules! records {
    ($($tag:literal $name:ident [$($body:tt)+];)*) => {
        #[derive(Serialize, JsonSchema)]
        #[serde(tag = "type")]
        #[allow(clippy::large_enum_variant, reason = "it lives on the stack, for the time of one encoding")]
        enum Record<'a> {
            $(#[serde(rename = $tag)] $name($($body)+),)*
        }

        fn read<'a>(kind: &str, json: &'a str) -> Result<Event, DecodeError> {
            match kind {
                $($tag => {
                    let malformed = |source| DecodeError::Malformed { kind: kind.to_owned(), source: Arc::new(source) };
                    let inconsistent = |source| DecodeError::Inconsistent { kind: kind.to_owned(), source };
                    let body: $($body)+ = serde_json::from_str(json).map_err(malformed)?;
                    Event::try_from(body).map_err(inconsistent)
                })*
                _ => Err(DecodeError::Newer { kind: kind.to_owned() }),
            }
        }
    };
}
records! {
    "started" Started [session::Started<'a>];
    "closed" Closed [events::Closed<'a>];
    "continued" Continued [events::Continued];
    "hosted" Hosted [events::Hosted];
    "unhosted" Unhosted [events::Unhosted];
    "said" Said [events::Said<'a>];
    "unsaid" Unsaid [events::Unsaid];
    "configured" Configured [events::Configured<'a>];
    "interrupted" Interrupted [events::Interrupted<'a>];
    "asked" Asked [events::Asked<'a>];
    "proposed" Proposed [events::Proposed<'a>];
    "undone" Undone [events::Undone<'a>];
    "extended" Extended [events::Extended<'a>];
    "voted" Voted [events::Voted<'a>];
    "settled" Settled [events::Settled<'a>];
    "withdrawn" Withdrawn [events::Withdrawn<'a>];
    "overtaken" Overtaken [events::Overtaken<'a>];
    "parked" Parked [events::Parked];
    "stranded" Stranded [events::Stranded];
    "late_answered" LateAnswered [events::LateAnswered<'a>];
    "overrule_used" OverruleUsed [events::OverruleUsed<'a>];
    "handed" Handed [events::Handed];
    "delivered" Delivered [events::Delivered<'a>];
    "text" Text [content::Text<'a>];
    "thinking" Thinking [content::Thinking<'a>];
    "tool_called" ToolCalled [content::ToolCalled<'a>];
    "tool_returned" ToolReturned [content::ToolReturned<'a>];
    "tool_ruled" ToolRuled [content::ToolRuled<'a>];
    "turn_ended" TurnEnded [content::TurnEnded<'a>];
    "notice" Notice [content::Notice<'a>];
}

impl<'a> From<&'a Event> for Record<'a> {
    fn from(event: &'a Event) -> Self {
        use events::*;
        match event {
            Event::Started(started) => Self::Started((&**started).into()),
            Event::Closed { why, at } => Self::Closed(Closed { why: why.into(), at: at.0 }),
            Event::Continued { to, at } => Self::Continued(Continued { to: Id(*to), at: at.0 }),
            Event::Hosted { node, epoch, process } => {
                Self::Hosted(Hosted { node: Hex(node.0), epoch: epoch.0, process: process.map(Into::into) })
            }
            Event::Unhosted { epoch } => Self::Unhosted(Unhosted { epoch: epoch.0 }),
            Event::Said(said) => Self::Said((&**said).into()),
            Event::Unsaid { message } => Self::Unsaid(Unsaid { message: Id(*message) }),
            Event::Configured(settings) => Self::Configured(Configured { settings: (&**settings).into() }),
            Event::Interrupted { by, at } => {
                Self::Interrupted(Interrupted { by: by.as_ref().map(Into::into), at: at.0 })
            }
            Event::Asked(ask) => Self::Asked(Asked { ask: (&**ask).into() }),
            Event::Proposed { ask, answer, by, until } => {
                Self::Proposed(Proposed { ask: Id(*ask), answer: answer.into(), by: by.into(), until: until.0 })
            }
            Event::Undone { ask, by } => Self::Undone(Undone { ask: Id(*ask), by: by.into() }),
            Event::Extended { ask, deadline, by } => {
                Self::Extended(Extended { ask: Id(*ask), deadline: deadline.map(|at| at.0), by: by.into() })
            }
            Event::Voted { ask, answer, by } => {
                Self::Voted(Voted { ask: Id(*ask), answer: answer.into(), by: by.into() })
            }
            Event::Settled(settled) => Self::Settled((&**settled).into()),
            Event::Withdrawn { ask, why, at } => {
                Self::Withdrawn(Withdrawn { ask: Id(*ask), why: why.into(), at: at.0 })
            }
            Event::Overtaken { ask, mouth, ran, at } => {
                let ran = ran.as_ref().map(Into::into);
                Self::Overtaken(Overtaken { ask: Id(*ask), mouth: mouth.into(), ran, at: at.0 })
            }
            Event::Parked { ask } => Self::Parked(Parked { ask: Id(*ask) }),
            Event::Stranded { ask } => Self::Stranded(Stranded { ask: Id(*ask) }),
            Event::LateAnswered { ask, answer, by, at } => {
                Self::LateAnswered(LateAnswered { ask: Id(*ask), answer: answer.into(), by: by.into(), at: at.0 })
            }
            Event::OverruleUsed { ask, call, at } => {
                Self::OverruleUsed(OverruleUsed { ask: Id(*ask), call: call.as_str().into(), at: at.0 })
            }
            Event::Handed { parcel, attempt } => Self::Handed(Handed { parcel: (*parcel).into(), attempt: *attempt }),
            Event::Delivered { parcel, proof, at } => {
                Self::Delivered(Delivered { parcel: (*parcel).into(), proof: proof.into(), at: at.0 })
            }
            Event::Text { block, text } => Self::Text(content::Text { block: *block, text: text.into() }),
            Event::Thinking { block, text } => Self::Thinking(content::Thinking { block: *block, text: text.into() }),
            Event::ToolCalled { call, name, input, ask, within } => Self::ToolCalled(content::ToolCalled {
                call: call.as_str().into(),
                name: name.into(),
                input: input.into(),
                ask: ask.map(Id),
                within: within.as_ref().map(|call| call.as_str().into()),
            }),
            Event::ToolReturned { call, ok, output } => {
                Self::ToolReturned(content::ToolReturned { call: call.as_str().into(), ok: *ok, output: output.into() })
            }
            Event::ToolRuled { call, tool, rule, place, ruling } => Self::ToolRuled(content::ToolRuled {
                call: call.as_str().into(),
                tool: tool.into(),
                rule: rule.into(),
                file: place.as_ref().map(|place| (&place.file).into()),
                line: place.as_ref().map(|place| place.line),
                ruling: (*ruling).into(),
            }),
            Event::TurnEnded { reason, usage } => {
                Self::TurnEnded(content::TurnEnded { reason: reason.into(), usage: usage.as_ref().map(Into::into) })
            }
            Event::Notice { level, text } => {
                Self::Notice(content::Notice { level: (*level).into(), text: text.into() })
            }
        }
    }
}
