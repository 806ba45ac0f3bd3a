//! Conformance of the shelf: revisions, expiry, races.

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use futures_util::future::join_all;

use super::names::Names;
use crate::shelf::{Expect, Shelf, ShelfError};

const NOW: Timestamp = Timestamp(1_000);

pub async fn a_revision_guards_a_thing_on_the_shelf<S: Shelf>(shelf: &S, names: &Names) {
    let key = names.key("draft");
    let put = |value: &'static [u8], expect| shelf.put(&key, value, expect, None, NOW);
    let conflict = |result| assert!(matches!(result, Err(ShelfError::Conflict { .. })), "{result:?}");
    let first = put(b"a", Expect::Absent).await.expect("nothing is there");
    conflict(put(b"b", Expect::Absent).await);
    let second = put(b"b", Expect::Revision(first)).await.expect("nobody changed it");
    assert!(second > first);
    conflict(put(b"c", Expect::Revision(first)).await);
    let third = put(b"c", Expect::Any).await.expect("anything goes");
    let item = shelf.get(&key, NOW).await.expect("the shelf can be read").expect("it is there");
    assert_eq!((&*item.value, item.revision, item.key.as_str()), (&b"c"[..], third, key.as_str()));
    let refused = shelf.delete(&key, Expect::Revision(second)).await;
    assert!(matches!(refused, Err(ShelfError::Conflict { .. })), "{refused:?}");
    shelf.delete(&key, Expect::Revision(third)).await.expect("nobody changed it");
    assert_eq!(shelf.get(&key, NOW).await.expect("the shelf can be read"), None);
    shelf.delete(&key, Expect::Any).await.expect("what is gone is gone");
    let fourth = put(b"d", Expect::Absent).await.expect("it is gone");
    assert!(fourth > third, "revisions are never used twice");
}

pub async fn what_has_expired_is_not_there<S: Shelf>(shelf: &S, names: &Names) {
    let key = names.key("link");
    shelf.put(&key, b"a", Expect::Absent, Some(Timestamp(2_000)), NOW).await.expect("nothing is there");
    let at = |now| shelf.get(&key, Timestamp(now));
    assert!(at(1_999).await.expect("the shelf can be read").is_some());
    assert!(at(2_000).await.expect("the shelf can be read").is_none());
    assert_eq!(shelf.list(&key, Timestamp(2_000)).await.expect("the shelf can be read"), []);
    let again = shelf.put(&key, b"b", Expect::Absent, Some(Timestamp(3_000)), Timestamp(2_000)).await;
    again.expect("what has expired is absent");
    assert_eq!(shelf.take(&key, Timestamp(3_000)).await.expect("the shelf can be read"), None);
    shelf.put(&key, b"c", Expect::Any, Some(Timestamp(4_000)), NOW).await.expect("anything goes");
    assert!(shelf.sweep(Timestamp(4_000)).await.expect("the shelf can be swept") >= 1);
    assert!(at(1).await.expect("the shelf can be read").is_none());
}

pub async fn of_many_takers_one_gets_it<S: Shelf>(shelf: &S, names: &Names) {
    for _ in 0..4 {
        let key = names.key("pairing");
        shelf.put(&key, b"secret", Expect::Absent, None, NOW).await.expect("nothing is there");
        let takers = (0..16).map(|_| {
            let (shelf, key) = (shelf.clone(), key.clone());
            tokio::spawn(async move { shelf.take(&key, NOW).await })
        });
        let taken = join_all(takers).await.into_iter().map(|taken| taken.expect("no taker panics"));
        let got = taken.filter(|taken| taken.as_ref().expect("the shelf can be read").is_some()).count();
        assert_eq!(got, 1);
    }
}

pub async fn the_shelf_is_listed_by_prefix<S: Shelf>(shelf: &S, names: &Names) {
    let root = names.key("devices");
    for name in ["b", "a", "ünïcode key", "a/nested"] {
        let key = format!("{root}/{name}");
        shelf.put(&key, name.as_bytes(), Expect::Absent, None, NOW).await.expect("nothing is there");
    }
    shelf.put(&format!("{root}x"), b"not one of them", Expect::Absent, None, NOW).await.expect("nothing is there");
    let listed = shelf.list(&format!("{root}/"), NOW).await.expect("the shelf can be read");
    let names: Vec<_> =
        listed.iter().map(|item| item.key.strip_prefix(&format!("{root}/")).expect("it was asked for")).collect();
    assert_eq!(names, ["a", "a/nested", "b", "ünïcode key"]);
    let values: Vec<_> = listed.iter().map(|item| &*item.value).collect();
    assert_eq!(values, [&b"a"[..], b"a/nested", b"b", "ünïcode key".as_bytes()]);
}

pub async fn what_is_too_large_stays_off_the_shelf<S: Shelf>(shelf: &S, names: &Names) {
    let key = names.key("blob");
    let big = vec![0; limits::SHELF_BYTES_MAX + 1];
    let refused = shelf.put(&key, &big, Expect::Any, None, NOW).await;
    assert!(matches!(refused, Err(ShelfError::TooLarge { .. })), "{refused:?}");
    shelf.put(&key, &big[1..], Expect::Any, None, NOW).await.expect("it is just small enough");
    let item = shelf.get(&key, NOW).await.expect("the shelf can be read").expect("it is there");
    assert_eq!(item.value.len(), limits::SHELF_BYTES_MAX);
}
