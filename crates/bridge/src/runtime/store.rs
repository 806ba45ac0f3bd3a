//! The durable storage of one node: a journal, a shelf, a bus and an index, of any backend.

use std::path::Path;
use std::sync::Arc;

use askbridge_core::event::Lane;
use askbridge_core::ids::{Position, SessionId, Timestamp};
use askbridge_journal::bus::{Bus, Filter, LocalBus, Message, Subject};
use askbridge_journal::erased::{DynJournal, DynShelf, Upkeep};
use askbridge_journal::journal::{AppendError, FollowError, Followed, ForgetError, Guard, Journal, ReadError};
use askbridge_journal::shelf::{Expect, Item, Revision, Shelf, ShelfError, WatchShelf, Watched};
use askbridge_journal::sqlite::Space;
use askbridge_journal::{
    Contact, Cursor, Entry, Fault, Forgetting, Forgotten, Health, Index, Lag, Memory, Meter, Nats, NotCaughtUp,
    ServerTime, Sqlite, Stored, nats, sqlite,
};
use bytes::Bytes;
use futures_util::Stream;
use futures_util::future::{BoxFuture, Either};
use futures_util::stream::BoxStream;

use super::location::{INDEX_COPY, Location};
use crate::chance::Chance;

/// Journal, shelf, bus and index of one node. Clones share them; dropping the last one closes them.
#[derive(Debug, Clone)]
pub struct Store(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    journal: Box<dyn DynJournal>,
    /// The same journal by its type, if it is SQLite: an append to it allocates no future.
    sqlite: Option<Sqlite>,
    shelf: Box<dyn DynShelf>,
    /// The shelf of this node alone; the same as `shelf`, if no other node shares that.
    own: Box<dyn DynShelf>,
    bus: Box<dyn Bus>,
    /// Fields are dropped in order: this goes before `upkeep`, the last handle of the store that it reads.
    index: Index,
    upkeep: Box<dyn Upkeep>,
    meter: Arc<Meter>,
}

impl Parts {
    fn of<S>(store: S, bus: impl Bus, index: Index, meter: Arc<Meter>) -> Self
    where
        S: DynJournal + DynShelf + Upkeep + Clone,
    {
        Self {
            journal: Box::new(store.clone()),
            sqlite: None,
            shelf: Box::new(store.clone()),
            own: Box::new(store.clone()),
            bus: Box::new(bus),
            index,
            upkeep: Box::new(store),
            meter,
        }
    }
}

/// The shelf of a node whose journal is on NATS.
enum NodeShelf {
    File(sqlite::OwnShelf),
    Memory(Memory),
}

impl NodeShelf {
    /// Opens it in the data folder, and locks that for this process.
    fn open(folder: Option<&Path>, chance: &Chance) -> Result<Self, OpenError> {
        let Some(folder) = folder else { return Ok(Self::Memory(Memory::new(chance.u64())?)) };
        Ok(Self::File(sqlite::OwnShelf::open(folder)?))
    }
}

/// The upkeep of a remote store: its files are elsewhere, and only the lock of the data folder is here.
#[derive(Debug)]
struct RemoteUpkeep {
    nats: Nats,
    own: sqlite::OwnShelf,
}

impl Upkeep for RemoteUpkeep {
    fn leaving(&self) {
        Upkeep::leaving(&self.own);
    }

    fn health(&self) -> Health {
        Upkeep::health(&self.nats)
    }

    fn lag(&self) -> Lag {
        Upkeep::lag(&self.nats)
    }

    fn contact(&self) -> Option<Contact> {
        Upkeep::contact(&self.nats)
    }

    fn server_time(&self) -> BoxFuture<'_, Result<Option<ServerTime>, Fault>> {
        Upkeep::server_time(&self.nats)
    }
}

/// The items that lie on a node's own shelf ([`Store::own`]): process ids of its machine, and what waits for them.
const OF_ONE_NODE: [&str; 8] = [
    "agent/",
    "taps/shell/",
    "taps/boot",
    "taps/open/",
    "hook/waiting/",
    "ends/",
    // A rule file lies on one machine, and so does what a person has agreed to.
    "rules/accepted",
    "workflows-accepted",
];

/// Does this item of the shelf concern one machine alone?
pub fn belongs_to_one_node(key: &str) -> bool {
    OF_ONE_NODE.iter().any(|prefix| key.starts_with(prefix))
}

/// The shelf of one node. See [`Store::own`].
#[derive(Debug, Clone)]
pub struct Own(Store);

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Sqlite(#[from] sqlite::Error),
    #[error(transparent)]
    Nats(#[from] nats::Error),
}

/// The key of a test write.
const PROBE: &str = "probe";

impl Store {
    /// Opens the store at `location`, or creates one there. `chance` gives a new journal, and this client of it, their
    /// ids.
    ///
    /// On SQLite this waits for the disk; on NATS until this node's index has caught up with the journal.
    pub async fn open(location: &Location, chance: &Chance) -> Result<Self, OpenError> {
        match location {
            Location::Sqlite { folder } => {
                let options = sqlite::Options::new(folder, chance.u64());
                Ok(Self::from(Sqlite::open(&options)?))
            }
            Location::Memory => Ok(Self::from(Memory::new(chance.u64())?)),
            Location::Nats { folder, .. } => {
                // First, because it holds the lock of the data folder.
                let own = NodeShelf::open(folder.as_deref(), chance)?;
                let options = location.nats_options(chance).expect("this one is on NATS");
                let nats = Nats::connect(&options).await?;
                let index = folder.as_ref().map(|folder| folder.join(INDEX_COPY));
                let index = nats.index(index.as_deref()).await?;
                let parts = Parts::of(nats.clone(), nats.bus(), index, Arc::default());
                Ok(Self(Arc::new(match own {
                    NodeShelf::File(own) => {
                        Parts { own: Box::new(own.clone()), upkeep: Box::new(RemoteUpkeep { nats, own }), ..parts }
                    }
                    NodeShelf::Memory(own) => Parts { own: Box::new(own), ..parts },
                })))
            }
        }
    }

    /// Returns the shelf of this node alone, for what other machines must not see as theirs: process ids, and the token of
    /// the token file. On a single machine it is the same shelf.
    pub fn own(&self) -> Own {
        Own(self.clone())
    }

    pub fn index(&self) -> Index {
        self.0.index.clone()
    }

    /// Can this node serve from the store? Costs nothing.
    pub(crate) fn health(&self) -> Health {
        self.0.upkeep.health()
    }

    /// Returns how far the index is behind the journal.
    pub(crate) fn lag(&self) -> Lag {
        self.0.upkeep.lag()
    }

    /// Returns what happened to the connection to the journal's servers. `None`: the store is on this machine.
    pub(crate) fn contact(&self) -> Option<Contact> {
        self.0.upkeep.contact()
    }

    /// Asks the journal's servers for their time. `None`: the store is on this machine.
    pub(crate) async fn server_time(&self) -> Result<Option<ServerTime>, Fault> {
        self.0.upkeep.server_time().await
    }

    /// Waits until the index shows everything that this node was acknowledged. On this machine it always does.
    pub(crate) async fn caught_up_with_own_writes(&self) -> Result<(), NotCaughtUp> {
        self.0.index.caught_up_with_own_writes().await
    }

    /// Waits until the index shows everything up to a cursor, perhaps from another node.
    pub(crate) async fn caught_up_to(&self, cursor: &Cursor) -> Result<(), NotCaughtUp> {
        self.0.index.caught_up_to(cursor).await
    }

    /// Returns the store's measurements of its own speed.
    pub fn meter(&self) -> &Meter {
        &self.0.meter
    }

    /// Returns how much disk space it uses on this machine; `None` if it is not on this machine's disk.
    pub async fn space(&self) -> Result<Option<Space>, Fault> {
        self.0.upkeep.space().await
    }

    /// Returns some free space to the disk. Returns whether there is more.
    pub(crate) async fn shrink(&self, pages: u32) -> Result<bool, Fault> {
        self.0.upkeep.shrink(pages).await
    }

    /// Tells the server that waits for this store that it will be free soon.
    pub fn leaving(&self) {
        self.0.upkeep.leaving();
    }

    /// Can the store be written? Writes only if the last write failed, since any client may call this often.
    pub(crate) async fn probe(&self, now: Timestamp) -> Result<(), ShelfError> {
        if !Journal::exclusive(self) {
            // A sweep of a shared shelf reads all of it.
            return Shelf::get(self, PROBE, now).await.map(drop);
        }
        if self.meter().is_failing() {
            return Shelf::put(self, PROBE, b"", Expect::Any, Some(now), now).await.map(drop);
        }
        Shelf::sweep(self, now).await.map(drop)
    }
}

impl From<Sqlite> for Store {
    /// A store on this machine alone: its bus connects no other node.
    fn from(store: Sqlite) -> Self {
        let (index, meter) = (store.index(), store.meter());
        let sqlite = Some(store.clone());
        Self(Arc::new(Parts { sqlite, ..Parts::of(store, LocalBus::default(), index, meter) }))
    }
}

impl From<Memory> for Store {
    fn from(store: Memory) -> Self {
        let (index, meter) = (store.index(), store.meter());
        Self(Arc::new(Parts::of(store, LocalBus::default(), index, meter)))
    }
}

impl Journal for Store {
    fn append(&self, entry: Arc<Entry>, guard: Guard) -> impl Future<Output = Result<Position, AppendError>> + Send {
        match &self.0.sqlite {
            Some(sqlite) => Either::Left(Journal::append(sqlite, entry, guard)),
            None => Either::Right(self.0.journal.append(entry, guard)),
        }
    }

    fn read(
        &self,
        session: SessionId,
        lane: Option<Lane>,
        after: Option<Position>,
        max: usize,
    ) -> impl Future<Output = Result<Vec<Arc<Stored>>, ReadError>> + Send {
        self.0.journal.read(session, lane, after, max)
    }

    fn read_back(
        &self,
        session: SessionId,
        before: Option<Position>,
        max: usize,
    ) -> impl Future<Output = Result<Vec<Arc<Stored>>, ReadError>> + Send {
        self.0.journal.read_back(session, before, max)
    }

    fn follow(&self, after: Cursor) -> impl Stream<Item = Result<Followed, FollowError>> + Send + 'static {
        self.0.journal.follow(after)
    }

    async fn forget(&self, sessions: &[SessionId], at: Timestamp, by: &str) -> Result<Forgotten, ForgetError> {
        self.0.journal.forget(sessions, at, by).await
    }

    fn forgettings(&self, skip: usize, max: usize) -> impl Future<Output = Result<Vec<Forgetting>, ReadError>> + Send {
        self.0.journal.forgettings(skip, max)
    }

    fn start(&self) -> Cursor {
        self.0.journal.start()
    }

    fn now(&self) -> Cursor {
        self.0.journal.now()
    }

    fn exclusive(&self) -> bool {
        self.0.journal.exclusive()
    }
}

impl Shelf for Store {
    async fn get(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        self.0.shelf.get(key, now).await
    }

    async fn put(
        &self,
        key: &str,
        value: &[u8],
        expect: Expect,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Revision, ShelfError> {
        self.0.shelf.put(key, value, expect, expires_at, now).await
    }

    async fn delete(&self, key: &str, expect: Expect) -> Result<(), ShelfError> {
        self.0.shelf.delete(key, expect).await
    }

    async fn list(&self, prefix: &str, now: Timestamp) -> Result<Vec<Item>, ShelfError> {
        self.0.shelf.list(prefix, now).await
    }

    async fn take(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        self.0.shelf.take(key, now).await
    }

    fn sweep(&self, now: Timestamp) -> impl Future<Output = Result<usize, ShelfError>> + Send {
        self.0.shelf.sweep(now)
    }
}

impl WatchShelf for Store {
    fn watch(&self, prefix: &str, after: Revision) -> impl Stream<Item = Watched> + Send + 'static {
        self.0.shelf.watch(prefix, after)
    }
}

impl Shelf for Own {
    async fn get(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        self.0.0.own.get(key, now).await
    }

    async fn put(
        &self,
        key: &str,
        value: &[u8],
        expect: Expect,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Revision, ShelfError> {
        self.0.0.own.put(key, value, expect, expires_at, now).await
    }

    async fn delete(&self, key: &str, expect: Expect) -> Result<(), ShelfError> {
        self.0.0.own.delete(key, expect).await
    }

    async fn list(&self, prefix: &str, now: Timestamp) -> Result<Vec<Item>, ShelfError> {
        self.0.0.own.list(prefix, now).await
    }

    async fn take(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        self.0.0.own.take(key, now).await
    }

    fn sweep(&self, now: Timestamp) -> impl Future<Output = Result<usize, ShelfError>> + Send {
        self.0.0.own.sweep(now)
    }
}

impl Bus for Store {
    fn publish(&self, subject: Subject, body: Bytes) {
        self.0.bus.publish(subject, body);
    }

    fn subscribe(&self, filter: Filter) -> BoxStream<'static, Message> {
        self.0.bus.subscribe(filter)
    }
}
