//! Which session a screen shows, sent over the bus to the other connections of the same token: fast and lossy, never
//! stored.

use askbridge_core::ids::{PartyId, SessionId};
use askbridge_journal::bus::{Bus, Message, Topic};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::handle::Handle;
use super::news::News;

#[derive(Serialize, Deserialize)]
struct LookNotice {
    party: String,
    dialect: String,
    session: Option<String>,
    screen: Option<u64>,
}

impl Handle {
    /// Tells every connection of this dialect that came with the same token.
    pub(crate) fn tell_look(&self, party: &PartyId, dialect: &str, session: Option<SessionId>, screen: Option<u64>) {
        let session = session.map(|session| session.to_string());
        let fleeting = LookNotice { party: party.to_string(), dialect: dialect.to_owned(), session, screen };
        let body = serde_json::to_vec(&fleeting).expect("a look has text keys");
        self.store.publish(Topic::Look.of_name(party.as_str()), Bytes::from(body));
    }
}

pub(crate) fn read(message: &Message) -> Option<News> {
    let LookNotice { party, dialect, session, screen } = serde_json::from_slice(&message.body).ok()?;
    let session = session.map(|session| session.parse()).transpose().ok()?;
    Some(News::Look { party: PartyId::from(party), dialect, session, screen })
}
