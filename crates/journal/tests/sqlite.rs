//! The embedded journal passes the suite.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use askbridge_journal::Sqlite;
use askbridge_journal::sqlite::Options;

askbridge_journal::conformance_tests!({
    let dir = tempfile::tempdir().unwrap();
    (Sqlite::open(&Options::new(dir.path(), 7)).unwrap(), dir)
});
