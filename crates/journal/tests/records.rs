//! Records read back as they were written, in this release and in all later ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod strategies;

use std::collections::BTreeSet;
use std::fs;

use askbridge_core::event::Lane;
use askbridge_core::ids::{EntryId, Epoch, NodeId, Position, SessionId, Timestamp};
use askbridge_journal::record::{DecodeError, decode, encode, read_line, write_line};
use askbridge_journal::{Digest, Entry, Written};
use proptest::prelude::*;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/v1");
/// Every type of event that version 1 knows.
const KINDS: usize = 30;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn an_event_reads_back_as_it_was_written(event in strategies::event()) {
        let json = encode(&event);
        prop_assert!(!json.contains('\n'), "a record is one line: {json}");
        prop_assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok() || json.contains("1e400"), "{json}");
        let read = decode(&json).unwrap_or_else(|error| panic!("{error:?}: {json}"));
        prop_assert_eq!(&read, &event);
        prop_assert_eq!(encode(&read), json);
    }
}

proptest! {
    #[test]
    fn an_entry_reads_back_as_it_was_written(
        numbers in any::<(u128, u128, i64, u64, u32, [u8; 32])>(),
        events in prop::collection::vec(strategies::content(), 1..4),
    ) {
        let (id, session, at, node, epoch, prev) = numbers;
        let entry = Entry {
            id: EntryId(id),
            session: SessionId(session),
            lane: Lane::Content,
            at: Timestamp(at),
            node: NodeId(node),
            epoch: Epoch(epoch),
            prev: Digest(prev),
            events: events.into_iter().map(Written::new).collect(),
        };
        for position in [None, Some(Position(7))] {
            let read = read_line(&write_line(&entry, position)).unwrap();
            prop_assert_eq!(read.digest(), entry.digest());
            prop_assert_eq!(&read, &entry);
        }
    }
}

#[test]
fn every_release_can_be_read() {
    let mut kinds = BTreeSet::new();
    for file in fs::read_dir(FIXTURES).unwrap() {
        let path = file.unwrap().path();
        for line in fs::read_to_string(&path).unwrap().lines() {
            let event = decode(line).unwrap_or_else(|error| panic!("{}: {error:?}: {line}", path.display()));
            assert_eq!(encode(&event), line, "{}", path.display());
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            kinds.insert(value["type"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(kinds.len(), KINDS, "{kinds:?}");
}

#[test]
fn what_goes_without_saying_may_be_said() {
    let terse = r#"{"type":"asked","ask":{"id":"ask_00000000000000000000000007_1","at":1,"kind":"plan","plan":{"text":"p"},"reach":"pull","door":"http","agent":"a","party":"p"}}"#;
    let plain = r#""terms":{"on_expiry":"tell","on_dismissal":"tell","warm":600000,"undo_ms":0,"messages":"hold","parallel":true,"other_tools":"ask","quorum":1},"reach""#;
    let spelled_out = terse.replace(r#""reach""#, plain);
    assert_eq!(encode(&decode(&spelled_out).unwrap()), terse);
    let terse = r#"{"type":"settled","ask":"ask_00000000000000000000000007_1","at":1,"outcome":{"type":"answered","answer":{"kind":"questions","picks":[{"chosen":[0]}]},"by":{"person":"a","device":"b","via":"c"}},"verdict":{"ruling":"answer"}}"#;
    let verdict = r#"{"ruling":"answer","answer":{"kind":"questions","picks":[{"chosen":[0]}]},"words":""}"#;
    let spelled_out = terse.replace(r#"{"ruling":"answer"}"#, verdict);
    assert_eq!(encode(&decode(&spelled_out).unwrap()), terse);
    let other = spelled_out.replacen("[0]", "[1]", 1);
    assert_eq!(encode(&decode(&other).unwrap()), other.replace(r#","words":"""#, ""), "a verdict of its own is kept");
}

#[test]
fn unknown_fields_are_ignored_and_the_type_may_stand_anywhere() {
    let event =
        decode(r#"{ "future": {"x": 1}, "ask": "ask_00000000000000000000000007_1", "type": "parked" }"#).unwrap();
    assert_eq!(encode(&event), r#"{"type":"parked","ask":"ask_00000000000000000000000007_1"}"#);
}

#[test]
fn an_unknown_event_says_that_a_newer_release_wrote_it() {
    let error = decode(r#"{"type":"dreamt","ask":"ask_00000000000000000000000007_1"}"#).unwrap_err();
    assert!(matches!(&error, DecodeError::Newer { kind } if kind == "dreamt"));
    assert_eq!(error.to_string(), "an event of type `dreamt` was written by a newer release");
}

#[test]
fn what_contradicts_itself_is_refused() {
    for bad in [
        "",
        "[]",
        "{}",
        r#"{"type":"parked"}"#,
        r#"{"type":"parked","ask":"ask_7"}"#,
        r#"{"type":"voted","ask":"ask_00000000000000000000000007_1","answer":{"kind":"plan"},"by":{"person":"a","device":"b","via":"c"}}"#,
    ] {
        assert!(decode(bad).is_err(), "{bad}");
    }
}
