//! HubMessage for one person's devices that is not an event: a snooze, a device that came or went. Sent over the bus, fast
//! and lossy like a draft; a device that reconnects reads the state. Only connections that watch the inbox are told
//! (`Watch::Inbox`, `Watch::News`), so dialects that watch one session never are.

use askbridge_core::ids::Timestamp;
use askbridge_journal::bus::{Message, Topic};
use askbridge_peers::told::Own;
use serde::{Deserialize, Serialize};

use super::handle::Handle;
use super::hub_message::HubMessage;
use crate::auth::{hash, hex};

#[derive(Serialize, Deserialize)]
struct OwnNotice {
    person: String,
    what: OwnChange,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OwnChange {
    Snoozed { ask: String, until: Option<i64> },
    Devices,
    Channels,
}

impl Handle {
    /// Tells every device of a person.
    pub(crate) fn tell_own(&self, person: &str, own: &Own) {
        let what = match own {
            Own::Snoozed { ask, until } => {
                OwnChange::Snoozed { ask: ask.to_string(), until: until.map(|until| until.0) }
            }
            Own::Devices => OwnChange::Devices,
            Own::Channels => OwnChange::Channels,
        };
        self.notify(Topic::Own.of_name(person), &OwnNotice { person: person.to_owned(), what });
    }
}

/// Returns the part of a shelf's key that stands for a person. Names are hashed: they may contain any character, keys
/// may not.
pub(crate) fn person_key(name: &str) -> String {
    hex(&hash(name)[..8])
}

pub(crate) fn read(message: &Message) -> Option<HubMessage> {
    let OwnNotice { person, what } = serde_json::from_slice(&message.body).ok()?;
    let own = match what {
        OwnChange::Snoozed { ask, until } => Own::Snoozed { ask: ask.parse().ok()?, until: until.map(Timestamp) },
        OwnChange::Devices => Own::Devices,
        OwnChange::Channels => Own::Channels,
    };
    Some(HubMessage::Own { person, own })
}
