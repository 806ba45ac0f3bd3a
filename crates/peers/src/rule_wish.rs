//! A rule that a person wants to have made of one ask.

use askbridge_core::ids::Timestamp;

/// A rule that is to be made of one ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleWish {
    pub decides: RuleDecides,
    pub reach: RuleReach,
    /// `None`: for good.
    pub until: Option<Timestamp>,
    /// The id of the rule that the person was shown. Refused if it would be another by now.
    pub shown: Option<String>,
}

/// What a rule that is made of one ask decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleDecides {
    /// The call is allowed.
    Allow,
    /// What people decided about the same ask, several times in a row.
    AsBefore,
}

/// Where a rule that is made of one ask holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleReach {
    Session,
    Project,
    Everywhere,
}

impl RuleReach {
    pub fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Project => "project",
            Self::Everywhere => "everywhere",
        }
    }
}
