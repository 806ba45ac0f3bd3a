//! Drafts of answers: kept on the shelf, shown on the person's other devices, never delivered.

use askbridge_core::ids::{AskId, Raw};
use askbridge_core::limits;
use askbridge_journal::bus::{Bus, Message, Topic};
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_peers::wish::Rejection;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tracing::warn;

use super::error::chain;
use super::handle::Handle;
use super::news::News;
use crate::auth::Caller;

#[derive(Serialize, Deserialize)]
struct DraftNotice {
    person: String,
    ask: String,
    draft: String,
}

impl Handle {
    pub(crate) async fn keep_draft(&self, caller: &Caller, ask: AskId, draft: Raw) -> Result<(), Rejection> {
        let now = self.clock.now();
        let expires_at = Some(now.plus(limits::DRAFT_LIFE));
        let put = self.store.put(&key(caller, ask), draft.as_str().as_bytes(), Expect::Any, expires_at, now).await;
        put.map_err(|error| Rejection::Down(chain(&error)))?;
        self.drafted.lock().insert(ask);
        let person = caller.name.clone();
        let fleeting =
            DraftNotice { person: person.to_string(), ask: ask.to_string(), draft: draft.as_str().to_owned() };
        let body = serde_json::to_vec(&fleeting).expect("a draft's envelope has text keys");
        self.store.publish(Topic::Draft.of_name(&caller.name), Bytes::from(body));
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
        let items = self.store.list("draft/", self.clock.now()).await.unwrap_or_default();
        let asks = items.iter().filter_map(|item| item.key.rsplit('/').next()?.parse::<AskId>().ok());
        self.drafted.lock().extend(asks);
    }

    /// Deletes a person's draft once they have decided.
    pub(crate) async fn drop_draft(&self, caller: &Caller, ask: AskId) {
        if !self.drafted.lock().remove(&ask) {
            return;
        }
        // Boxed: most decisions had no draft, and need no space for this.
        if let Err(error) = Box::pin(self.store.delete(&key(caller, ask), Expect::Any)).await {
            warn!(ask.id = %ask, error = chain(&error), "Could not remove a draft; it will expire");
        }
    }
}

pub(crate) fn read(message: &Message) -> Option<News> {
    let DraftNotice { person, ask, draft } = serde_json::from_slice(&message.body).ok()?;
    Some(News::Draft { person, ask: ask.parse().ok()?, draft: Raw::from(draft) })
}

/// Names are hashed: they may contain any character, keys may not.
fn prefix(caller: &Caller) -> String {
    format!("draft/{}/", name_key(&caller.name))
}

fn key(caller: &Caller, ask: AskId) -> String {
    format!("{}{ask}", prefix(caller))
}

fn name_key(name: &str) -> String {
    crate::auth::hex(&crate::auth::hash(name)[..8])
}
