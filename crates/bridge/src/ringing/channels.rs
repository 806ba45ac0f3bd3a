//! The channels, on the shelf and in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use askbridge_peers::told::Own;
use askbridge_ringing::channel::{Broken, Channel, Content, Decides, Service};
use askbridge_ringing::news::NewsKind;
use parking_lot::RwLock;
use tracing::warn;

use crate::runtime::Handle;

pub(super) const PREFIX: &str = "channel/";

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
    pub(crate) tells: Option<BTreeSet<NewsKind>>,
}

/// What a person changes about a channel.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) name: Option<String>,
    pub(crate) content: Option<Content>,
    pub(crate) decides: Option<Decides>,
    /// `Some(None)`: none of its own any longer.
    pub(crate) quiet: Option<Option<String>>,
    pub(crate) tells: Option<BTreeSet<NewsKind>>,
}

impl Changes {
    /// Does it then decide, or show, more than before?
    pub(crate) fn open_it_up(&self, channel: &Channel) -> bool {
        let decides_more = self.decides.is_some_and(|decides| decides > channel.decides);
        decides_more || (self.content == Some(Content::Shown) && channel.content == Content::Hidden)
    }

    pub(crate) fn apply(self, channel: &Channel) -> Channel {
        let Self { name, content, decides, quiet, tells } = self;
        Channel {
            name: name.unwrap_or_else(|| channel.name.clone()),
            content: content.unwrap_or(channel.content),
            decides: decides.unwrap_or(channel.decides),
            quiet: quiet.unwrap_or_else(|| channel.quiet.clone()),
            tells: tells.unwrap_or_else(|| channel.tells.clone()),
            ..channel.clone()
        }
    }
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
        let tells = new.service.tells();
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
            tells: new.tells.unwrap_or(tells),
            broken: None,
        }
    }

    /// Stores a channel, new or changed.
    pub(crate) async fn put(&self, handle: &Handle, channel: Channel) -> Result<Arc<Channel>, ShelfError> {
        let value = serde_json::to_vec(&channel).expect("a channel has text keys");
        handle.store.put(&format!("{PREFIX}{}", channel.id), &value, Expect::Any, None, handle.now()).await?;
        let channel = Arc::new(channel);
        self.0.write().insert(channel.id.clone(), Arc::clone(&channel));
        handle.tell_own(&channel.person, &Own::Channels);
        Ok(channel)
    }

    /// Notes that a channel does not work, or works again. It may have been removed meanwhile.
    pub(super) async fn note(&self, handle: &Handle, id: &str, broken: Option<Broken>) -> Result<(), ShelfError> {
        match self.get(id) {
            Some(channel) if channel.broken != broken => {
                self.put(handle, Channel { broken, ..(*channel).clone() }).await.map(drop)
            }
            _ => Ok(()),
        }
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
        // The device first: a channel without one is found at the next start, and a device would become a channel again.
        if let Some(Service::App(app)) = self.get(id).map(|channel| channel.service.clone())
            && let Err(error) = handle.keep(&app.dialect, &app.kept_as, None).await
        {
            warn!(%error, "The device of a channel could not be forgotten");
        }
        handle.store.delete(&format!("{PREFIX}{id}"), Expect::Any).await?;
        let removed = self.0.write().remove(id);
        if let Some(channel) = removed {
            handle.tell_own(&channel.person, &Own::Channels);
        }
        Ok(())
    }

    /// Reads a channel from the shelf, also one that is in memory no longer.
    pub(super) async fn stored(&self, handle: &Handle, id: &str) -> Result<Option<Channel>, ShelfError> {
        let item = handle.store.get(&format!("{PREFIX}{id}"), handle.now()).await?;
        Ok(item.and_then(|item| serde_json::from_slice(&item.value).ok()))
    }

    /// Leaves a channel on the shelf, and rings it no longer.
    pub(super) fn rest(&self, id: &str) {
        self.0.write().remove(id);
    }
}
