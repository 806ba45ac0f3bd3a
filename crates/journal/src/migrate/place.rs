//! The two ends of a migration.

use std::sync::Arc;

use askbridge_core::ids::{Position, Timestamp};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};

use super::error::MigrateError;
use super::flat;
use crate::entry::{Entry, Stored};
use crate::erased::DynShelf;
use crate::forgetting::{Forgetting, Gone};
use crate::journal::{AppendError, Followed, Guard, Journal, ReadError};
use crate::nats::Nats;
use crate::sqlite::{self, Sqlite};

/// Where a journal is.
#[derive(Debug, Clone, Copy)]
pub enum Place<'a> {
    /// A folder, which no server may use meanwhile.
    Sqlite(&'a sqlite::Options),
    Nats(&'a Nats),
}

/// Forgettings that are read at once.
const PAGE: usize = 256;

impl Place<'_> {
    /// Stores what is left of forgotten sessions in a folder that has no entries yet.
    pub(super) fn import_to_sqlite(&self, forgettings: &[Forgetting]) -> Result<(), MigrateError> {
        match self {
            Self::Sqlite(options) => Ok(sqlite::import_forgettings(options, forgettings)?),
            Self::Nats(_) => Ok(()),
        }
    }
}

/// An open journal.
pub(super) enum Opened {
    Sqlite(Sqlite),
    Nats(Nats),
}

impl Opened {
    pub(super) fn open(place: &Place<'_>) -> Result<Self, MigrateError> {
        Ok(match place {
            Place::Sqlite(options) => Self::Sqlite(Sqlite::open(options)?),
            Place::Nats(nats) => Self::Nats((*nats).clone()),
        })
    }

    /// Reads all entries that are there now, in order.
    pub(super) async fn everything(&self) -> Result<BoxStream<'static, Result<Arc<Stored>, ReadError>>, MigrateError> {
        match self {
            Self::Sqlite(sqlite) => {
                let all = sqlite.follow(Journal::start(sqlite));
                let all = all.take_while(|told| std::future::ready(!matches!(told, Ok(Followed::CaughtUp))));
                let entries = all.filter_map(|told| {
                    std::future::ready(match told {
                        Ok(Followed::Entry(stored)) => Some(Ok(stored)),
                        Ok(_) => None,
                        Err(error) => Some(Err(error)),
                    })
                });
                Ok(stop_at_error(entries))
            }
            Self::Nats(nats) => Ok(stop_at_error(nats.in_order().await.map_err(ReadError::Down)?)),
        }
    }

    /// About how many entries there are.
    pub(super) async fn entries(&self) -> Result<u64, MigrateError> {
        match self {
            Self::Sqlite(sqlite) => Ok(Journal::now(sqlite).places().iter().sum()),
            Self::Nats(nats) => Ok(nats.messages().await.map_err(ReadError::Down)?),
        }
    }

    pub(super) async fn append(&self, entry: Arc<Entry>, guard: Guard) -> Result<Position, AppendError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.append(entry, guard).boxed().await,
            Self::Nats(nats) => nats.append(entry, guard).boxed().await,
        }
    }

    pub(super) fn shelf(&self) -> &dyn DynShelf {
        match self {
            Self::Sqlite(sqlite) => sqlite,
            Self::Nats(nats) => nats,
        }
    }

    /// Reads what is left of forgotten sessions, the oldest first.
    pub(super) async fn forgettings(&self) -> Result<Vec<Forgetting>, MigrateError> {
        let mut all = Vec::new();
        loop {
            let page = match self {
                Self::Sqlite(sqlite) => Journal::forgettings(sqlite, all.len(), PAGE).await?,
                Self::Nats(nats) => Journal::forgettings(nats, all.len(), PAGE).await?,
            };
            if page.is_empty() {
                break;
            }
            all.extend(page);
        }
        // Each stream of NATS has a chain of its own.
        all.sort_by_key(|forgetting| forgetting.at);
        Ok(all)
    }

    /// Stores what is left of forgotten sessions, as far as it is not there. Only before the first entry: a follower
    /// takes a forgetting as the end of what came before it.
    pub(super) async fn import(&self, forgettings: &[Forgetting], is_empty: bool) -> Result<(), MigrateError> {
        let Self::Nats(nats) = self else { return self.compare_forgettings(forgettings).await };
        let there = self.forgettings().await?;
        let mut there = flat(&there);
        let mut missing: Vec<(Timestamp, &str, Vec<Gone>)> = Vec::new();
        for forgetting in forgettings {
            let mut gone = forgetting.gone.clone();
            gone.retain(|gone| {
                let one = (forgetting.at, &*forgetting.by, *gone);
                let found = there.iter().position(|there| *there == one);
                found.map(|found| there.swap_remove(found)).is_none()
            });
            if !gone.is_empty() {
                missing.push((forgetting.at, &forgetting.by, gone));
            }
        }
        if !there.is_empty() || (!missing.is_empty() && !is_empty) {
            return Err(MigrateError::OtherForgettings);
        }
        for (at, by, gone) in missing {
            nats.import_forgetting(at, by, gone).await.map_err(MigrateError::Forgettings)?;
        }
        Ok(())
    }

    pub(super) async fn compare_forgettings(&self, forgettings: &[Forgetting]) -> Result<(), MigrateError> {
        let there = self.forgettings().await?;
        if flat(&there) == flat(forgettings) { Ok(()) } else { Err(MigrateError::OtherForgettings) }
    }
}

/// Ends a stream after its first error.
fn stop_at_error(
    all: impl stream::Stream<Item = Result<Arc<Stored>, ReadError>> + Send + 'static,
) -> BoxStream<'static, Result<Arc<Stored>, ReadError>> {
    let all = Box::pin(all);
    stream::unfold(Some(all), |all| async move {
        let mut all = all?;
        let next = all.next().await?;
        let rest = next.is_ok().then_some(all);
        Some((next, rest))
    })
    .boxed()
}
