//! Snoozes: asks hidden from one person for a while, kept on the shelf for all their devices.
//!
//! A snooze is not a wish: no peer makes one, only `POST /v1/asks/{id}/snooze`. So it checks the caller's right here and
//! not at the gate. What a peer could request as well is a wish.

use std::time::Duration;

use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::limits;
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_peers::told::Own;
use askbridge_peers::wish::Rejection;

use super::error::chain;
use super::handle::Handle;
use crate::auth::{Action, Caller, hash, hex};

impl Handle {
    /// Hides an ask from a person for a while, or shows it again. Returns until when.
    pub(crate) async fn snooze(
        &self,
        caller: &Caller,
        ask: AskId,
        time: Option<Duration>,
    ) -> Result<Option<Timestamp>, Rejection> {
        self.guard_ask(caller, Action::Decide, ask)?;
        let now = self.clock.now();
        let key = format!("{}{ask}", prefix(caller));
        let until = time.map(|time| now.plus(time.min(limits::SNOOZE_MAX)));
        let done = match until {
            Some(until) => {
                let text = until.0.to_string();
                self.store.put(&key, text.as_bytes(), Expect::Any, Some(until), now).await.map(drop)
            }
            None => self.store.delete(&key, Expect::Any).await,
        };
        done.map_err(|error| Rejection::Down(chain(&error)))?;
        self.tell_own(&caller.name, &Own::Snoozed { ask, until });
        Ok(until)
    }

    /// Returns what is hidden from a person now, and until when.
    pub(crate) async fn snoozes_of(&self, caller: &Caller) -> Result<Vec<(AskId, Timestamp)>, Rejection> {
        let prefix = prefix(caller);
        let items = self.store.list(&prefix, self.clock.now()).await;
        let items = items.map_err(|error| Rejection::Down(chain(&error)))?;
        let snoozed =
            items.iter().filter_map(|item| Some((item.key.strip_prefix(&prefix)?.parse().ok()?, item.expires_at?)));
        Ok(snoozed.collect())
    }
}

/// Names are hashed: they may contain any character, keys may not.
fn prefix(caller: &Caller) -> String {
    format!("snooze/{}/", hex(&hash(&caller.name)[..8]))
}
