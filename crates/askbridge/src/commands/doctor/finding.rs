//! The result of one check.

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    Good,
    /// It works, but the operator should know something.
    Warning,
    Bad,
    /// It could not be checked, or there is nothing to check.
    Skipped,
}

#[derive(Debug)]
pub(super) struct Finding {
    pub(super) health: Health,
    pub(super) what: String,
    /// What to type or to change.
    pub(super) hint: Option<String>,
}

impl Finding {
    pub(super) fn good(what: impl Into<String>) -> Self {
        Self { health: Health::Good, what: what.into(), hint: None }
    }

    pub(super) fn skipped(what: impl Into<String>) -> Self {
        Self { health: Health::Skipped, what: what.into(), hint: None }
    }

    /// A problem always comes with a hint.
    pub(super) fn bad(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { health: Health::Bad, what: what.into(), hint: Some(hint.into()) }
    }

    pub(super) fn warning(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { health: Health::Warning, what: what.into(), hint: Some(hint.into()) }
    }
}

impl Health {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warning => "warning",
            Self::Bad => "bad",
            Self::Skipped => "skipped",
        }
    }
}
