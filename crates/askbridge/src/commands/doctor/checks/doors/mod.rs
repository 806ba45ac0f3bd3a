//! Tests every entry in other programs' settings that calls us: asks a test through that door, and answers it.
//!
//! `examiner.rs` is the person's side of a test, `stand_in.rs` the agent's; `hook.rs`, `http.rs` and `mcp.rs` know how
//! to talk to a door and what its answer looks like.

mod examiner;
mod hook;
mod http;
mod mcp;
mod stand_in;

pub(super) use hook::look as hooks;
pub(super) use mcp::look as servers;
