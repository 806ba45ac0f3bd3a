//! Conformance of appending: guards, races, repeats.

use std::sync::Arc;

use askbridge_core::event::{Event, Lane, Level};
use askbridge_core::ids::MessageId;
use askbridge_core::limits;
use futures_util::future::join_all;

use super::names::{Names, append};
use crate::entry::{Digest, Entry, Written};
use crate::journal::{AppendError, Guard, Journal};

/// How many writers race.
const WRITERS: usize = 64;
/// How often.
const RACES: usize = 4;

pub async fn the_first_append_to_a_head_wins<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let first = names.said(session, 1, Digest::ZERO);
    let position = append(journal, &first, Guard::Head(None)).await.expect("the session is empty");
    let second = names.said(session, 2, first.digest());
    let late = append(journal, &second, Guard::Head(None)).await;
    assert!(matches!(late, Err(AppendError::Conflict)), "{late:?}");
    let next = append(journal, &second, Guard::Head(Some(position))).await.expect("the head is known now");
    assert!(next > position);
}

pub async fn the_same_entry_again_is_the_same_append<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let entry = names.said(session, 1, Digest::ZERO);
    let first = append(journal, &entry, Guard::Head(None)).await.expect("the session is empty");
    for _ in 0..3 {
        let again = append(journal, &entry, Guard::Head(None)).await.expect("it is there already");
        assert_eq!(again, first);
    }
    let stored = journal.read(session, None, None, 10).await.expect("the journal can be read");
    assert_eq!(stored.len(), 1);
}

pub async fn an_entry_is_found_although_others_followed_it<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    // Its acknowledgement is lost, and others decide before its writer retries.
    let lost = names.said(session, 1, Digest::ZERO);
    let position = append(journal, &lost, Guard::Head(None)).await.expect("the session is empty");
    let mut head = position;
    for number in 2..6 {
        let entry = names.said(session, number, Digest::ZERO);
        head = append(journal, &entry, Guard::Head(Some(head))).await.expect("nobody else writes here");
    }
    let again = append(journal, &lost, Guard::Head(None)).await.expect("it is there already");
    assert_eq!(again, position);
}

pub async fn of_many_racing_writers_one_wins_each_head<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let mut head = None;
    for race in 1..=RACES {
        let writers = (0..WRITERS).map(|_| {
            let (journal, entry) = (journal.clone(), names.said(session, race as u32, Digest::ZERO));
            tokio::spawn(async move { append(&journal, &entry, Guard::Head(head)).await })
        });
        let results = join_all(writers).await;
        let results = results.into_iter().map(|result| result.expect("no writer panics"));
        let (won, lost): (Vec<_>, Vec<_>) = results.partition(Result::is_ok);
        assert_eq!(won.len(), 1, "race {race}");
        assert!(lost.iter().all(|result| matches!(result, Err(AppendError::Conflict))), "{lost:?}");
        head = won.into_iter().next().and_then(Result::ok);
    }
    let stored = journal.read(session, None, None, 100).await.expect("the journal can be read");
    assert_eq!(stored.len(), RACES);
}

pub async fn content_needs_no_guard_and_is_stored_once<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let entry = names.noticed(session, "once");
    let first = append(journal, &entry, Guard::Unguarded).await.expect("content needs no guard");
    let again = append(journal, &entry, Guard::Unguarded).await.expect("it is there already");
    assert_eq!(again, first);
    let stored = journal.read(session, Some(Lane::Content), None, 10).await.expect("the journal can be read");
    assert_eq!(stored.len(), 1);
}

pub async fn content_does_not_move_the_head<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let head = names.talk(journal, session, 1).await[0];
    let notice = names.noticed(session, "in between");
    append(journal, &notice, Guard::Unguarded).await.expect("content needs no guard");
    let entry = names.said(session, 2, Digest::ZERO);
    append(journal, &entry, Guard::Head(Some(head))).await.expect("the head is where it was");
}

pub async fn content_may_stand_with_a_decision<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let said = names.said(session, 1, Digest::ZERO);
    let notice = Written::new(Event::Notice { level: Level::Info, text: "beside it".to_owned() });
    let both = Arc::new(Entry { events: vec![notice.clone(), said.events[0].clone()], ..(*said).clone() });
    let position = append(journal, &both, Guard::Head(None)).await.expect("it decides something");
    let again = append(journal, &both, Guard::Head(None)).await;
    assert_eq!(again.expect("it is there already"), position);
    for (lane, stored) in [(None, 1), (Some(Lane::Decisions), 1), (Some(Lane::Content), 0)] {
        let read = journal.read(session, lane, None, 10).await.expect("the journal can be read");
        assert_eq!(read.len(), stored, "{lane:?}");
        assert!(read.iter().all(|stored| *stored.entry == *both));
    }
    let nothing = Arc::new(Entry { events: vec![notice], ..(*names.said(session, 2, Digest::ZERO)).clone() });
    let refused = append(journal, &nothing, Guard::Head(Some(position))).await;
    assert!(matches!(refused, Err(AppendError::Malformed(_))), "{refused:?}");
}

pub async fn what_is_too_large_or_mixed_is_refused<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let message = || MessageId { session, number: 1 };
    let notice = |text: &str| Written::new(Event::Notice { level: Level::Info, text: text.to_owned() });
    let entry = |events| {
        Arc::new(Entry { events, ..names.entry(session, Lane::Content, Event::Unsaid { message: message() }) })
    };
    let many = entry(vec![notice("x"); limits::ENTRY_EVENTS_MAX + 1]);
    let big = entry(vec![notice(&"x".repeat(limits::ENTRY_BYTES_MAX))]);
    for entry in [many, big] {
        let refused = append(journal, &entry, Guard::Unguarded).await;
        assert!(matches!(refused, Err(AppendError::TooLarge { .. })), "{refused:?}");
    }
    let mixed = entry(vec![notice("x"), Written::new(Event::Unsaid { message: message() })]);
    let unguarded = names.said(session, 1, Digest::ZERO);
    for entry in [mixed, unguarded, entry(Vec::new())] {
        let refused = append(journal, &entry, Guard::Unguarded).await;
        assert!(matches!(refused, Err(AppendError::Malformed(_))), "{refused:?}");
    }
    let guarded = append(journal, &entry(vec![notice("x")]), Guard::Head(None)).await;
    assert!(matches!(guarded, Err(AppendError::Malformed(_))), "{guarded:?}");
    let largest = entry(vec![notice(&"x".repeat(limits::ENTRY_BYTES_MAX - 100))]);
    append(journal, &largest, Guard::Unguarded).await.expect("it is just small enough");
}
