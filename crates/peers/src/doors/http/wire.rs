//! The body of `POST /v1/asks` as the API's documents show it.
//!
//! Shapes, never values: what agents send is read as wild as it comes (`core::wild`), which no schema could say.

use std::collections::BTreeMap;

use askbridge_core::limits;
use schemars::JsonSchema;
use serde_json::Value;

use crate::json::OneOrSeveral;

/// At least one character that can be seen. (More can be seen than this says; it is enough to write a good ask.)
const VISIBLE: &str = "[A-Za-z0-9]";

/// Something to be asked: exactly one of `questions`, `question`, `approval`, `plan` and `form`. Other spellings that
/// agents use are understood as well; these are the ones to write.
#[derive(JsonSchema)]
#[schemars(extend("oneOf" = [
    {"required": ["questions"]}, {"required": ["question"]}, {"required": ["approval"]},
    {"required": ["plan"]}, {"required": ["form"]},
]))]
#[expect(dead_code, reason = "a shape, never a value: what agents send is read as wild as it comes")]
pub struct NewAsk {
    #[schemars(length(min = 1, max = limits::QUESTIONS_MAX))]
    questions: Option<Vec<NewQuestion>>,
    /// One question alone, as text.
    #[schemars(regex(pattern = VISIBLE))]
    question: Option<String>,
    approval: Option<NewApproval>,
    /// A plan to approve, as Markdown.
    #[schemars(regex(pattern = VISIBLE))]
    plan: Option<String>,
    form: Option<NewForm>,
    /// The session that it belongs to. Without one it gets a session of its own.
    session: Option<String>,
    /// Who asks, for people to read. Without it: the token's name.
    agent: Option<String>,
    /// How long it waits. Without it: for ever.
    #[schemars(range(min = 0, max = limits::WAIT_MAX.as_secs()))]
    timeout_seconds: Option<f64>,
    /// What the agent is told when nobody comes in time. Nothing is ever allowed on expiry.
    on_expiry: Option<NewOnExpiry>,
    /// How long an answer can be taken back before it counts.
    #[schemars(range(min = 0, max = limits::UNDO_MAX.as_secs()))]
    undo_seconds: Option<f64>,
    /// How many people have to agree.
    #[schemars(range(min = 1, max = limits::QUORUM_MAX))]
    quorum: Option<u8>,
    context: Option<NewContext>,
    /// What the agent calls the tool call that asks.
    call: Option<String>,
}

/// A question: its text alone, or with options. Without options the answer is free text.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "a shape, never a value")]
enum NewQuestion {
    Text(#[schemars(regex(pattern = VISIBLE))] String),
    Whole {
        #[schemars(regex(pattern = VISIBLE))]
        question: String,
        /// A word or two above the question.
        header: Option<String>,
        #[schemars(length(max = limits::OPTIONS_MAX))]
        options: Option<Vec<NewOption>>,
        /// May several be chosen?
        #[schemars(rename = "multiSelect")]
        multi_select: Option<bool>,
    },
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "a shape, never a value")]
enum NewOption {
    Label(#[schemars(regex(pattern = VISIBLE))] String),
    Whole {
        #[schemars(regex(pattern = VISIBLE))]
        label: String,
        description: Option<String>,
        /// What choosing it would look like: text, or a drawing in characters.
        preview: Option<String>,
    },
}

/// May this tool run with this input?
#[derive(JsonSchema)]
#[expect(dead_code, reason = "a shape, never a value")]
struct NewApproval {
    #[schemars(regex(pattern = VISIBLE))]
    tool: String,
    input: Option<Value>,
    summary: Option<String>,
    reason: Option<String>,
    /// What "always" could mean, for the person to choose from.
    rules: Option<Vec<NewRule>>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "a shape, never a value")]
struct NewRule {
    #[schemars(regex(pattern = VISIBLE))]
    label: String,
    rule: Value,
}

/// Fields to fill in (`schema`), or a page to visit (`url`).
#[derive(JsonSchema)]
#[schemars(extend("anyOf" = [{"required": ["schema"]}, {"required": ["url"]}]))]
#[expect(dead_code, reason = "a shape, never a value")]
struct NewForm {
    #[schemars(regex(pattern = VISIBLE))]
    message: String,
    /// A flat JSON schema: an object whose properties are texts, numbers, flags, or choices by `enum`.
    schema: Option<BTreeMap<String, Value>>,
    url: Option<String>,
}

/// `"tell"`, `"stop"`, or `{"assume": {question: label}}`.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "a shape, never a value")]
enum NewOnExpiry {
    /// Tell the agent that nobody came.
    Tell,
    /// Tell it, and end its turn.
    Stop,
    /// Go on with these answers, and tell the agent that they are its own defaults.
    Assume(BTreeMap<String, OneOrSeveral>),
}

/// What a person needs to decide from a phone.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "a shape, never a value")]
enum NewContext {
    Text(String),
    Whole { text: Option<String>, title: Option<String>, folder: Option<String>, branch: Option<String> },
}
