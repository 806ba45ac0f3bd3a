//! The handle to a journal on NATS.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use askbridge_core::event::Lane;
use askbridge_core::ids::{Position, SessionId, Timestamp};
use askbridge_core::limits;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use parking_lot::Mutex;
use tokio::task::JoinHandle;

use super::bus::NatsBus;
use super::connect::{Connection, connect};
use super::error::Error;
use super::guarded_message::{GuardedMessage, Undelivered};
use super::monitor::SyncAlways;
use super::options::Options;
use super::{follow, forget, link, monitor, read, shelf, watch};
use crate::cursor::{Cursor, stream_of};
use crate::entry::{Entry, Stored};
use crate::erased::Upkeep;
use crate::fault::Fault;
use crate::forgetting::{Forgetting, Forgotten, Gone};
use crate::health::{Contact, Health, Lag, ServerTime};
use crate::index::following::{Following, Known};
use crate::journal::{AppendError, FollowError, Followed, ForgetError, Guard, Journal, ReadError};
use crate::record;
use crate::shelf::{Expect, Item, Revision, Shelf, ShelfError, WatchShelf, Watched};

/// A journal, a shelf and a bus on NATS JetStream. Clones share the connection.
#[derive(Debug, Clone)]
pub struct Nats {
    pub(super) inner: Arc<Inner>,
    /// Dropped with the last handle.
    kept: Option<Arc<Mutex<IndexCopies>>>,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) connection: Connection,
    pub(super) name: String,
    client: u64,
    /// Counts the items that this client has put on the shelf.
    marks: AtomicU64,
    /// What this node knows of each stream.
    pub(super) known: Arc<Known>,
}

/// Indexes and the tasks that update them.
#[derive(Debug, Default)]
struct IndexCopies {
    following: Vec<Arc<Following>>,
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for IndexCopies {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Inner {
    /// Returns an id for an item on the shelf.
    pub(super) fn mark(&self) -> String {
        format!("{:016x}-{}", self.client, self.marks.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn subject(&self, session: SessionId, lane: &str) -> (usize, String) {
        let stream = stream_of(session, self.known.streams());
        (stream, format!("{}.{stream}.{session}.{lane}", self.name))
    }
}

fn letter_of(lane: Lane) -> &'static str {
    match lane {
        Lane::Decisions => "d",
        Lane::Content => "c",
    }
}

impl Nats {
    /// Connects to a journal, or creates one.
    pub async fn connect(options: &Options) -> Result<Self, Error> {
        let connection = connect(options).await?;
        let known = Arc::new(Known::new(connection.streams.len()));
        let (name, client) = (options.name.clone(), options.client);
        let inner = Arc::new(Inner { connection, name, client, marks: AtomicU64::new(0), known });
        let source = |source| Error::Request { what: "find the newest entry", source };
        follow::newest(&inner).await.map_err(source)?;
        tokio::spawn(link::look_after(Arc::downgrade(&inner)));
        Ok(Self { inner, kept: Some(Arc::default()) })
    }

    /// Returns how many streams the sessions are spread over.
    pub fn streams(&self) -> usize {
        self.inner.known.streams()
    }

    /// Can this node serve from the journal? Costs nothing: it says what was last seen.
    pub fn health(&self) -> Health {
        let indexes: Vec<_> = self.following().iter().map(|following| following.health()).collect();
        let mut worst = Health::Following;
        for health in indexes {
            match (&worst, &health) {
                (_, Health::Unreadable(_)) => return health,
                (Health::Following, _) => worst = health,
                _ => {}
            }
        }
        match self.inner.connection.link.silence() {
            Some(since) => Health::Unreachable { since },
            None => worst,
        }
    }

    /// Returns how far the index is behind the journal, the slowest one if there are several.
    pub fn lag(&self) -> Lag {
        let lags = self.following().into_iter().map(|following| following.lag());
        lags.max_by_key(|lag| (lag.time, lag.entries)).unwrap_or_default()
    }

    /// Returns what happened to the connection and to the streams' leaders.
    pub fn contact(&self) -> Contact {
        self.inner.connection.link.contact(&self.inner.connection.client, self.streams())
    }

    /// Asks for the time of a server, to compare this machine's clock with.
    pub async fn server_time(&self) -> Result<ServerTime, Fault> {
        link::server_time(&self.inner).await
    }

    /// Asks the servers' monitoring addresses whether each message is on disk before it is acknowledged.
    pub async fn check_sync(monitors: &[String]) -> SyncAlways {
        monitor::check_sync(monitors).await
    }

    /// Reads all entries that are there now, in the order in which they were written.
    pub(crate) async fn in_order(&self) -> Result<BoxStream<'static, Result<Arc<Stored>, ReadError>>, Fault> {
        Ok(follow::in_order(&self.inner).await?.map(|read| read.map_err(ReadError::from)).boxed())
    }

    /// Returns how many messages the streams have.
    pub(crate) async fn messages(&self) -> Result<u64, Fault> {
        follow::messages(&self.inner).await
    }

    /// Stores what another journal has forgotten.
    pub(crate) async fn import_forgetting(&self, at: Timestamp, by: &str, gone: Vec<Gone>) -> Result<(), Fault> {
        forget::import(&self.inner, at, by, gone).await
    }

    fn following(&self) -> Vec<Arc<Following>> {
        self.kept.as_ref().map(|kept| kept.lock().following.clone()).unwrap_or_default()
    }

    /// Returns the bus between the nodes.
    pub fn bus(&self) -> NatsBus {
        NatsBus::new(self.inner.connection.client.clone(), &self.inner.name)
    }

    /// A handle that does not keep the indexes alive, for the tasks that update them.
    pub(super) fn clone_weakly(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), kept: None }
    }

    pub(super) fn keep(&self, following: Arc<Following>, task: JoinHandle<()>) {
        if let Some(kept) = &self.kept {
            let mut kept = kept.lock();
            kept.following.push(following);
            kept.tasks.push(task);
        }
    }
}

impl Upkeep for Nats {
    fn health(&self) -> Health {
        self.health()
    }

    fn lag(&self) -> Lag {
        self.lag()
    }

    fn contact(&self) -> Option<Contact> {
        Some(self.contact())
    }

    fn server_time(&self) -> BoxFuture<'_, Result<Option<ServerTime>, Fault>> {
        async { self.server_time().await.map(Some) }.boxed()
    }
}

impl Journal for Nats {
    async fn append(&self, entry: Arc<Entry>, guard: Guard) -> Result<Position, AppendError> {
        entry.check(guard)?;
        let (stream, subject) = self.inner.subject(entry.session, letter_of(entry.lane));
        let message = GuardedMessage {
            stream: &self.inner.connection.streams[stream],
            subject,
            id: entry.id.to_string(),
            payload: record::write_line(&entry, None).into(),
            expect: match guard {
                Guard::Head(head) => Some(head.map_or(0, |head| head.0)),
                Guard::Unguarded => None,
            },
            headers: Vec::new(),
        };
        match message.send(&self.inner.connection.context).await {
            Ok(sequence) => {
                self.inner.known.wrote(stream, sequence);
                Ok(Position(sequence))
            }
            Err(Undelivered::Conflict) => Err(AppendError::Conflict),
            Err(Undelivered::Unknown(fault)) => {
                tracing::warn!(session.id = %entry.session, error = %fault, "An append has an unknown fate");
                Err(AppendError::Unknown)
            }
        }
    }

    async fn read(
        &self,
        session: SessionId,
        lane: Option<Lane>,
        after: Option<Position>,
        max: usize,
    ) -> Result<Vec<Arc<Stored>>, ReadError> {
        let (stream, subject) = self.inner.subject(session, lane.map_or("*", letter_of));
        let stream = &self.inner.connection.streams[stream];
        read::read(stream, &subject, after, max.min(limits::READ_BATCH_MAX)).await
    }

    fn follow(&self, after: Cursor) -> impl Stream<Item = Result<Followed, FollowError>> + Send + 'static {
        follow::follow(Arc::clone(&self.inner), after)
    }

    async fn forget(&self, sessions: &[SessionId], at: Timestamp, by: &str) -> Result<Forgotten, ForgetError> {
        let mut forgotten = Forgotten::default();
        for number in 0..self.streams() {
            let here: Vec<_> = sessions.iter().copied().filter(|it| self.inner.subject(*it, "*").0 == number).collect();
            let done = forget::forget(&self.inner, number, &here, at, by).await.map_err(ForgetError)?;
            forgotten += done.map(|forgetting| forgetting.sum()).unwrap_or_default();
        }
        // The index removes them when it reads the record. If that takes longer than a request waits, its next query
        // waits as well.
        for following in self.following() {
            let _ = following.with_own_writes().await;
        }
        Ok(forgotten)
    }

    async fn forgettings(&self, skip: usize, max: usize) -> Result<Vec<Forgetting>, ReadError> {
        forget::forgettings(&self.inner, skip, max).await.map_err(ReadError::Down)
    }

    fn start(&self) -> Cursor {
        Cursor::start(self.inner.connection.identity, self.streams())
    }

    fn now(&self) -> Cursor {
        Cursor::new(self.inner.connection.identity, self.inner.known.newest())
    }

    fn exclusive(&self) -> bool {
        false
    }
}

impl Shelf for Nats {
    async fn get(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        shelf::get(&self.inner, key, now).await
    }

    async fn put(
        &self,
        key: &str,
        value: &[u8],
        expect: Expect,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Revision, ShelfError> {
        if value.len() > limits::SHELF_BYTES_MAX {
            return Err(ShelfError::TooLarge { key: key.to_owned(), bytes: value.len() });
        }
        shelf::put(&self.inner, key, value, expect, expires_at, now).await
    }

    async fn delete(&self, key: &str, expect: Expect) -> Result<(), ShelfError> {
        shelf::delete(&self.inner, key, expect).await
    }

    async fn list(&self, prefix: &str, now: Timestamp) -> Result<Vec<Item>, ShelfError> {
        shelf::list(&self.inner, prefix, now).await
    }

    async fn take(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        shelf::take(&self.inner, key, now).await
    }

    async fn sweep(&self, now: Timestamp) -> Result<usize, ShelfError> {
        shelf::sweep(&self.inner, now).await
    }
}

impl WatchShelf for Nats {
    fn watch(&self, prefix: &str, after: Revision) -> impl Stream<Item = Watched> + Send + 'static {
        watch::watch(Arc::clone(&self.inner), prefix, after)
    }
}
