//! Snoozes: asks hidden from one person for a while, kept on the shelf for all their devices.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::limits;
use askbridge_peers::told::Own;
use askbridge_peers::wish::Rejection;

use super::handle::Handle;
use super::own::person_key;
use crate::auth::Caller;

impl Handle {
    /// Hides an ask from a person for a while, or shows it again. Returns until when.
    pub(super) async fn snooze(
        &self,
        caller: &Caller,
        ask: AskId,
        time: Option<Duration>,
    ) -> Result<Option<Timestamp>, Rejection> {
        let key = format!("{}{ask}", prefix(caller));
        let until = time.map(|time| self.clock.now().plus(time.min(limits::SNOOZE_MAX)));
        match until {
            Some(at) => self.shelve(&key, at.0.to_string().as_bytes(), until).await?,
            None => self.unshelve(&key).await?,
        }
        self.tell_own(&caller.name, &Own::Snoozed { ask, until });
        Ok(until)
    }

    /// Returns what is hidden from a person now, and until when.
    pub(crate) async fn snoozes_of(&self, caller: &Caller) -> Result<Vec<(AskId, Timestamp)>, Rejection> {
        let prefix = prefix(caller);
        let items = self.shelved(&prefix).await?;
        let snoozed =
            items.iter().filter_map(|item| Some((item.key.strip_prefix(&prefix)?.parse().ok()?, item.expires_at?)));
        Ok(snoozed.collect())
    }

    /// Returns what is hidden from anyone now, by [`person_key`]: one read, however many people there are.
    pub(crate) async fn snoozes_of_all(&self) -> Result<HashMap<String, HashSet<AskId>>, Rejection> {
        let mut snoozed: HashMap<String, HashSet<AskId>> = HashMap::new();
        for item in self.shelved(PREFIX).await? {
            let known = item.key.strip_prefix(PREFIX).and_then(|rest| rest.split_once('/'));
            if let Some((person, ask)) = known.and_then(|(person, ask)| Some((person, ask.parse().ok()?))) {
                snoozed.entry(person.to_owned()).or_default().insert(ask);
            }
        }
        Ok(snoozed)
    }
}

const PREFIX: &str = "snooze/";

fn prefix(caller: &Caller) -> String {
    format!("{PREFIX}{}/", person_key(&caller.name))
}
