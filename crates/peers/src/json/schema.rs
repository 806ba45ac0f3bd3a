//! The enumerations of the API, and schemas of values assembled by hand (answers in labels), used only by its
//! documents.

use std::borrow::Cow;
use std::collections::BTreeMap;

use askbridge_core::view::State;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::codes::CODES;

/// How an ask stands.
pub struct AskState;

impl JsonSchema for AskState {
    fn schema_name() -> Cow<'static, str> {
        "AskState".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names = State::ALL.map(State::name);
        json_schema!({"type": "string", "enum": names, "description": "How an ask stands."})
    }
}

/// A code of a problem.
pub struct ErrorCode;

impl JsonSchema for ErrorCode {
    fn schema_name() -> Cow<'static, str> {
        "ErrorCode".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = CODES.iter().map(|code| code.name).collect();
        json_schema!({
            "type": "string",
            "enum": names,
            "description": "Why something was refused. Never changes for the same cause; each has a page at /docs/errors/CODE.",
        })
    }
}

/// What was answered: labels and texts for questions, the decision for everything else. Empty until then.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "a shape, never a value")]
pub(super) enum Answers {
    Decision(AnswerDecision),
    /// To each question's text what was said: a label or free text, or a list where several may be chosen.
    Labels(BTreeMap<String, OneOrSeveral>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum OneOrSeveral {
    One(String),
    Several(Vec<String>),
}

/// What was decided about an approval, a plan or a form.
#[derive(JsonSchema)]
#[schemars(tag = "decision", rename_all = "snake_case")]
#[expect(dead_code, reason = "a shape, never a value")]
pub(super) enum AnswerDecision {
    Allow {
        /// The index of the offered rule that is to be remembered.
        #[schemars(skip_serializing_if = "Option::is_none")]
        always: Option<u16>,
        /// That rule itself.
        #[schemars(skip_serializing_if = "Option::is_none")]
        rule: Option<Value>,
        /// The input to run instead.
        #[schemars(skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
    },
    Deny {
        /// End the agent's turn as well.
        stop: bool,
        #[schemars(skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
    Approve {
        /// The changed plan.
        #[schemars(skip_serializing_if = "Option::is_none")]
        plan: Option<String>,
    },
    SendBack {
        words: String,
    },
    Accept {
        /// Field names and values.
        content: BTreeMap<String, FieldValue>,
    },
    Decline {
        #[schemars(skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "a shape, never a value")]
pub(super) enum FieldValue {
    Text(String),
    Number(f64),
    Flag(bool),
    Many(Vec<String>),
}

/// A decision about an approval (allow, deny), a plan (approve, send_back) or a form (accept, decline).
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum DecisionWord {
    Allow,
    Deny,
    Approve,
    SendBack,
    Accept,
    Decline,
}

/// What the agent is told.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    Answer,
    Assume,
    Deny,
    DenyAndStop,
}

/// What a form's field takes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldType {
    Text,
    Number,
    Integer,
    Flag,
    OneOf,
    ManyOf,
}

/// How a session stands.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    Active,
    Closed,
    /// It grew long and goes on as another one.
    Continued,
}
