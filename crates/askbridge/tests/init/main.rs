//! `askbridge init` and `askbridge uninstall`, on homes as people have them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod at_once;
mod claude;
mod home;
mod programs;
mod words;
