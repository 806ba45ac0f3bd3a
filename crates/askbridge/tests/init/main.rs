//! `askbridge init` and `askbridge uninstall`, on realistic homes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod at_once;
mod claude;
mod home;
mod programs;
mod words;
