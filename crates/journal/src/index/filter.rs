//! Filters of queries, and page keys.

use std::fmt;
use std::str::FromStr;

use askbridge_core::ids::{PartyId, PersonId, SessionId};

use super::rows::{SessionState, State};

/// Filter of asks. A field that is left out matches all.
#[derive(Debug, Clone, Default)]
pub struct AskFilter {
    pub states: StateFilter,
    pub session: Option<SessionId>,
    /// The token that asked.
    pub party: Option<PartyId>,
    /// A person who may decide: asks of sessions whose audience includes them.
    pub person: Option<PersonId>,
    /// Part of the headline, ignoring case.
    pub search: Option<String>,
    pub order: Order,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StateFilter {
    /// Undecided, or decided and not yet final.
    #[default]
    Open,
    /// Expired or ruled, and not answered late.
    Late,
    Over,
    All,
    One(State),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    #[default]
    NewestFirst,
    LongestWaitingFirst,
}

/// Filter of sessions, newest first.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    pub owner: Option<PartyId>,
    pub person: Option<PersonId>,
    pub state: Option<SessionState>,
    /// The door it came through. Together with `Running`, it is found without reading other sessions.
    pub door: Option<&'static str>,
}

/// Where a page ended. Opaque to clients: they get a text and send the same text back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageKey {
    pub(super) place: i64,
}

/// Why a text is not a page key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the key of a page")]
pub struct NotAPageKey;

impl fmt::Display for PageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pg_{:x}", self.place)
    }
}

impl FromStr for PageKey {
    type Err = NotAPageKey;

    fn from_str(text: &str) -> Result<Self, NotAPageKey> {
        let place = text.strip_prefix("pg_").ok_or(NotAPageKey)?;
        i64::from_str_radix(place, 16).map(|place| Self { place }).map_err(|_| NotAPageKey)
    }
}

impl StateFilter {
    /// The partial index that has just these asks, if there is one.
    pub(super) fn indexed(self) -> &'static str {
        match self {
            Self::Open | Self::One(State::Open | State::Proposed) => " INDEXED BY asks_open",
            Self::Late => " INDEXED BY asks_late",
            Self::Over | Self::All | Self::One(_) => "",
        }
    }

    /// Written so that SQLite recognises the partial indexes.
    pub(super) fn sql(self) -> String {
        match self {
            Self::Open => "a.state <= 1".to_owned(),
            Self::Late => "a.state IN (4, 5) AND a.late_pos IS NULL AND a.moved_to IS NULL".to_owned(),
            Self::Over => "a.state > 1".to_owned(),
            Self::All => "1".to_owned(),
            // Open asks are in the small partial index.
            Self::One(state @ (State::Open | State::Proposed)) => {
                format!("a.state <= 1 AND a.state = {}", state as u8)
            }
            Self::One(state) => format!("a.state = {}", state as u8),
        }
    }
}
