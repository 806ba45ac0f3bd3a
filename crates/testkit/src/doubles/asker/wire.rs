//! The frames: `op` says what each is.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(super) enum Heard {
    Ask {
        id: String,
        /// Anything that looks like questions.
        body: Value,
    },
    /// The proof: a verdict by the ask's id, or a note by its own.
    #[serde(rename = "heard")]
    Ack {
        id: Option<String>,
        note: Option<String>,
    },
    Nevermind {
        id: String,
        why: Option<String>,
    },
    /// Somebody answered at the agent's own screen.
    Overheard {
        id: String,
        mouth: String,
    },
}

#[derive(Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(super) enum Said<'a> {
    Ready {
        name: &'a str,
    },
    /// The ask is durable.
    Taken {
        id: &'a str,
        ask: String,
    },
    Verdict {
        id: &'a str,
        ruling: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        answers: Option<Value>,
        words: &'a str,
    },
    /// No verdict will come.
    Gone {
        id: &'a str,
        why: &'a str,
    },
    Note {
        note: String,
        text: &'a str,
    },
    Refused {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        code: &'a str,
        why: String,
    },
}
