//! What a person is told besides asks: that a turn ended, that an agent failed, that a channel stopped working.

use std::collections::BTreeSet;

use askbridge_core::event::Audience;
use askbridge_core::ids::{Raw, SessionId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a notice is about, if not an ask. Each channel says which of them it tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NewsKind {
    /// An agent has finished its turn, and asks nothing.
    TurnEnded,
    /// An agent has stopped or failed, though it was not told to.
    AgentFailed,
    /// Nobody decided an ask in time.
    Expired,
    /// Another channel of the same person has stopped working.
    ChannelFailed,
    /// askbridge itself cannot be reached. Only ntfy can tell that: its server keeps the message for us.
    Down,
    /// Once a day: what rules decided in the person's place.
    Digest,
}

impl NewsKind {
    pub const ALL: [Self; 6] =
        [Self::TurnEnded, Self::AgentFailed, Self::Expired, Self::ChannelFailed, Self::Down, Self::Digest];

    /// The word for it in settings and commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::TurnEnded => "turn_ended",
            Self::AgentFailed => "agent_failed",
            Self::Expired => "expired",
            Self::ChannelFailed => "channel_failed",
            Self::Down => "down",
            Self::Digest => "digest",
        }
    }

    /// Is it of no use to a person who is there?
    pub fn is_for_the_absent(self) -> bool {
        matches!(self, Self::TurnEnded | Self::AgentFailed)
    }
}

/// What a channel tells unless the person says otherwise: what went wrong without them.
pub fn by_default() -> BTreeSet<NewsKind> {
    BTreeSet::from([NewsKind::AgentFailed, NewsKind::Expired, NewsKind::ChannelFailed])
}

/// One thing that a person is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// Names it in the log: letters and digits.
    pub id: String,
    pub kind: NewsKind,
    pub at: Timestamp,
    /// Who is told.
    pub audience: Audience,
    /// Where it happened. A person who says something there need not be told.
    pub session: Option<SessionId>,
    /// What the turn used, in the agent's own words, if one ended.
    pub usage: Option<Raw>,
    pub title: String,
    pub body: String,
    /// The path of the page that shows more, with a slash at its beginning.
    pub path: String,
    /// No agent had a part in its text, so a channel that hides contents shows it too.
    pub is_ours: bool,
}
