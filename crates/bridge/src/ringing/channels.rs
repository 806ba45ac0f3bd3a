//! The channels, on the shelf and in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use askbridge_ringing::channel::{Channel, Content, Decides, Service};
use parking_lot::RwLock;
use tracing::warn;

use crate::runtime::Handle;

const PREFIX: &str = "channel/";

#[derive(Debug, Default)]
pub(crate) struct Channels(RwLock<BTreeMap<String, Arc<Channel>>>);

/// A channel to be added.
#[derive(Debug)]
pub(crate) struct NewChannel {
    pub(crate) person: String,
    pub(crate) name: Option<String>,
    pub(crate) service: Service,
    pub(crate) content: Option<Content>,
    pub(crate) decides: Option<Decides>,
    pub(crate) quiet: Option<String>,
    pub(crate) added_by: Option<String>,
    pub(crate) named_by_operator: bool,
}

impl Channels {
    pub(crate) async fn load(&self, handle: &Handle) -> Result<(), ShelfError> {
        let items = handle.store.list(PREFIX, handle.now()).await?;
        let channels = items.iter().filter_map(|item| match serde_json::from_slice::<Channel>(&item.value) {
            Ok(channel) => Some((channel.id.clone(), Arc::new(channel))),
            Err(error) => {
                warn!(key = item.key, %error, "A channel cannot be read; it does not ring");
                None
            }
        });
        *self.0.write() = channels.collect();
        Ok(())
    }

    pub(crate) fn all(&self) -> Vec<Arc<Channel>> {
        self.0.read().values().cloned().collect()
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<Channel>> {
        self.0.read().get(id).cloned()
    }

    /// Makes a channel without storing it.
    pub(crate) fn make(handle: &Handle, new: NewChannel) -> Channel {
        let (content, decides) = new.service.defaults();
        let kind = new.service.kind();
        Channel {
            id: format!("ch_{:016x}", handle.chance.u64()),
            person: new.person,
            name: new.name.unwrap_or_else(|| kind.to_owned()),
            service: new.service,
            content: new.content.unwrap_or(content),
            decides: new.decides.unwrap_or(decides),
            quiet: new.quiet,
            added_at: handle.now().0,
            added_by: new.added_by,
            named_by_operator: new.named_by_operator,
        }
    }

    /// Stores a channel, new or changed.
    pub(crate) async fn put(&self, handle: &Handle, channel: Channel) -> Result<Arc<Channel>, ShelfError> {
        let value = serde_json::to_vec(&channel).expect("a channel has text keys");
        handle.store.put(&format!("{PREFIX}{}", channel.id), &value, Expect::Any, None, handle.now()).await?;
        let channel = Arc::new(channel);
        self.0.write().insert(channel.id.clone(), Arc::clone(&channel));
        Ok(channel)
    }

    /// Removes the channels that a device added, once it is revoked.
    pub(crate) async fn remove_of(&self, handle: &Handle, party: &str) -> Result<(), ShelfError> {
        let theirs = self.all().into_iter().filter(|channel| channel.added_by.as_deref() == Some(party));
        for channel in theirs {
            self.remove(handle, &channel.id).await?;
        }
        Ok(())
    }

    pub(crate) async fn remove(&self, handle: &Handle, id: &str) -> Result<(), ShelfError> {
        handle.store.delete(&format!("{PREFIX}{id}"), Expect::Any).await?;
        self.0.write().remove(id);
        Ok(())
    }
}
