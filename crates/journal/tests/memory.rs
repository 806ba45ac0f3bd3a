//! The journal in memory passes the suite.

use askbridge_journal::Memory;

askbridge_journal::conformance_tests!((Memory::new(7).unwrap(), ()));
