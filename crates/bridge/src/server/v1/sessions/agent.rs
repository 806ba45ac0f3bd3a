//! What starting a session takes for an agent that we run.

use askbridge_core::event::Settings;
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::{OtherTools, Warm};
use askbridge_peers::json::Hosting;
use askbridge_peers::wish::Rejection;
use serde_json::Value;
use std::time::Duration;

use crate::auth::Caller;
use crate::hosts::{Held, Launch};
use crate::server::app::App;
use crate::server::hosting::prepare;

/// Checks everything that can be checked before there is a session, and adds it to its settings.
pub(super) async fn host(
    app: &App,
    caller: &Caller,
    door: &str,
    hosting: Hosting,
    settings: &mut Settings,
) -> Result<(), Rejection> {
    let bad = |why: String| Rejection::Refused(Refusal::BadRequest(why));
    let hold_max = hosting.hold_max_seconds.as_ref().map(|value| {
        let held = off_or_seconds(value).ok_or_else(|| bad("`hold_max_seconds` is a number, or \"off\"".to_owned()));
        held.map(|span| span.map_or(Held::Off, |span| Held::Seconds(span.as_secs_f64())))
    });
    let launch = Launch {
        system_prompt: hosting.system_prompt,
        append_system_prompt: hosting.append_system_prompt,
        allowed_tools: hosting.allowed_tools.unwrap_or_default(),
        disallowed_tools: hosting.disallowed_tools.unwrap_or_default(),
        mcp_servers: hosting.mcp_servers.unwrap_or_default(),
        setting_sources: hosting.setting_sources,
        max_turns: hosting.max_turns,
        interactive: hosting.interactive,
        answers_beside: None,
        one_message_a_turn: None,
        always_ask: hosting.always_ask.unwrap_or_default(),
        hold_max: hold_max.transpose()?,
        conversation: None,
    };
    settings.more = Some(launch.kept());
    settings.model = hosting.model;
    settings.mode = hosting.permission_mode;
    settings.wishes.warm = match hosting.warm_seconds {
        None => None,
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
    prepare(app, caller, door, settings).await
}

/// Reads a number of seconds, or `off`. The outer `None`: it is neither.
fn off_or_seconds(value: &Value) -> Option<Option<Duration>> {
    match value {
        Value::String(word) if word == "off" => Some(None),
        Value::Number(seconds) => Duration::try_from_secs_f64(seconds.as_f64()?).ok().map(Some),
        _ => None,
    }
}
