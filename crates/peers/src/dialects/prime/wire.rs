//! The frames, named as the wire names them, with both spellings where there are two.

use askbridge_core::fit::CardQuestion;
use serde::Serialize;
use serde_json::value::RawValue;

/// An id in both spellings.
#[derive(Serialize)]
pub(super) struct QuestionId {
    question_id: String,
    #[serde(rename = "questionId")]
    twin: String,
}

impl From<String> for QuestionId {
    fn from(id: String) -> Self {
        Self { question_id: id.clone(), twin: id }
    }
}

#[derive(Serialize)]
pub(super) struct SessionId {
    session_id: String,
    #[serde(rename = "sessionId")]
    twin: String,
}

impl From<String> for SessionId {
    fn from(id: String) -> Self {
        Self { session_id: id.clone(), twin: id }
    }
}

/// A frame to a client.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum PrimeEvent<'a> {
    Connected {
        connection_id: &'a str,
        #[serde(rename = "connectionId")]
        connection_id_twin: &'a str,
        #[serde(flatten)]
        session: Option<SessionId>,
    },
    SessionStatus(Status),
    SessionId(SessionId),
    Text {
        chunk: &'a str,
    },
    ToolUse {
        name: &'a str,
        input: &'a RawValue,
    },
    Thinking {
        content: &'a str,
    },
    AskUserQuestion {
        #[serde(flatten)]
        id: QuestionId,
        questions: Vec<Question<'a>>,
        timeout_seconds: u64,
    },
    AskUserTimeout {
        #[serde(flatten)]
        id: QuestionId,
        error: &'a str,
    },
    Complete {
        status: &'static str,
        #[serde(rename = "costUsd")]
        cost_twin: Option<f64>,
        #[serde(rename = "durationMs")]
        duration_twin: Option<u64>,
        cost_usd: Option<f64>,
        duration_ms: Option<u64>,
    },
    Error {
        error: &'a str,
        #[serde(rename = "isPermanent", skip_serializing_if = "std::ops::Not::not")]
        is_permanent: bool,
    },
    SessionTaken,
}

#[derive(Serialize)]
pub(super) struct Status {
    pub(super) session_id: String,
    pub(super) is_processing: bool,
    pub(super) waiting_for_user: bool,
    pub(super) pending_question_id: Option<String>,
    pub(super) status: &'static str,
    pub(super) last_event_type: Option<&'static str>,
    pub(super) buffered_count: usize,
    pub(super) last_activity: Option<String>,
    pub(super) completed_at: Option<String>,
}

/// A question as Claude Code writes it; a client may rely on every field of it.
#[derive(Serialize)]
pub(super) struct Question<'a> {
    question: &'a str,
    header: &'a str,
    options: Vec<Choice<'a>>,
    #[serde(rename = "multiSelect")]
    multi_select: bool,
}

#[derive(Serialize)]
struct Choice<'a> {
    label: &'a str,
    description: &'a str,
}

impl<'a> From<&'a CardQuestion> for Question<'a> {
    fn from(question: &'a CardQuestion) -> Self {
        let options = question.options.iter().map(|option| Choice {
            label: &option.label,
            description: option.description.as_deref().unwrap_or_default(),
        });
        Self {
            question: &question.text,
            header: question.header.as_deref().unwrap_or_default(),
            options: options.collect(),
            multi_select: question.multi,
        }
    }
}
