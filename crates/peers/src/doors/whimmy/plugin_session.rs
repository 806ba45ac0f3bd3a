//! Maps the plugin's session keys to sessions: those that we named, and those that the plugin had before.

use askbridge_core::event::Settings;
use askbridge_core::ids::{Raw, SessionId};
use serde::{Deserialize, Serialize};

use super::quirks;
use crate::uuid;

/// The first 32 bits of every session id that we make: `askb`. The plugin sends events of one account to the sockets of
/// all, so our keys have to be recognisable, also those of other accounts.
const MARK: u128 = 0x6173_6b62 << 96;

/// The plugin's names for a session of this door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PluginSession {
    pub(super) session_key: String,
    pub(super) agent_id: String,
    /// Made for one ask only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) single: bool,
}

impl PluginSession {
    pub(super) fn of(settings: &Settings) -> Option<Self> {
        serde_json::from_str(settings.more.as_ref()?.as_str()).ok()
    }

    pub(super) fn settings(&self) -> Settings {
        let more = serde_json::to_string(self).expect("a plugin session has text keys");
        Settings { more: Some(Raw::from(more)), ..Settings::default() }
    }

    /// The session that an event names. Without an agent's name it is the default agent.
    pub(super) fn named(session_key: &str, agent_id: &str) -> Self {
        let agent_id = if agent_id.is_empty() { quirks::AGENT } else { agent_id };
        Self { session_key: quirks::key(session_key), agent_id: agent_id.to_owned(), single: false }
    }

    /// The session, if the key is one of ours; it may belong to another account.
    pub(super) fn marked(&self) -> Option<SessionId> {
        let key = &self.session_key;
        let is_hex = key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
        let id = if is_hex { u128::from_str_radix(key, 16).ok()? } else { return None };
        (id >> 96 == MARK >> 96).then_some(SessionId(id))
    }
}

pub(super) fn is_marked(session: SessionId) -> bool {
    session.0 >> 96 == MARK >> 96
}

/// A new session for a chat with an agent. Its key is its id, 32 digits in lower case.
pub(super) fn fresh(bits: u128) -> (SessionId, PluginSession) {
    let session = SessionId(MARK | bits & (u128::MAX >> 32));
    let session_key = format!("{:032x}", session.0);
    (session, PluginSession { session_key, agent_id: quirks::AGENT.to_owned(), single: false })
}

/// The session for a conversation that the plugin began elsewhere.
pub(super) fn elsewhere(account: &str, plugin_session: &PluginSession) -> SessionId {
    derived(&format!("whimmy chat {account} {} {}", plugin_session.agent_id, plugin_session.session_key))
}

/// The session for one ask from such a conversation. Derived from the ask's id alone: an ask that comes on two
/// accounts' sockets is one ask, and belongs to the account that was first.
pub(super) fn of_ask(name: &str) -> SessionId {
    derived(&format!("whimmy ask {name}"))
}

fn derived(text: &str) -> SessionId {
    let session = uuid::read_session(&uuid::of_text(text)).expect("what was written as an id reads back");
    SessionId(session.0 & !(0xff << 120))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_we_made_leads_back_in_any_case_and_with_any_prefix() {
        let (session, plugin_session) = fresh(u128::MAX);
        for key in
            [plugin_session.session_key.to_uppercase(), format!("agent:main:direct:{}", plugin_session.session_key)]
        {
            assert_eq!(PluginSession::named(&key, "main").marked(), Some(session));
        }
        assert_eq!(PluginSession::of(&plugin_session.settings()), Some(plugin_session));
    }

    #[test]
    fn keys_of_others_are_not_taken_for_ours() {
        for key in ["user-42", "00000000000000000000000000000007", ""] {
            assert_eq!(PluginSession::named(key, "").marked(), None);
        }
        assert!(!is_marked(of_ask("q:1")) && !is_marked(elsewhere("a", &PluginSession::named("b", "c"))));
    }
}
