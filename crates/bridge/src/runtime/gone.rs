//! The news that sessions were forgotten, sent over the bus to connected clients that could see them. It is not stored.

use std::sync::Arc;

use askbridge_core::event::Audience;
use askbridge_core::ids::{PartyId, PersonId, SessionId};
use askbridge_journal::bus::{Message, Topic};
use serde::{Deserialize, Serialize};

use super::handle::Handle;
use crate::auth::{Access, AgentOf};

/// Carries who could see the sessions: that is stored nowhere else any more.
#[derive(Serialize, Deserialize)]
struct GoneNotice {
    sessions: Vec<String>,
    owner: String,
    /// `None`: everyone.
    audience: Option<Vec<String>>,
}

impl Handle {
    /// Announces that these sessions are gone, in one message for all with the same audience.
    pub(super) fn tell_gone(&self, gone: &[(SessionId, Arc<Access>)]) {
        let mut told: Vec<(&Access, Vec<String>)> = Vec::new();
        for (session, access) in gone {
            match told.iter_mut().find(|(known, _)| *known == &**access) {
                Some((_, sessions)) => sessions.push(session.to_string()),
                None => told.push((access, vec![session.to_string()])),
            }
        }
        for (access, sessions) in told {
            let audience = match &access.audience {
                Audience::Everyone => None,
                Audience::Only(people) => Some(people.iter().map(|person| person.as_str().to_owned()).collect()),
            };
            let gone = GoneNotice { sessions, owner: access.owner.as_str().to_owned(), audience };
            self.notify(Topic::Gone.of_all(), &gone);
        }
    }
}

pub(crate) fn read(message: &Message) -> Option<(Vec<SessionId>, Access)> {
    let GoneNotice { sessions, owner, audience } = serde_json::from_slice(&message.body).ok()?;
    let people = audience.map(|names| names.iter().map(|name| PersonId::from(name.as_str())).collect());
    let audience = people.map_or(Audience::Everyone, Audience::Only);
    let sessions = sessions.iter().filter_map(|session| session.parse().ok()).collect();
    Some((sessions, Access { owner: PartyId::from(owner.as_str()), audience, agent_of: AgentOf::NoNode }))
}
