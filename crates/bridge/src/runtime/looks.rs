//! Which session a screen shows, sent over the bus to the other connections of the same token: fast and lossy, never
//! stored.

use askbridge_core::ids::{PartyId, Position, SessionId};
use askbridge_journal::bus::{Message, Topic};
use serde::{Deserialize, Serialize};

use super::handle::Handle;
use super::hub_message::HubMessage;

/// What a screen shows, and how much of it was loaded for it: see `Wish::Look`.
pub(crate) struct Look {
    pub(crate) session: Option<SessionId>,
    pub(crate) screen: Option<u64>,
    pub(crate) loaded_to: Option<Position>,
}

#[derive(Serialize, Deserialize)]
struct LookNotice {
    party: String,
    dialect: String,
    session: Option<String>,
    screen: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    loaded_to: Option<u64>,
}

impl Handle {
    /// Tells every connection of this dialect that came with the same token.
    pub(super) fn tell_look(&self, party: &PartyId, dialect: &str, look: Look) {
        let session = look.session.map(|session| session.to_string());
        let (screen, loaded_to) = (look.screen, look.loaded_to.map(|position| position.0));
        let (name, dialect) = (party.to_string(), dialect.to_owned());
        let notice = LookNotice { party: name, dialect, session, screen, loaded_to };
        self.notify(Topic::Look.of_name(party.as_str()), &notice);
    }
}

pub(crate) fn read(message: &Message) -> Option<HubMessage> {
    let LookNotice { party, dialect, session, screen, loaded_to } = serde_json::from_slice(&message.body).ok()?;
    let session = session.map(|session| session.parse()).transpose().ok()?;
    Some(HubMessage::Look { party: PartyId::from(party), dialect, session, screen, loaded_to: loaded_to.map(Position) })
}
