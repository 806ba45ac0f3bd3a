//! What `POST /v1/sessions` takes for an agent that we run.

use askbridge_core::event::Settings;
use askbridge_core::terms::{OtherTools, Warm};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::time::Duration;

use crate::auth::Caller;
use crate::hosts::Launch;
use crate::server::app::App;
use crate::server::hosting;
use crate::server::problem::Trouble;

/// Each of these reaches the agent's command line, or its terms.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Hosting {
    model: Option<String>,
    permission_mode: Option<String>,
    system_prompt: Option<String>,
    append_system_prompt: Option<String>,
    allowed_tools: Option<Vec<String>>,
    disallowed_tools: Option<Vec<String>>,
    mcp_servers: Option<Map<String, Value>>,
    setting_sources: Option<Vec<String>>,
    max_turns: Option<u32>,
    interactive: Option<bool>,
    /// How long the process is kept for an open question. `0`: not at all; `"off"`: as long as it takes.
    warm_seconds: Option<Value>,
    /// What happens when another tool needs a permission: `ask` (the default) or `allow`.
    other_tools: Option<String>,
}

/// Checks everything that can be checked before there is a session, and adds it to its settings.
pub(super) async fn host(app: &App, caller: &Caller, hosting: Hosting, settings: &mut Settings) -> Result<(), Trouble> {
    let bad = |why: String| Trouble::new(422, "bad_request", why);
    let launch = Launch {
        system_prompt: hosting.system_prompt,
        append_system_prompt: hosting.append_system_prompt,
        allowed_tools: hosting.allowed_tools.unwrap_or_default(),
        disallowed_tools: hosting.disallowed_tools.unwrap_or_default(),
        mcp_servers: hosting.mcp_servers.unwrap_or_default(),
        setting_sources: hosting.setting_sources,
        max_turns: hosting.max_turns,
        interactive: hosting.interactive,
    };
    settings.more = Some(launch.kept());
    settings.model = hosting.model;
    settings.mode = hosting.permission_mode;
    settings.wishes.warm = match hosting.warm_seconds {
        None => None,
        Some(value) => Some(warm(&value).ok_or_else(|| bad("`warm_seconds` is a number, or \"off\"".to_owned()))?),
    };
    settings.wishes.other_tools = match hosting.other_tools.as_deref() {
        None => None,
        Some("ask") => Some(OtherTools::Ask),
        Some("allow") => Some(OtherTools::Allow),
        Some(_) => return Err(bad("`other_tools` is ask or allow".to_owned())),
    };
    hosting::prepare(app, caller, settings).await
}

fn warm(value: &Value) -> Option<Warm> {
    match value {
        Value::String(word) if word == "off" => Some(Warm::Hold),
        Value::Number(seconds) => Duration::try_from_secs_f64(seconds.as_f64()?).ok().map(Warm::For),
        _ => None,
    }
}
