//! Runs without a terminal whose ask is parked: stores what is needed to resume them.

use std::path::PathBuf;
use std::time::Duration;

use askbridge_core::ids::AskId;
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_peers::doors::hook::{HookEvent, kept_flags};
use askbridge_peers::wish::Rejection;
use askbridge_platform::processes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::auth::{ProcessId, command_line};
use crate::runtime::chain;
use crate::server::App;

const PREFIX: &str = "hook/parked/";

/// How long a parked run is remembered. Beyond: it can be resumed by hand only.
const REMEMBERED: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Programs that may run the agent as a script.
const INTERPRETERS: &[&str] = &["node", "bun", "deno"];

/// A run that goes on once its question is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParkedRun {
    /// The ask that it waits for.
    pub ask: String,
    /// What the agent calls the conversation.
    pub conversation: String,
    /// The folder that it runs in.
    pub folder: Option<String>,
    /// The program of the agent; `null`: `claude` on PATH.
    pub program: Option<String>,
    /// The flags that shape how it goes on. Never its prompt.
    pub flags: Vec<String>,
}

/// Stores how a run was started. Returns whether that could be found out.
pub(super) async fn remember_parked(
    app: &App,
    heard: &HookEvent,
    ask: AskId,
    agent: ProcessId,
) -> Result<bool, Rejection> {
    let arguments = command_line(agent.pid);
    if arguments.is_empty() {
        return Ok(false);
    }
    let program = processes::program(agent.pid);
    // The interpreter of a script is not the program that was called; `askbridge resume` finds that by its name.
    let is_script =
        |path: &PathBuf| path.file_name().is_some_and(|name| INTERPRETERS.iter().any(|known| name == *known));
    let program = program.filter(|path| !is_script(path));
    let run = ParkedRun {
        ask: ask.to_string(),
        conversation: heard.conversation.clone(),
        folder: heard.folder.clone(),
        program: program.and_then(|path| path.into_os_string().into_string().ok()),
        flags: kept_flags(&arguments),
    };
    let value = serde_json::to_vec(&run).expect("texts are JSON");
    let until = Some(app.handle.clock.now().plus(REMEMBERED));
    app.handle.shelve(&key(ask), &value, until).await.map(|()| true)
}

pub(super) async fn forget_parked(app: &App, ask: AskId) {
    if let Err(error) = app.handle.store.delete(&key(ask), Expect::Any).await {
        warn!(ask.id = %ask, error = chain(&error), "Could not forget a run that goes on");
    }
}

/// Returns the runs that are parked, each with the ask that it waits for.
pub(crate) async fn parked_runs(app: &App) -> Result<Vec<(AskId, ParkedRun)>, Rejection> {
    let items = app.handle.shelved(PREFIX).await?;
    let runs = items.iter().filter_map(|item| {
        let ask = item.key.strip_prefix(PREFIX)?.parse().ok()?;
        Some((ask, serde_json::from_slice(&item.value).ok()?))
    });
    Ok(runs.collect())
}

fn key(ask: AskId) -> String {
    format!("{PREFIX}{ask}")
}
