//! Real agents of other vendors against the real binary: as MCP clients, and with our hooks in their settings.
//!
//! `cargo xtask test` and `cargo xtask agents` fetch them and run this; `cargo test` alone does not, because they are
//! not available for every machine. The name of a test begins with its agent's, so that those of absent
//! agents can be skipped.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

#[path = "../mcp/agent.rs"]
#[allow(dead_code, reason = "the tests of MCP clients use the rest")]
mod agent;
mod codex;
mod codex_hooks;
#[path = "../claude/house.rs"]
#[allow(dead_code, reason = "the tests of the claude door use the rest")]
mod house;
#[path = "../claude/http.rs"]
mod http;
mod model;
mod opencode;
#[path = "../claude/hooks/terminal.rs"]
mod terminal;

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::house::House;

/// Nothing takes this long, not even OpenCode's first start. Beyond: the test fails.
const PATIENCE: Duration = Duration::from_secs(300);
const BREATH: Duration = Duration::from_millis(100);

/// Waits for the only ask that an agent makes once it has started.
#[track_caller]
fn asked(house: &House) -> Value {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(ask) = house.get("/v1/asks?state=open")["items"].as_array().unwrap().first() {
            return ask.clone();
        }
        assert!(Instant::now() < end, "the agent never asked; {}", house.log());
        std::thread::sleep(BREATH);
    }
}
