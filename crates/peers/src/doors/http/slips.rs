//! Detects mistakes that would change what is asked if they were ignored: a misspelt field, a name that occurs twice.

use askbridge_core::ask::Body;
use askbridge_core::wild::Wild;
use strsim::osa_distance;

use super::hear::AskError;
use crate::json::{self, repeated};

/// The fields of an ask whose names are long enough for a misspelling to be recognised.
const FIELDS: &[&str] = &[
    "questions",
    "question",
    "approval",
    "session",
    "agent",
    "timeout_seconds",
    "on_expiry",
    "undo_seconds",
    "quorum",
    "context",
];

/// Ordinary names that only look like a misspelt field.
const ORDINARY: &[&str] = &["content"];

/// Names of at least this length may have two slips; shorter ones have too many neighbours (`version` and `session`).
const TWO_SLIPS: usize = 12;

/// Refuses a field that is probably a misspelling of one of ours, and an approval in which a name occurs twice. Other
/// unknown fields are kept.
pub(super) fn check(body: &Wild) -> Result<(), AskError> {
    let Wild::Map(fields) = body else { return Ok(()) };
    for (given, _) in fields {
        if let Some(meant) = meant(given) {
            return Err(AskError::Misspelt { given: given.clone(), meant });
        }
    }
    match body.field(&["approval"]).and(repeated(body)) {
        Some(name) => Err(AskError::Repeated(name.to_owned())),
        None => Ok(()),
    }
}

/// Refuses an approval whose input has a name twice. Of a documented body, only the input is stored unparsed.
pub(super) fn check_input(body: &Body) -> Result<(), AskError> {
    let Body::Approval(approval) = body else { return Ok(()) };
    let input = json::parse(approval.input.as_str());
    match input.as_ref().and_then(repeated) {
        Some(name) => Err(AskError::Repeated(name.to_owned())),
        None => Ok(()),
    }
}

/// Returns the field that an unknown name probably means.
fn meant(given: &str) -> Option<&'static str> {
    let longest = FIELDS.iter().map(|field| field.len()).max().unwrap_or_default();
    // A longer name cannot be close to any of ours, and comparing it would be slow.
    if FIELDS.contains(&given) || ORDINARY.contains(&given) || given.len() > longest + 2 {
        return None;
    }
    let written = given.to_lowercase();
    let slips = |field: &str| if field.len() < TWO_SLIPS { 1 } else { 2 };
    FIELDS.iter().copied().find(|field| osa_distance(&written, field) <= slips(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_field_that_was_meant_and_other_names_are_left_alone() {
        for (given, field) in [
            ("quorom", "quorum"),
            ("tiemout_seconds", "timeout_seconds"),
            ("timeoutSeconds", "timeout_seconds"),
            ("timeot_second", "timeout_seconds"),
            ("undo_second", "undo_seconds"),
            ("on_expire", "on_expiry"),
            ("Quorum", "quorum"),
            ("agents", "agent"),
        ] {
            assert_eq!(meant(given), Some(field), "{given}");
        }
        let long = "x".repeat(100_000);
        for given in
            ["version", "content", "trace", "form", "forms", "call", "plan", "header", "options", "title", &long]
        {
            assert_eq!(meant(given), None, "{given}");
        }
    }
}
