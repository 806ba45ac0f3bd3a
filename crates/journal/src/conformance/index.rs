//! Conformance of an index: it shows what was written, here and on another node.

use std::sync::Arc;

use askbridge_core::ask::{Ask, Asker, Body, Context, Plan, Reach};
use askbridge_core::event::{Audience, Event, Settings, Started};
use askbridge_core::ids::{AskId, PartyId, Position, SessionId, Timestamp};
use askbridge_core::terms::{Facts, Rules, Wishes, terms};

use super::names::{Names, append};
use crate::entry::{Digest, Entry, Written};
use crate::index::{AskFilter, Index, NotCaughtUp};
use crate::journal::{Guard, Journal};

/// How often something is written and read back.
const ROUNDS: usize = 20;

/// How often a wait is repeated, as a client repeats a request that was told to try again. Servers may die meanwhile.
const TRIES: usize = 12;

async fn patiently<F: Future<Output = Result<(), NotCaughtUp>>>(mut wait: impl FnMut() -> F) {
    for _ in 0..TRIES {
        match wait().await {
            Ok(()) => return,
            Err(NotCaughtUp::Behind { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the index does not follow");
}

/// Starts a session with one ask.
async fn ask<J: Journal>(journal: &J, names: &Names, session: SessionId) -> Position {
    let entry = Entry { events: vec![Written::new(started()), Written::new(asked(session))], ..plain(names, session) };
    append(journal, &Arc::new(entry), Guard::Head(None)).await.expect("the session is empty")
}

fn plain(names: &Names, session: SessionId) -> Entry {
    let said = names.said(session, 1, Digest::ZERO);
    Entry::clone(&said)
}

fn is_shown(index: &Index, session: SessionId) -> bool {
    let filter = AskFilter { session: Some(session), ..AskFilter::default() };
    let rows = index.rows(&filter, None, 10).expect("the index can be read");
    let of_session = index.session(session).expect("the index can be read");
    assert_eq!(rows.len(), usize::from(of_session.is_some()));
    rows.len() == 1
}

/// What `writer` was acknowledged, a query of the index of the same node shows.
pub async fn a_node_reads_its_own_writes<J: Journal>(writer: &J, index: &Index, names: &Names) {
    for _ in 0..ROUNDS {
        let session = names.session();
        ask(writer, names, session).await;
        patiently(|| index.caught_up_with_own_writes()).await;
        assert!(is_shown(index, session));
    }
}

/// What `writer` was acknowledged, the index of another node shows once it has reached the writer's cursor.
pub async fn a_node_reads_what_a_client_saw_elsewhere<J: Journal>(writer: &J, other: &Index, names: &Names) {
    for _ in 0..ROUNDS {
        let session = names.session();
        let position = ask(writer, names, session).await;
        let mut cursor = writer.start();
        cursor.advance_to(session, position);
        patiently(|| other.caught_up_to(&cursor)).await;
        assert!(is_shown(other, session));
        assert!(writer.now().reaches(&cursor));
    }
}

/// What one node forgot, no index shows.
pub async fn what_was_forgotten_leaves_every_index<J: Journal>(writer: &J, indexes: &[&Index], names: &Names) {
    let (gone, kept) = (names.session(), names.session());
    ask(writer, names, gone).await;
    ask(writer, names, kept).await;
    for index in indexes {
        let now = writer.now();
        patiently(|| index.caught_up_to(&now)).await;
        assert!(is_shown(index, gone));
    }
    writer.forget(&[gone], Timestamp(1), "mira").await.expect("the session can be forgotten");
    for index in indexes {
        let now = writer.now();
        patiently(|| index.caught_up_to(&now)).await;
        assert!(!is_shown(index, gone) && is_shown(index, kept));
    }
    // It begins again, and is another session with the same id.
    ask(writer, names, gone).await;
    for index in indexes {
        let now = writer.now();
        patiently(|| index.caught_up_to(&now)).await;
        assert!(is_shown(index, gone));
    }
}

/// Retention asks how old and how long sessions are: what an agent wrote last counts, whatever lane it is in.
pub async fn an_index_knows_how_old_and_how_long_a_session_is<J: Journal>(writer: &J, index: &Index, names: &Names) {
    let session = names.session();
    ask(writer, names, session).await;
    let late = Entry { at: Timestamp(77_000), ..Entry::clone(&names.noticed(session, "still here")) };
    append(writer, &Arc::new(late), Guard::Unguarded).await.expect("content needs no guard");
    patiently(|| index.caught_up_with_own_writes()).await;
    let mut after = None;
    let found = loop {
        let page = index.oldest(Timestamp(i64::MAX), after, 10).expect("the index can be read");
        after = Some(page.last().expect("the session is there").page_key());
        if let Some(found) = page.into_iter().find(|found| found.id == session) {
            break found;
        }
    };
    assert_eq!((found.last_at, found.entries), (Timestamp(77_000), 2));
    assert_eq!(index.entries_of(session).expect("the index can be read"), 2);
    assert!(index.bytes_of(session).expect("the index can be read") > 100);
    writer.forget(&[session], Timestamp(1), "mira").await.expect("the session can be forgotten");
    patiently(|| index.caught_up_with_own_writes()).await;
    assert_eq!(index.entries_of(session).expect("the index can be read"), 0);
}

/// A client may bring a cursor that no entry will ever reach.
pub async fn a_cursor_of_another_journal_is_told_so(index: &Index) {
    let foreign = "cur_0000000000000bad_1".parse().expect("it looks like a cursor");
    assert!(matches!(index.caught_up_to(&foreign).await, Ok(()) | Err(NotCaughtUp::Foreign)));
}

fn asked(session: SessionId) -> Event {
    let none = Wishes::default();
    let (door, agent, at) = ("http", "ci", Timestamp(1));
    let facts = Facts { at, door, agent, folder: None, headline: "", header: None, wishes: [&none; 4] };
    let ask = Ask {
        id: AskId { session, number: 1 },
        at,
        body: Body::Plan(Plan { text: "Move the house\nstone by stone".into() }),
        terms: terms(&Rules::default(), &facts),
        reach: Reach::Pull,
        asker: Asker { door: door.into(), agent: agent.into(), party: PartyId::from("ci"), machine: None },
        call: None,
        context: Context::default(),
        key: None,
        stated: None,
        original: None,
        instead_of: None,
    };
    Event::Asked(ask.into())
}

fn started() -> Event {
    Event::Started(Box::new(Started {
        at: Timestamp(1),
        door: "http".into(),
        agent: "ci".into(),
        owner: PartyId::from("ci"),
        audience: Audience::Everyone,
        settings: Settings::default(),
        continues: None,
        host: None,
    }))
}
