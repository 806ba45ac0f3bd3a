//! Errors as `application/problem+json`: a stable code, a sentence, and whether to try again.

use askbridge_core::refusal::{Refusal, Winner, WonBy};
use schemars::JsonSchema;
use serde::Serialize;

use super::ask::ByJson;
use super::codes::Code;
use super::schema::ErrorCode;
use super::time::Rfc3339;
use crate::wish::Rejection;

/// A problem as the wire shows it (RFC 9457, with our own members).
#[derive(Debug, Serialize, JsonSchema)]
pub struct Problem {
    /// The page about the code, on the server that sent it.
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    pub status: u16,
    /// Never changes for the same cause; programs may rely on it.
    #[schemars(with = "ErrorCode")]
    pub code: &'static str,
    pub detail: String,
    /// Does it make sense to try the same again later?
    pub retry: bool,
    /// One for each question that is wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ProblemPart>,
    /// Who decided first, and when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<WinnerJson>,
    /// The code that a device shows with the tap, for the machine that wants to be connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tap_code: Option<String>,
    /// On HTTP also the header `Retry-After`; a socket has no headers.
    #[serde(rename = "retry_after_seconds", skip_serializing_if = "Option::is_none")]
    pub retry_after_secs: Option<u64>,
}

/// What is wrong with one question's answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProblemPart {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    pub detail: String,
}

/// Who decided first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Winner")]
pub struct WinnerJson {
    /// `null`: nobody came in time.
    pub by: Option<ByJson>,
    pub at: Rfc3339,
}

impl Problem {
    /// A problem with nothing besides its sentence. Its code is one of [`super::CODES`].
    pub fn plain(status: u16, code: &'static str, detail: impl Into<String>) -> Self {
        debug_assert!(Code::named(code).is_some(), "`{code}` is not in the list of codes");
        Self {
            kind: Code::address(code),
            title: title(status).to_owned(),
            status,
            code,
            detail: detail.into(),
            retry: matches!(status, 429 | 503),
            errors: Vec::new(),
            winner: None,
            tap_code: None,
            retry_after_secs: match status {
                429 | 503 => Some(1),
                _ => None,
            },
        }
    }

    pub fn of(rejection: &Rejection) -> Self {
        let mut problem = Self::plain(rejection.status(), rejection.code(), rejection.to_string());
        problem.retry = rejection.retry();
        problem.retry_after_secs = problem.retry_after_secs.filter(|_| problem.retry);
        match rejection {
            Rejection::Refused(Refusal::Mismatch(mismatch)) => {
                problem.errors = mismatch
                    .problems
                    .iter()
                    .map(|part| ProblemPart { question: part.about.clone(), detail: part.why.clone() })
                    .collect();
            }
            Rejection::Refused(Refusal::Conflict { winner, .. }) => problem.winner = Some(WinnerJson::of(winner)),
            Rejection::TooFast { retry_after } => {
                problem.retry_after_secs = Some(retry_after.as_secs().max(1));
            }
            _ => {}
        }
        problem
    }
}

impl WinnerJson {
    fn of(winner: &Winner) -> Self {
        let by = match &winner.by {
            WonBy::Person(who) => Some(ByJson::person(who)),
            WonBy::Rule(rule) => Some(ByJson::Rule { rule: rule.clone(), file: None, line: None }),
            WonBy::Nobody => None,
        };
        Self { by, at: Rfc3339(winner.at) }
    }
}

fn title(status: u16) -> &'static str {
    match status {
        400 => "Bad request",
        401 => "Not signed in",
        403 => "Not allowed",
        404 => "Not found",
        405 => "Method not allowed",
        408 => "Too slow",
        409 => "Already decided or in the way",
        410 => "No longer wanted",
        413 => "Too large",
        415 => "Not JSON",
        422 => "Does not fit",
        426 => "Upgrade required",
        429 => "Too many requests",
        503 => "Not available right now",
        _ => "Error",
    }
}
