//! Requests that need no session (handshake, list of tools, unknown methods), answered by the server or by `askbridge mcp`.

use serde_json::{Value, json};

use super::client_session::Client;
use super::era::{Era, SERVER, TASKS, agreed, complete, supported};
use super::rpc::{Fault, METHOD_NOT_FOUND, Request};
use super::tools;

/// How long a client may cache the list of tools. It changes only with a release.
const KEPT_MS: u64 = 60 * 60 * 1000;

/// Answers a request that needs no session. `None`: it is a tool call, or about a task.
pub(super) fn at_once(request: &Request, era: Era, client: &Client) -> Option<Result<Value, Fault>> {
    let result = match (request.method.as_str(), era) {
        ("tools/call", _) | ("tasks/get" | "tasks/update" | "tasks/cancel", Era::Modern) => return None,
        ("initialize", _) => json!({
            "protocolVersion": agreed(request.params["protocolVersion"].as_str()),
            "capabilities": {"tools": {}},
            "serverInfo": server(),
            "instructions": tools::INSTRUCTIONS,
        }),
        // Newer revisions leave a server no way to open a dialog during a call. After this error Claude Code begins
        // with `initialize`.
        ("server/discover", _) if client.is_claude_code() => return Some(Err(unknown("server/discover"))),
        ("server/discover", _) => json!({
            "supportedVersions": supported(),
            "capabilities": {"tools": {}, "extensions": {TASKS: {}}},
            "instructions": tools::INSTRUCTIONS,
            "ttlMs": KEPT_MS,
            "cacheScope": "private",
            "_meta": {SERVER: server()},
        }),
        ("ping", Era::Handshake) => json!({}),
        ("tools/list", Era::Handshake) => json!({"tools": tools::list(client)}),
        ("tools/list", Era::Modern) => {
            json!({"tools": tools::list(client), "ttlMs": KEPT_MS, "cacheScope": "private"})
        }
        (method, _) => {
            return Some(Err(unknown(method)));
        }
    };
    let era = if request.method == "server/discover" { Era::Modern } else { era };
    Some(Ok(complete(era, result)))
}

fn unknown(method: &str) -> Fault {
    Fault::new(METHOD_NOT_FOUND, format!("askbridge has tools, and no `{method}`"))
}

fn server() -> Value {
    json!({"name": "askbridge", "title": "askbridge", "version": env!("CARGO_PKG_VERSION")})
}
