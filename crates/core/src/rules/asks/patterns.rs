//! Patterns for texts.

use std::fmt;

use crate::rules::looks_like;

/// A text, or one in which `*` matches anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextPattern {
    Exact(String),
    /// `*` matches anything, including nothing. Upper and lower case differ.
    Stars(String),
}

impl TextPattern {
    /// Parses a pattern of a rule file: with a `*`, it is one.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.contains('*') { Self::Stars(text) } else { Self::Exact(text) }
    }

    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Exact(wanted) => wanted == text,
            Self::Stars(pattern) => looks_like(pattern, text),
        }
    }

    /// May a rule say yes to this text? A `*` does not stand for `..`, which leads out of the folder that is written
    /// before it.
    pub fn allows(&self, text: &str) -> bool {
        let leads_out = || text.split(['/', '\\']).any(|part| part == "..");
        self.matches(text) && (matches!(self, Self::Exact(_)) || !leads_out())
    }
}

impl fmt::Display for TextPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(text) | Self::Stars(text) => f.write_str(text),
        }
    }
}
