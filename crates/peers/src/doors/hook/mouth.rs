//! Who else can decide about a call while our hook waits, and its name for people.

use askbridge_core::ask::Context;
use serde_json::Value;

/// The field of an ask's context that holds it. Left out for a terminal.
pub(super) const FIELD: &str = "beside";

/// Who the agent asks at the same time as us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mouth {
    /// A dialog in the person's terminal.
    #[default]
    Terminal,
    /// The tool or program that a run without a terminal was given for its permissions.
    PromptTool,
    /// A run without a terminal and without such a tool: what we do not answer is denied.
    Nobody,
}

impl Mouth {
    /// Reads it from an ask. Asks of earlier releases have no such field and count as a terminal's.
    pub fn of(context: &Context) -> Self {
        let more = context.more.as_ref().and_then(|more| serde_json::from_str::<Value>(more.as_str()).ok());
        Self::named(more.as_ref().and_then(|more| more[FIELD].as_str()))
    }

    /// Reads the word for it. Without one, it is a terminal.
    pub fn named(word: Option<&str>) -> Self {
        match word {
            Some("prompt_tool") => Self::PromptTool,
            Some("nobody") => Self::Nobody,
            _ => Self::Terminal,
        }
    }

    /// The word for it, as in an ask's context. `None`: a terminal.
    pub fn written(self) -> Option<&'static str> {
        match self {
            Self::Terminal => None,
            Self::PromptTool => Some("prompt_tool"),
            Self::Nobody => Some("nobody"),
        }
    }

    /// Who was faster, as people read it: "Answered in the terminal".
    pub fn words(self) -> &'static str {
        match self {
            Self::Terminal => "the terminal",
            Self::PromptTool => "the run's prompt tool",
            Self::Nobody => "another hook of the agent",
        }
    }
}
