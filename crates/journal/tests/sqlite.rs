//! The embedded journal passes the suite.

use askbridge_journal::Sqlite;
use askbridge_journal::sqlite::Options;

askbridge_journal::conformance_tests!({
    let dir = tempfile::tempdir().unwrap();
    (Sqlite::open(&Options::new(dir.path(), 7)).unwrap(), dir)
});
