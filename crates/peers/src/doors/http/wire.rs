//! The body of `POST /v1/asks` as we document it: the types that make the schema read the body.

use std::collections::BTreeMap;
use std::fmt;

use askbridge_core::limits;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::{Lent, NewOnExpiry, NewQuestion, VISIBLE, WildJson, takes_more, text_or_whole};

/// Something to be asked: exactly one of `questions`, `question`, `approval`, `plan` and `form`. Other spellings that
/// agents use are understood as well; these are the ones to write.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = takes_more, extend("oneOf" = [
    {"required": ["questions"]}, {"required": ["question"]}, {"required": ["approval"]},
    {"required": ["plan"]}, {"required": ["form"]},
]))]
pub struct NewAsk<'a> {
    #[schemars(length(min = 1, max = limits::QUESTIONS_MAX))]
    pub(super) questions: Option<Vec<NewQuestion>>,
    /// One question alone, as text.
    #[schemars(regex(pattern = VISIBLE))]
    pub(super) question: Option<String>,
    pub(super) approval: Option<NewApproval>,
    /// A plan to approve, as Markdown.
    #[schemars(regex(pattern = VISIBLE))]
    pub(super) plan: Option<String>,
    pub(super) form: Option<NewForm>,
    /// The session that it belongs to. Without one it gets a session of its own.
    #[serde(borrow)]
    #[schemars(with = "Option<String>")]
    pub(super) session: Option<Lent<'a>>,
    /// Who asks, for people to read. Without it: the token's name.
    pub(super) agent: Option<String>,
    /// How long it waits. Without it: for ever.
    #[schemars(range(min = 0, max = limits::WAIT_MAX.as_secs()))]
    pub(super) timeout_seconds: Option<f64>,
    /// What the agent is told when nobody comes in time. Nothing is ever allowed on expiry.
    pub(super) on_expiry: Option<NewOnExpiry>,
    /// How long an answer can be taken back before it counts.
    #[schemars(range(min = 0, max = limits::UNDO_MAX.as_secs()))]
    pub(super) undo_seconds: Option<f64>,
    /// How many people have to agree.
    #[schemars(range(min = 1, max = limits::QUORUM_MAX))]
    pub(super) quorum: Option<u8>,
    // Parsed as a `NewContext`; the original is kept beside it.
    #[serde(borrow)]
    #[schemars(with = "Option<NewContext>")]
    pub(super) context: Option<&'a RawValue>,
    /// What the agent calls the tool call that asks.
    pub(super) call: Option<String>,
}

/// May this tool run with this input?
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = takes_more)]
pub(super) struct NewApproval {
    #[schemars(regex(pattern = VISIBLE))]
    pub(super) tool: String,
    #[schemars(with = "Option<Value>")]
    pub(super) input: Option<WildJson>,
    pub(super) summary: Option<String>,
    pub(super) reason: Option<String>,
    /// What "always" could mean, for the person to choose from.
    pub(super) rules: Option<Vec<NewRule>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = takes_more)]
pub(super) struct NewRule {
    #[schemars(regex(pattern = VISIBLE))]
    pub(super) label: String,
    #[schemars(with = "Value")]
    pub(super) rule: WildJson,
}

/// Fields to fill in (`schema`), or a page to visit (`url`).
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = takes_more, extend("anyOf" = [{"required": ["schema"]}, {"required": ["url"]}]))]
pub(super) struct NewForm {
    #[schemars(regex(pattern = VISIBLE))]
    pub(super) message: String,
    /// A flat JSON schema: an object whose properties are texts, numbers, flags, or choices by `enum`.
    #[schemars(with = "Option<BTreeMap<String, Value>>")]
    pub(super) schema: Option<WildJson>,
    pub(super) url: Option<String>,
}

/// What a person needs to decide from a phone.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum NewContext {
    Text(String),
    Whole(WholeContext),
}

#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct WholeContext {
    pub(super) text: Option<String>,
    pub(super) title: Option<String>,
    #[serde(alias = "cwd")]
    pub(super) folder: Option<String>,
    pub(super) branch: Option<String>,
}
text_or_whole!(NewContext { Text, Whole(WholeContext) }, "a context");
