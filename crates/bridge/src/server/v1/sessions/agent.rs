//! What starting a session takes for an agent that we run.

use askbridge_core::event::Settings;
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::{OtherTools, Warm};
use askbridge_peers::json::Hosting;
use askbridge_peers::wish::Rejection;
use serde_json::Value;
use std::time::Duration;

use crate::auth::{Action, Caller};
use crate::hosts::{Held, Launch};
use crate::server::app::App;

/// Checks everything that can be checked before there is a session, and adds it to its settings.
pub(super) async fn host(
    app: &App,
    caller: &Caller,
    hosting: Hosting,
    settings: &mut Settings,
) -> Result<(), Rejection> {
    caller.may(Action::RunAgent, None)?;
    let bad = |why: String| Rejection::Refused(Refusal::BadRequest(why));
    let hosts = app.hosts().ok_or_else(|| bad("this askbridge runs no agents".to_owned()))?;
    let folder = settings.folder.as_deref().ok_or_else(|| bad("say in `cwd` in which folder it works".to_owned()))?;
    let folder = hosts.options().allow(folder).map_err(|error| bad(error.to_string()))?;
    settings.folder = Some(folder.display().to_string());
    let hold_max = hosting.hold_max_seconds.as_ref().map(|value| {
        let held = off_or_seconds(value).ok_or_else(|| bad("`hold_max_seconds` is a number, or \"off\"".to_owned()));
        held.map(|span| span.map_or(Held::Off, |span| Held::Seconds(span.as_secs_f64())))
    });
    // What the operator names cannot be taken away by whoever starts a session.
    let mut always_ask = hosts.options().always_ask.clone();
    always_ask.extend(hosting.always_ask.unwrap_or_default());
    let launch = Launch {
        system_prompt: hosting.system_prompt,
        append_system_prompt: hosting.append_system_prompt,
        allowed_tools: hosting.allowed_tools.unwrap_or_default(),
        disallowed_tools: hosting.disallowed_tools.unwrap_or_default(),
        mcp_servers: hosting.mcp_servers.unwrap_or_default(),
        setting_sources: hosting.setting_sources,
        max_turns: hosting.max_turns,
        interactive: hosting.interactive,
        always_ask,
        hold_max: hold_max.transpose()?,
        conversation: None,
    };
    let mode = hosting.permission_mode;
    launch.check(mode.as_deref(), hosts.is_root_without_a_sandbox()).map_err(|error| bad(error.to_string()))?;
    hosts.check_claude().await.map_err(|error| Rejection::NoClaude(error.to_string()))?;
    settings.more = Some(launch.kept());
    settings.model = hosting.model;
    settings.mode = mode;
    settings.wishes.warm = match hosting.warm_seconds {
        None => hosts.options().warm,
        Some(value) => {
            let span =
                off_or_seconds(&value).ok_or_else(|| bad("`warm_seconds` is a number, or \"off\"".to_owned()))?;
            Some(span.map_or(Warm::Hold, Warm::For))
        }
    };
    settings.wishes.other_tools = match hosting.other_tools.as_deref() {
        None => None,
        Some("ask") => Some(OtherTools::Ask),
        Some("allow") => Some(OtherTools::Allow),
        Some(_) => return Err(bad("`other_tools` is ask or allow".to_owned())),
    };
    Ok(())
}

/// Reads a number of seconds, or `off`. The outer `None`: it is neither.
fn off_or_seconds(value: &Value) -> Option<Option<Duration>> {
    match value {
        Value::String(word) if word == "off" => Some(None),
        Value::Number(seconds) => Duration::try_from_secs_f64(seconds.as_f64()?).ok().map(Some),
        _ => None,
    }
}
