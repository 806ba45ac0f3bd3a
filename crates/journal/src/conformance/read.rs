//! Conformance of reading and forgetting.

use askbridge_core::event::Lane;
use askbridge_core::ids::{Position, Timestamp};
use askbridge_core::limits;

use super::names::{Names, append};
use crate::entry::Digest;
use crate::forgetting::{Forgetting, Forgotten, Going};
use crate::journal::{Guard, Journal};

pub async fn both_lanes_are_ordered_by_position<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let mut head = None;
    let mut lanes = Vec::new();
    for number in 1..=6 {
        let entry = names.said(session, number, Digest::ZERO);
        head = Some(append(journal, &entry, Guard::Head(head)).await.expect("nobody else writes here"));
        append(journal, &names.noticed(session, "x"), Guard::Unguarded).await.expect("content needs no guard");
        lanes.extend([Lane::Decisions, Lane::Content]);
    }
    let all = journal.read(session, None, None, 100).await.expect("the journal can be read");
    assert_eq!(all.iter().map(|stored| stored.entry.lane).collect::<Vec<_>>(), lanes);
    assert!(all.is_sorted_by(|a, b| a.position < b.position));
    for lane in [Lane::Decisions, Lane::Content] {
        let one = journal.read(session, Some(lane), None, 100).await.expect("the journal can be read");
        let expected: Vec<_> = all.iter().filter(|stored| stored.entry.lane == lane).cloned().collect();
        assert_eq!(one, expected);
    }
    let mut paged = Vec::new();
    while let page = journal.read(session, None, paged.last().map(position), 5).await.expect("the journal can be read")
        && !page.is_empty()
    {
        assert!(page.len() <= 5);
        paged.extend(page);
    }
    assert_eq!(paged, all);
}

fn position(stored: &std::sync::Arc<crate::entry::Stored>) -> askbridge_core::ids::Position {
    stored.position
}

pub async fn a_reader_sees_what_was_acknowledged<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let mut head = None;
    for number in 1..=20 {
        let entry = names.said(session, number, Digest::ZERO);
        head = Some(append(journal, &entry, Guard::Head(head)).await.expect("nobody else writes here"));
        let stored = journal.read(session, None, None, 100).await.expect("the journal can be read");
        assert_eq!(stored.len(), number as usize);
        assert_eq!(stored.last().map(|stored| stored.position), head);
    }
}

pub async fn a_long_session_is_read_in_pages<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let positions = names.talk(journal, session, 120).await;
    for page in [1000, 50, 17] {
        let mut read = Vec::new();
        while let more = journal.read(session, None, read.last().copied(), page).await.expect("the journal can be read")
            && !more.is_empty()
        {
            assert!(more.len() <= page);
            read.extend(more.iter().map(position));
        }
        assert_eq!(read, positions);
    }
}

pub async fn a_session_is_read_from_its_end<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    names.talk(journal, session, 30).await;
    for _ in 0..7 {
        append(journal, &names.noticed(session, "x"), Guard::Unguarded).await.expect("content needs no guard");
    }
    let all = journal.read(session, None, None, 100).await.expect("the journal can be read");
    for page in [100, 10, 3] {
        let mut read = Vec::new();
        loop {
            let before = read.first().map(position);
            let mut older = journal.read_back(session, before, page).await.expect("the journal can be read");
            assert!(older.len() <= page);
            if older.is_empty() {
                break;
            }
            older.append(&mut read);
            read = older;
        }
        assert_eq!(read, all);
    }
    let nobody = journal.read_back(names.session(), None, 10).await.expect("the journal can be read");
    assert_eq!(nobody, []);
}

pub async fn a_page_of_large_entries_is_short_and_the_next_goes_on<J: Journal>(journal: &J, names: &Names) {
    let (session, large) = (names.session(), "x".repeat(limits::READ_BYTES_MAX / 4));
    let mut all = Vec::new();
    for _ in 0..7 {
        let stored = append(journal, &names.noticed(session, &large), Guard::Unguarded).await;
        all.push(stored.expect("content needs no guard"));
    }
    let (mut forwards, mut pages) = (Vec::new(), 0);
    while let more = journal.read(session, None, forwards.last().copied(), 100).await.expect("the journal can be read")
        && !more.is_empty()
    {
        assert!(more.len() <= 4, "{} entries", more.len());
        forwards.extend(more.iter().map(position));
        pages += 1;
    }
    assert_eq!((&forwards, pages), (&all, 2));
    let mut backwards: Vec<Position> = Vec::new();
    while let more = journal.read_back(session, backwards.first().copied(), 100).await.expect("the journal can be read")
        && !more.is_empty()
    {
        assert!(more.len() <= 4, "{} entries", more.len());
        backwards.splice(0..0, more.iter().map(position));
    }
    assert_eq!(backwards, all);
}

pub async fn what_is_read_is_what_was_written<J: Journal>(journal: &J, names: &Names) {
    let session = names.session();
    let first = names.said(session, 1, Digest::ZERO);
    let second = names.said(session, 2, first.digest());
    let head = append(journal, &first, Guard::Head(None)).await.expect("the session is empty");
    append(journal, &second, Guard::Head(Some(head))).await.expect("the head is known");
    let stored = journal.read(session, Some(Lane::Decisions), None, 10).await.expect("the journal can be read");
    assert_eq!(*stored[0].entry, *first);
    assert_eq!(*stored[1].entry, *second);
    assert_eq!(stored[1].entry.prev, stored[0].entry.digest());
}

pub async fn a_forgotten_session_is_gone_and_can_begin_again<J: Journal>(journal: &J, names: &Names) {
    let (session, other) = (names.session(), names.session());
    let before = names.talk(journal, session, 3).await;
    names.talk(journal, other, 2).await;
    journal.forget(&[session], Timestamp(1), "mira").await.expect("the session can be forgotten");
    let left = journal.read(session, None, None, 10).await.expect("the journal can be read");
    assert_eq!(left, []);
    let kept = journal.read(other, None, None, 10).await.expect("the journal can be read");
    assert_eq!(kept.len(), 2);
    let again = names.talk(journal, session, 1).await;
    assert!(again[0] > before[2], "positions are never used twice");
}

pub async fn what_was_forgotten_can_be_proved<J: Journal>(journal: &J, names: &Names) {
    let (one, two, nothing) = (names.session(), names.session(), names.session());
    let mut gone = Vec::new();
    for (session, count) in [(one, 3), (two, 1)] {
        names.talk(journal, session, count).await;
        append(journal, &names.noticed(session, "x"), Guard::Unguarded).await.expect("content needs no guard");
        let mut going = Going::new(session);
        let entries = journal.read(session, None, None, 10).await.expect("the journal can be read");
        entries.iter().for_each(|stored| going.add(&stored.entry));
        gone.extend(going.done());
    }
    let bytes = gone.iter().map(|gone| gone.bytes).sum();
    let forgotten = journal.forget(&[one, two, nothing], Timestamp(5), "mira").await.expect("they can be forgotten");
    assert_eq!(forgotten, Forgotten { sessions: 2, entries: 6, bytes });
    // A session that began again is forgotten again.
    names.talk(journal, one, 2).await;
    let again = journal.forget(&[one], Timestamp(6), "jo").await.expect("it can be forgotten");
    assert_eq!((again.sessions, again.entries), (1, 2));
    let none = journal.forget(&[one, nothing], Timestamp(7), "jo").await.expect("there is nothing to forget");
    assert_eq!(none, Forgotten::default(), "what is not there leaves no record");
    let all = journal.forgettings(0, 1000).await.expect("the journal can be read");
    let ours: Vec<_> = all.iter().filter(|it| it.gone.iter().any(|gone| [one, two].contains(&gone.session))).collect();
    let mut said: Vec<_> = ours.iter().flat_map(|it| it.gone.iter().map(|gone| (it.at, &*it.by, *gone))).collect();
    // If there are several chains, they come one after the other.
    said.sort_by_key(|(at, ..)| *at);
    let expected: Vec<_> = gone.iter().map(|gone| (Timestamp(5), "mira", *gone)).collect();
    let (first, last) = (&said[..said.len() - 1], said.last());
    assert!(expected.iter().all(|gone| first.contains(gone)) && first.len() == 2, "{said:?}");
    assert!(matches!(last, Some((Timestamp(6), "jo", gone)) if gone.session == one && gone.entries == 2));
    // Each names the one before it; if there are several chains, each begins with zero.
    let digests: Vec<_> = all.iter().map(Forgetting::digest).collect();
    assert!(all.iter().all(|it| it.prev == Digest::ZERO || digests.contains(&it.prev)));
    let page = journal.forgettings(1, 1).await.expect("the journal can be read");
    assert_eq!(page.first(), all.get(1));
}
