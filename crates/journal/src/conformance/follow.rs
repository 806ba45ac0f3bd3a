//! Conformance of following: from the start, from a cursor, into the present.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ids::{Position, SessionId};
use futures_util::{Stream, StreamExt};

use super::names::{Names, append};
use crate::cursor::Cursor;
use crate::entry::{Digest, Stored};
use crate::journal::{FollowError, Followed, Guard, Journal};

/// Timeout of an expected entry. Long, because servers may die meanwhile.
const PATIENCE: Duration = Duration::from_secs(60);

type FollowStream<'a> = &'a mut (dyn Stream<Item = Result<Followed, FollowError>> + Send + Unpin);

async fn next(stream: FollowStream<'_>) -> Followed {
    let next = tokio::time::timeout(PATIENCE, stream.next()).await.expect("something has to come");
    next.expect("following has no end").expect("the journal can be followed")
}

/// Returns the next entry of one of these sessions.
async fn next_of(stream: FollowStream<'_>, sessions: &[SessionId]) -> Arc<Stored> {
    loop {
        if let Followed::Entry(stored) = next(stream).await
            && sessions.contains(&stored.entry.session)
        {
            return stored;
        }
    }
}

pub async fn a_follower_from_the_start_hears_everything_once<J: Journal>(journal: &J, names: &Names) {
    let sessions = [names.session(), names.session(), names.session()];
    let mut expected = HashMap::new();
    for session in sessions {
        expected.insert(session, names.talk(journal, session, 10).await);
    }
    let mut stream = Box::pin(journal.follow(journal.start()));
    let mut heard: HashMap<SessionId, Vec<Position>> = HashMap::new();
    loop {
        match next(&mut stream).await {
            Followed::CaughtUp => break,
            Followed::Gone(_) => panic!("the start is never gone"),
            Followed::Entry(stored) if sessions.contains(&stored.entry.session) => {
                heard.entry(stored.entry.session).or_default().push(stored.position);
            }
            Followed::Entry(_) | Followed::Forgotten(_) => {}
        }
    }
    assert_eq!(heard, expected);
}

pub async fn a_follower_from_a_cursor_hears_only_what_it_missed<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let positions = names.talk(journal, session, 6).await;
    // It receives three entries, stores its cursor, and disconnects.
    let mut stream = Box::pin(journal.follow(journal.start()));
    let mut cursor = journal.start();
    let mut heard = 0;
    while heard < 3 {
        if let Followed::Entry(stored) = next(&mut stream).await {
            cursor.advance(&stored);
            heard += usize::from(stored.entry.session == session);
        }
    }
    drop(stream);
    assert!(cursor.covers(session, positions[2]) && !cursor.covers(session, positions[3]));
    let cursor: Cursor = cursor.to_string().parse().expect("a cursor reads back");
    let mut stream = Box::pin(journal.follow(cursor));
    for position in &positions[3..] {
        assert_eq!(next_of(&mut stream, &[session]).await.position, *position);
    }
}

pub async fn a_follower_crosses_into_the_present_without_gap_or_repeat<J: Journal>(journal: &J, names: &Names) {
    const EACH: u32 = 40;
    let sessions = [names.session(), names.session(), names.session(), names.session()];
    let cursors = [journal.start(), journal.now()];
    let writers = sessions.map(|session| {
        let (journal, names) = (journal.clone(), names.apart());
        tokio::spawn(async move { names.talk(&journal, session, EACH).await })
    });
    // One follows from the start, one from just before; both get every session in order.
    let followers = cursors.map(|cursor| {
        let journal = journal.clone();
        tokio::spawn(async move {
            let mut stream = Box::pin(journal.follow(cursor));
            let mut heard: HashMap<SessionId, Vec<Position>> = HashMap::new();
            while heard.values().filter(|heard| heard.len() == EACH as usize).count() < sessions.len() {
                let stored = next_of(&mut stream, &sessions).await;
                heard.entry(stored.entry.session).or_default().push(stored.position);
            }
            heard
        })
    });
    let mut expected = HashMap::new();
    for (session, writer) in sessions.into_iter().zip(writers) {
        expected.insert(session, writer.await.expect("no writer panics"));
    }
    for follower in followers {
        assert_eq!(follower.await.expect("no follower panics"), expected);
    }
}

pub async fn a_foreign_cursor_is_told_to_start_from_a_snapshot<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let head = names.talk(journal, session, 2).await[1];
    let foreign: Cursor = "cur_0000000000000bad_1".parse().expect("it looks like a cursor");
    let mut ahead = journal.now();
    ahead.advance_to(session, Position(u64::MAX >> 1));
    for cursor in [foreign, ahead] {
        let mut stream = Box::pin(journal.follow(cursor));
        let Followed::Gone(now) = next(&mut stream).await else { panic!("the cursor is not of this journal") };
        assert!(now.covers(session, head));
        let entry = names.said(names.session(), 1, Digest::ZERO);
        let position = append(journal, &entry, Guard::Head(None)).await.expect("the session is empty");
        let stored = next_of(&mut stream, &[session, entry.session]).await;
        assert_eq!((stored.entry.session, stored.position), (entry.session, position));
    }
}
