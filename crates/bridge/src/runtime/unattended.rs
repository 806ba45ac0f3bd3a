//! Tokens of runs that no person attends: their asks are settled without one, where no rule decides.
//!
//! Kept on the shelf beside the token, so that a restart of the server does not make a run wait for a person.

use std::collections::HashMap;

use askbridge_core::event::Settings;
use askbridge_core::ids::PartyId;
use askbridge_core::rules::asks::Unattended;
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_peers::json::UNATTENDED_FIELD;
use askbridge_peers::wish::Rejection;
use parking_lot::RwLock;
use tracing::warn;

use super::error::chain;
use super::handle::Handle;
use crate::auth::party_of;

pub(super) const STORED: &str = "rules/unattended/";

/// Which parties no person attends, and how they go on.
#[derive(Debug, Default)]
pub(crate) struct UnattendedParties(RwLock<HashMap<PartyId, Unattended>>);

impl UnattendedParties {
    pub(crate) fn of(&self, party: &PartyId) -> Option<Unattended> {
        self.0.read().get(party).copied()
    }
}

impl Handle {
    pub(crate) async fn leave_unattended(&self, token: &str, how: Unattended) -> Result<(), Rejection> {
        let word: &[u8] = match how {
            Unattended::Deny => b"deny",
            Unattended::Answer => b"answer",
        };
        let put = self.store.put(&format!("{STORED}{token}"), word, Expect::Any, None, self.clock.now()).await;
        put.map_err(|error| Rejection::Down(chain(&error)))?;
        self.rules.unattended.0.write().insert(party_of(token), how);
        Ok(())
    }

    /// Forgets it with its token.
    pub(crate) async fn forget_unattended(&self, token: &str) {
        if self.rules.unattended.0.write().remove(&party_of(token)).is_some()
            && let Err(error) = self.store.delete(&format!("{STORED}{token}"), Expect::Any).await
        {
            warn!(error = chain(&error), "Could not forget that a token was of a run that no person attends");
        }
    }

    /// Reads them from the shelf.
    pub(crate) async fn load_unattended(&self) -> Result<(), Rejection> {
        let items = self.store.list(STORED, self.clock.now()).await;
        let items = items.map_err(|error| Rejection::Down(chain(&error)))?;
        let known = items.iter().filter_map(|item| {
            let how = match &*item.value {
                b"deny" => Unattended::Deny,
                b"answer" => Unattended::Answer,
                _ => return None,
            };
            Some((party_of(item.key.strip_prefix(STORED)?), how))
        });
        *self.rules.unattended.0.write() = known.collect();
        Ok(())
    }
}

/// What becomes of asks of a session that no person attends. `None`: a person does.
pub(super) fn unattended_in(settings: &Settings) -> Option<Unattended> {
    // Few sessions have it, and every ask passes here: parsed only if it may be there.
    let more = settings.more.as_ref().filter(|more| more.as_str().contains(UNATTENDED_FIELD))?;
    let more: serde_json::Value = serde_json::from_str(more.as_str()).ok()?;
    match more[UNATTENDED_FIELD].as_str()? {
        "deny" => Some(Unattended::Deny),
        "answer" => Some(Unattended::Answer),
        _ => None,
    }
}
