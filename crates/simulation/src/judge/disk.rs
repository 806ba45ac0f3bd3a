//! The same journal in a real file: after each life its entries are appended to a SQLite store, which is closed,
//! opened, verified, and compared with the in-memory journal.
//!
//! The bridge itself does not run on that file. SQLite's writer is a separate thread, and the scheduling of threads is
//! not deterministic: the same seed would not give the same transcript. What a file adds is the way to the disk and
//! back, and this tests it.

use std::collections::BTreeMap;
use std::sync::Arc;

use askbridge_core::event::Lane;
use askbridge_core::ids::{Position, SessionId, Timestamp};
use askbridge_journal::index::{AskFilter, SessionFilter, StateFilter};
use askbridge_journal::journal::{Followed, Guard, Journal};
use askbridge_journal::sqlite::Options;
use askbridge_journal::{Index, Sqlite, Stored, verify};
use futures_util::StreamExt;
use tempfile::TempDir;

use super::laws::everything;
use crate::broken::BrokenDisk;
use crate::world::World;

/// Where Linux keeps files in memory. No seed loses power, so waiting for a real disk would only make it slow.
const IN_MEMORY: &str = "/dev/shm";

/// A SQLite store in a temporary folder.
pub(crate) struct Disk {
    folder: TempDir,
    broken: Option<BrokenDisk>,
    written: usize,
}

impl Disk {
    pub(crate) fn new(broken: Option<BrokenDisk>) -> Self {
        let folder = TempDir::new_in(IN_MEMORY).or_else(|_| TempDir::new()).expect("a folder can be made");
        Self { folder, broken, written: 0 }
    }

    /// Appends the new entries and checks the whole file.
    pub(crate) async fn follow(&mut self, world: &World) {
        let all = everything(world).await;
        if let Err(why) = self.append(world, &all).await {
            return world.log.broke(4, None, format!("the file does not take what the memory took: {why}"));
        }
        match verify(self.folder.path()) {
            Err(error) => world.log.broke(4, None, format!("the file cannot be looked over: {error}")),
            Ok(report) if !report.is_good() => {
                world.log.broke(4, None, format!("the file is not good: {}", report.problems[0]));
            }
            Ok(report) if report.entries != all.len() as u64 => {
                let why = format!("the file has {} entries, the memory {}", report.entries, all.len());
                world.log.broke(4, None, why);
            }
            Ok(_) => {}
        }
        let store = match self.open(world) {
            Ok(store) => store,
            Err(why) => return world.log.broke(4, None, format!("the file cannot be opened again: {why}")),
        };
        let mut read = Box::pin(store.follow(store.start()));
        for expected in &all {
            match read.next().await {
                Some(Ok(Followed::Entry(found))) if found == *expected => {}
                other => {
                    let why = format!("the file has {other:?} at {}", expected.position.0);
                    return world.log.broke(4, Some(expected.entry.session), why);
                }
            }
        }
        let (ours, theirs) = (shown(&world.memory.index()), shown(&store.index()));
        for (what, ours) in &ours {
            let theirs = theirs.get(what).map_or("nothing", String::as_str);
            if ours != theirs {
                world.log.broke(4, None, format!("{what}: the memory's index says {ours}, the file's {theirs}"));
            }
        }
    }

    async fn append(&mut self, world: &World, all: &[Arc<Stored>]) -> Result<(), String> {
        let store = self.open(world)?;
        let mut heads: BTreeMap<SessionId, Position> = BTreeMap::new();
        for (place, stored) in all.iter().enumerate() {
            let (session, lane) = (stored.entry.session, stored.entry.lane);
            let guard = match lane {
                Lane::Decisions => Guard::Head(heads.get(&session).copied()),
                Lane::Content => Guard::Unguarded,
            };
            let is_new = place >= self.written;
            let lost = self.broken == Some(BrokenDisk::LosesAnEntry) && place % 7 == 6;
            if is_new && !lost {
                let appended = store.append(Arc::clone(&stored.entry), guard).await;
                let position = appended.map_err(|error| format!("{error} at {}", stored.position.0))?;
                if position != stored.position {
                    return Err(format!("it is at {} and should be at {}", position.0, stored.position.0));
                }
            }
            if lane == Lane::Decisions {
                heads.insert(session, stored.position);
            }
        }
        self.written = all.len();
        Ok(())
    }

    fn open(&self, world: &World) -> Result<Sqlite, String> {
        Sqlite::open(&Options::new(self.folder.path(), world.seed)).map_err(|error| error.to_string())
    }
}

/// Returns everything that lists would show, as text.
fn shown(index: &Index) -> BTreeMap<String, String> {
    let mut shown = BTreeMap::new();
    let filter = AskFilter { states: StateFilter::All, ..AskFilter::default() };
    let mut after = None;
    loop {
        let page = index.asks(&filter, after, 500).expect("an index can be read");
        let Some(last) = page.last() else { break };
        after = Some(last.row.page_key());
        for known in page {
            shown.insert(known.row.id.to_string(), format!("{known:?}"));
        }
    }
    let mut after = None;
    loop {
        let page = index.sessions(&SessionFilter::default(), after, 500).expect("an index can be read");
        let Some(last) = page.last() else { break };
        after = Some(last.page_key());
        for row in page {
            shown.insert(row.id.to_string(), format!("{row:?}"));
        }
    }
    let due = index.due(Timestamp(i64::MAX), 500).expect("an index can be read");
    shown.insert("what is due".to_owned(), format!("{due:?}"));
    shown.insert("the counts".to_owned(), format!("{:?}", index.counts()));
    shown
}
