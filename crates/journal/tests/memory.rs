//! The journal in memory passes the suite.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use askbridge_journal::Memory;

askbridge_journal::conformance_tests!((Memory::new(7).unwrap(), ()));
