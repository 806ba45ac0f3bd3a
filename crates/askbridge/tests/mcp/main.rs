//! MCP clients against the real binary: the official Python package of both generations, Claude Code, and bare pipes.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

mod absent;
mod agent;
mod asking;
mod away;
mod claude;
mod deciding;
mod dialogs;
#[path = "../claude/house.rs"]
#[allow(dead_code, reason = "the tests of the claude door use the rest")]
mod house;
#[path = "../claude/http.rs"]
mod http;
mod leaving;
mod pipe;
mod restart;
mod wire;
