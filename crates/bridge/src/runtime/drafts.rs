//! Drafts of answers: kept on the shelf, shown on the person's other devices, never delivered.

use askbridge_core::ids::{AskId, Raw};
use askbridge_core::limits;
use askbridge_journal::bus::{Message, Topic};
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_peers::wish::Rejection;
use serde::{Deserialize, Serialize};
use tracing::warn;

use super::error::chain;
use super::handle::Handle;
use super::hub_message::HubMessage;
use super::own::person_key;
use crate::auth::Caller;

/// The keys of drafts.
pub(super) const STORED: &str = "draft/";

#[derive(Serialize, Deserialize)]
struct DraftNotice {
    person: String,
    ask: String,
    draft: String,
}

impl Handle {
    pub(super) async fn keep_draft(&self, caller: &Caller, ask: AskId, draft: Raw) -> Result<(), Rejection> {
        let expires_at = Some(self.clock.now().plus(limits::DRAFT_LIFE));
        self.shelve(&key(caller, ask), draft.as_str().as_bytes(), expires_at).await?;
        self.drafted.lock().insert(ask);
        let (person, draft) = (caller.name.to_string(), draft.as_str().to_owned());
        self.notify(Topic::Draft.of_name(&caller.name), &DraftNotice { person, ask: ask.to_string(), draft });
        Ok(())
    }

    pub(crate) async fn drafts_of(&self, caller: &Caller) -> Vec<(AskId, Raw)> {
        if !caller.is_person() {
            return Vec::new();
        }
        let prefix = prefix(caller);
        let items = self.store.list(&prefix, self.clock.now()).await.unwrap_or_default();
        let drafts = items.iter().filter_map(|item| {
            let ask = item.key.strip_prefix(&prefix)?.parse().ok()?;
            Some((ask, Raw::from(std::str::from_utf8(&item.value).ok()?)))
        });
        drafts.collect()
    }

    /// Loads which asks have a draft, once at the start.
    pub(crate) async fn find_drafts(&self) {
        let items = self.store.list(STORED, self.clock.now()).await.unwrap_or_default();
        let asks = items.iter().filter_map(|item| item.key.rsplit('/').next()?.parse::<AskId>().ok());
        self.drafted.lock().extend(asks);
    }

    /// Another node stored a draft, or deleted it.
    pub(crate) fn there_is_a_draft(&self, ask: AskId, there_is: bool) {
        // Other people's drafts of the same ask may be left, so a deletion says nothing.
        if there_is {
            self.drafted.lock().insert(ask);
        }
    }

    /// Deletes a person's draft once they have decided.
    pub(super) async fn drop_draft(&self, caller: &Caller, ask: AskId) {
        if !self.drafted.lock().remove(&ask) {
            return;
        }
        // Boxed: most decisions had no draft, and need no space for this.
        if let Err(error) = Box::pin(self.store.delete(&key(caller, ask), Expect::Any)).await {
            warn!(ask.id = %ask, error = chain(&error), "Could not remove a draft; it will expire");
        }
    }
}

pub(crate) fn read(message: &Message) -> Option<HubMessage> {
    let DraftNotice { person, ask, draft } = serde_json::from_slice(&message.body).ok()?;
    Some(HubMessage::Draft { person, ask: ask.parse().ok()?, draft: Raw::from(draft) })
}

fn prefix(caller: &Caller) -> String {
    format!("{STORED}{}/", person_key(&caller.name))
}

fn key(caller: &Caller, ask: AskId) -> String {
    format!("{}{ask}", prefix(caller))
}
