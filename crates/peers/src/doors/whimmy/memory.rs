//! The agents' memory files: the last state that the plugin sent, kept for people to read.

use askbridge_core::ids::{Raw, Timestamp};
use askbridge_core::limits;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::peer::{PendingReply, Whimmy};
use super::quirks;
use super::wire::Payload;
use crate::json::Rfc3339;
use crate::peer::Cx;
use crate::uuid;
use crate::wish::{AGENTS_OWN, Wish};

/// The prefix of their names on the shelf.
pub(super) fn prefix() -> String {
    format!("{AGENTS_OWN}memory/")
}

/// The files of one agent of one account.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Memory {
    account: String,
    agent_id: String,
    synced_at: String,
    files: Value,
}

impl Whimmy {
    /// Stores the files, unless they exceed the shelf's limit. The plugin never sends that much.
    pub(super) fn remember(&mut self, payload: Payload, cx: &mut Cx<'_>) {
        let (Some(account), true) = (self.account.clone(), payload.files.is_object()) else { return };
        let agent_id = if payload.agent_id.is_empty() { quirks::AGENT.to_owned() } else { payload.agent_id };
        // Names of agents and accounts may contain anything; names on the shelf may not.
        let name = format!("{}{}", prefix(), uuid::of_text(&format!("{account} {agent_id}")));
        let memory = Memory { account, agent_id, synced_at: written(cx.now), files: payload.files };
        let thing = serde_json::to_string(&memory).expect("files have text keys");
        if thing.len() <= limits::SHELF_BYTES_MAX {
            self.wish(PendingReply::Nothing, Wish::Keep { name, thing: Some(Raw::from(thing)) }, cx.out);
        }
    }
}

fn written(at: Timestamp) -> String {
    Rfc3339(at).to_string()
}

/// Shows what is kept: everything to a person, its own to a plugin. `agent`: only that agent's.
pub(super) fn show(kept: &[(String, Raw)], account: Option<&str>, agent: Option<&str>) -> Value {
    let memories = kept.iter().filter_map(|(_, thing)| serde_json::from_str::<Memory>(thing.as_str()).ok());
    let is_meant = |memory: &Memory| {
        account.is_none_or(|account| memory.account == account) && agent.is_none_or(|agent| memory.agent_id == agent)
    };
    json!({"memories": memories.filter(is_meant).collect::<Vec<_>>()})
}
