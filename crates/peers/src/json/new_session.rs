//! What starts a session and what changes one: the same over HTTP and over the WebSocket.

use askbridge_core::limits;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A session to be started. Everything may be left out.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct NewSession {
    /// `claude`: one that we run. Anything else names a program that asks by itself, for people to read. Without it: the
    /// token's name.
    pub agent: Option<String>,
    pub title: Option<String>,
    /// The folder in which it works.
    pub folder: Option<String>,
    /// Another name for `folder`.
    pub cwd: Option<String>,
    pub branch: Option<String>,
    #[schemars(range(min = 0, max = limits::WAIT_MAX.as_secs()))]
    /// How long asks of this session wait, unless they say otherwise. Missing: for ever.
    pub timeout_seconds: Option<f64>,
    #[schemars(range(min = 0, max = limits::UNDO_MAX.as_secs()))]
    /// How long an answer can be taken back before it counts.
    pub undo_seconds: Option<f64>,
    /// What a message does while an ask is open: `hold`, `cancel_turn`, `refuse` or `pass_on`.
    #[schemars(with = "Option<Messages>")]
    pub messages: Option<String>,
    /// May several asks be open at once?
    pub parallel: Option<bool>,
    #[serde(flatten)]
    pub hosting: Hosting,
}

/// What an agent that we run takes: each reaches its command line, or its terms.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct Hosting {
    pub model: Option<String>,
    pub permission_mode: Option<String>,
    pub system_prompt: Option<String>,
    pub append_system_prompt: Option<String>,
    pub allowed_tools: Option<Vec<String>>,
    pub disallowed_tools: Option<Vec<String>>,
    pub mcp_servers: Option<Map<String, Value>>,
    pub setting_sources: Option<Vec<String>>,
    pub max_turns: Option<u32>,
    pub interactive: Option<bool>,
    /// Tools that always go to a person, whatever the mode allows: `Bash`, `mcp__github__*`, `Bash(*git push*)`. Beside
    /// those that the server names.
    pub always_ask: Option<Vec<String>>,
    /// How long the process is kept for an open question. `0`: not at all; `"off"`: as long as it takes.
    pub warm_seconds: Option<Value>,
    /// How long the process is kept for an open permission, then it is denied in words. `"off"`: as long as it takes.
    pub hold_max_seconds: Option<Value>,
    /// What happens when another tool needs a permission: `ask` (the default) or `allow`.
    pub other_tools: Option<String>,
}

/// What can be changed about a session while it goes on. What is left out stays as it is.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct SessionChanges {
    pub title: Option<String>,
    pub branch: Option<String>,
    pub model: Option<String>,
    pub permission_mode: Option<String>,
}

/// What a message does while an ask is open.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "a shape, never a value")]
enum Messages {
    Hold,
    CancelTurn,
    Refuse,
    PassOn,
}
