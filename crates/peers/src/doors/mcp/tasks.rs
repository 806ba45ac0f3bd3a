//! The tasks extension of 2026-07-28: the client polls a handle, and no call is held open. The handle is the ticket.

use askbridge_core::view::{AskView, State};
use serde_json::{Value, json};

use super::era::TASKS;
use super::outcome::settled;
use super::peer::McpRequest;
use super::rpc::{Fault, INVALID_PARAMS, MISSING_CAPABILITY, Request};
use crate::ask_tool;
use crate::json::Rfc3339;

/// How often a client should poll.
const POLL_MS: u64 = 5_000;

pub(super) fn wanted(asked: &Request) -> Result<McpRequest, Fault> {
    let id = asked.params["taskId"].as_str().unwrap_or_default();
    let ask = id.parse().map_err(|_| Fault::new(INVALID_PARAMS, format!("there is no task `{id}`")))?;
    Ok(match asked.method.as_str() {
        "tasks/cancel" => McpRequest::TaskCancel(ask),
        "tasks/update" => McpRequest::TaskUpdate(ask),
        _ => McpRequest::TaskGet(ask),
    })
}

pub(super) fn not_declared() -> Fault {
    let data = json!({"requiredCapabilities": {"extensions": {TASKS: {}}}});
    Fault { data, ..Fault::new(MISSING_CAPABILITY, format!("declare the extension `{TASKS}` to use tasks")) }
}

/// A handle, instead of a result.
pub(super) fn created(view: &AskView) -> Value {
    let mut task = task(view, "working");
    task["resultType"] = json!("task");
    task
}

/// A task's current state.
pub(super) fn state(view: &AskView) -> Value {
    match view.state {
        State::Open | State::Proposed => task(view, "working"),
        State::Withdrawn => task(view, "cancelled"),
        _ => {
            let mut task = task(view, "completed");
            task["result"] = ask_tool::said(&settled(view), false);
            task
        }
    }
}

fn task(view: &AskView, status: &str) -> Value {
    json!({
        "taskId": view.ask.id.to_string(),
        "status": status,
        "statusMessage": match status {
            "working" => "Waiting for a person to answer",
            "cancelled" => "The question was taken back",
            _ => "Decided",
        },
        "createdAt": Rfc3339(view.ask.at).to_string(),
        "lastUpdatedAt": Rfc3339(view.settled_at.unwrap_or(view.ask.at)).to_string(),
        "ttlMs": null,
        "pollIntervalMs": POLL_MS,
    })
}
