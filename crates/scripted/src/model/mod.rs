//! A model that says what a script says, behind the Messages API that Claude Code speaks.
//!
//! ```
//! use askbridge_scripted::model::{Model, Script, ask, on_result, on_user, text};
//!
//! let script = Script::new()
//!     .turn(on_user("hi"), [text("Let me ask."), ask("toolu_1", "Which?", ["A", "B"])])
//!     .turn(on_result("toolu_1"), [text("done")]);
//! let model = Model::start(script);
//! // Run an agent with ANTHROPIC_BASE_URL = model.url(), then look at what its model would have read:
//! assert_eq!(model.tool_result("toolu_1"), None);
//! ```
//!
//! A script is data: the same one drives [`Model`] over HTTP, the program `fake-model`, and `fake-claude` without any
//! server. [`reply`] is what can be said, [`script`] when it is said, [`request`] what was read; `server` and `http`
//! carry it, [`stream`] cuts it into events. Plain threads on loopback, no runtime, so any test can use it.

mod http;
pub mod reply;
pub mod request;
pub mod script;
mod server;
pub mod stream;

pub use reply::{
    Piece, Reply, ask, ask_with, broken_off, chunked, fail, gate, halting, overloaded, rate_limited, text, thinking,
    tool,
};
pub use request::{ModelRequest, ToolResult};
pub use script::{Script, When, all, anything, in_subagent, not, on_any_result, on_result, on_turn, on_user};
pub use server::Model;
