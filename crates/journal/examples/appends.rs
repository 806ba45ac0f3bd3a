//! Measures appends to the embedded journal against a bare loop of INSERT and COMMIT: `cargo run --release --example
//! appends`.

#![allow(clippy::unwrap_used, reason = "a measurement fails by panicking")]

use std::sync::Arc;
use std::time::Instant;

use askbridge_core::ask::{Ask, Asker, Body, Choice, Context, Question, Reach};
use askbridge_core::event::{Event, Lane};
use askbridge_core::ids::{AskId, EntryId, Epoch, NodeId, PartyId, SessionId, Timestamp};
use askbridge_core::terms::{Facts, Rules, Wishes, terms};
use askbridge_journal::sqlite::Options;
use askbridge_journal::{Digest, DynJournal, Entry, Guard, Journal, Sqlite, Written};

/// Runs the measurements whose name contains the first argument, or all.
fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    for (producers, count) in [(1, 3_000), (64, 60_000), (512, 60_000)] {
        let (ours_name, bare_name) = (format!("ours, {producers} producers"), format!("bare, {producers} per commit"));
        if bare_name.contains(&wanted) {
            bare(&bare_name, count, producers);
        }
        let boxed_name = format!("boxed, {producers} producers");
        for (name, boxed) in [(ours_name, false), (boxed_name, true)] {
            if name.contains(&wanted) {
                runtime.block_on(ours(&name, count, producers, boxed));
            }
        }
    }
    if "encode and digest".contains(&wanted) {
        encoding(200_000);
    }
}

fn entry(number: u128) -> Arc<Entry> {
    let session = SessionId(number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835));
    Arc::new(Entry {
        id: EntryId(number),
        session,
        lane: Lane::Decisions,
        at: Timestamp(1),
        node: NodeId(1),
        epoch: Epoch(0),
        prev: Digest::ZERO,
        events: vec![Written::new(asked(session))],
    })
}

fn asked(session: SessionId) -> Event {
    let none = Wishes::default();
    let (door, agent) = ("http", "ci");
    let facts = Facts { at: Timestamp(0), door, agent, folder: None, headline: "", header: None, wishes: [&none; 4] };
    let choice = |label: &str| Choice { label: label.into(), description: Some("what it means".into()), preview: None };
    let question = Question {
        text: "Which database should the new service use?".into(),
        header: Some("Database".into()),
        options: vec![choice("SQLite"), choice("Postgres"), choice("None")],
        multi: false,
        secret: false,
    };
    Event::Asked(Arc::new(Ask {
        id: AskId { session, number: 1 },
        at: Timestamp(1),
        body: Body::Questions(vec![question]),
        terms: terms(&Rules::default(), &facts),
        reach: Reach::Pull,
        asker: Asker { door: door.into(), agent: agent.into(), party: PartyId::from("token:ci"), machine: None },
        call: None,
        context: Context::default(),
        key: None,
        stated: None,
        original: None,
        instead_of: None,
    }))
}

/// Processor time of this process, in microseconds. Linux only.
fn cpu_us() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<_> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) * 10_000.0
}

fn report(name: &str, count: u32, began: Instant, cpu: f64) {
    let (wall, cpu) = (began.elapsed().as_secs_f64(), cpu_us() - cpu);
    println!("{name:<24} {:>8.0}/s {:>7.1} µs CPU each", f64::from(count) / wall, cpu / f64::from(count));
}

/// The minimum that any journal on SQLite must do.
fn bare(name: &str, count: u32, each: u32) {
    let dir = tempfile::tempdir().unwrap();
    let conn = rusqlite::Connection::open(dir.path().join("bare.db")).unwrap();
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4096;
         CREATE TABLE entries (pos INTEGER PRIMARY KEY, id BLOB, session BLOB, lane INT, at INT, node INT, epoch INT,
             prev BLOB, body TEXT);
         CREATE INDEX entries_of_session ON entries (session, lane, pos);",
    )
    .unwrap();
    let entries: Vec<_> = (1..=count).map(|number| entry(u128::from(number))).collect();
    let (began, cpu) = (Instant::now(), cpu_us());
    for batch in entries.chunks(each as usize) {
        conn.prepare_cached("BEGIN IMMEDIATE").unwrap().execute(()).unwrap();
        for entry in batch {
            let (id, session) = (entry.id.0.to_be_bytes(), entry.session.0.to_be_bytes());
            let mut insert =
                conn.prepare_cached("INSERT INTO entries VALUES (?1, ?2, ?3, 0, 1, 1, 0, ?4, ?5)").unwrap();
            insert.execute((entry.id.0 as i64, id, session, entry.prev.0, &*entry.events[0].json)).unwrap();
        }
        conn.prepare_cached("COMMIT").unwrap().execute(()).unwrap();
    }
    report(name, count, began, cpu);
}

/// `boxed` uses a trait object, as the bridge's store does.
async fn ours(name: &str, count: u32, producers: u32, boxed: bool) {
    let dir = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&Options::new(dir.path(), 7)).unwrap();
    let entries: Vec<_> = (1..=count).map(|number| entry(u128::from(number))).collect();
    let (began, cpu) = (Instant::now(), cpu_us());
    let tasks: Vec<_> = entries
        .chunks(count.div_ceil(producers) as usize)
        .map(|mine| {
            let (store, mine) = (store.clone(), mine.to_vec());
            let erased: Arc<dyn DynJournal> = Arc::new(store.clone());
            tokio::spawn(async move {
                for entry in mine {
                    match boxed {
                        true => erased.append(entry, Guard::Head(None)).await.unwrap(),
                        false => Journal::append(&store, entry, Guard::Head(None)).await.unwrap(),
                    };
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    report(name, count, began, cpu);
}

fn encoding(count: u32) {
    let event = asked(SessionId(7));
    let (began, cpu) = (Instant::now(), cpu_us());
    let bytes: usize = (0..count).map(|_| Written::new(event.clone()).json.len()).sum();
    report(&format!("encode, {} bytes", bytes / count as usize), count, began, cpu);
    let written = entry(7);
    let (began, cpu) = (Instant::now(), cpu_us());
    let mut last = Digest::ZERO;
    for _ in 0..count {
        last = written.digest();
    }
    report("digest", count, began, cpu);
    assert_eq!(last, written.digest());
}
