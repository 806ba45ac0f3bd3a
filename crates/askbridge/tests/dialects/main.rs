//! Clients of other systems against the real binary: written in Node, without any of our code, behaving like their
//! originals. The agent is the double of Claude Code, or the real one where the double is not enough.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

mod ccc;
mod gobby;
#[path = "../claude/house.rs"]
#[allow(dead_code, reason = "the tests of the claude door use the rest")]
mod house;
#[path = "../claude/http.rs"]
mod http;
mod node;
mod page;
mod prime;
mod scripts;
mod seline;
mod table;
mod way_in;
mod whimmy;
