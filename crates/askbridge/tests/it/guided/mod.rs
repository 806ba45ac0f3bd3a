//! The guides followed as they stand: what a page tells its reader to type is taken from the page, and run.
//!
//! `every_page.rs` lists every block of every page with the test that runs it, and fails if a block is missing there.

mod away;
mod connect;
mod container;
mod every_page;
mod gobby;
mod https;
mod page;
mod reader;
mod service;
mod steps;
mod tailnet;
mod typed;
