//! What a push to a device says, and what its relay answers. When a device is rung is the bridge's business, as for every
//! other channel; the original pushes the end of a turn, and not a question.

use askbridge_core::ask::Ask;
use askbridge_core::ids::{Raw, SessionId};
use askbridge_core::visible::spell_out;
use serde_json::{Value, json};

use super::devices::{self, Device, Push};
use super::tell::{self, Usage};
use super::{NAME, quirks};
use crate::apps::{AppDevice, AppDevices, AppPush, PushAbout, PushFate};
use crate::uuid;

pub const DEVICES: AppDevices = AppDevices {
    dialect: NAME,
    kept: devices::PREFIX,
    kept_before: "pushed/",
    body_max: quirks::PUSH_BODY_CHARS,
    read,
    write,
    became,
};

fn read(thing: &Raw) -> Option<AppDevice> {
    let device: Device = serde_json::from_str(thing.as_str()).ok()?;
    Some(device.as_an_app())
}

fn write(push: &AppPush<'_>) -> Raw {
    let said = |title: &str, body: &str, data| Push {
        title: title.chars().take(quirks::PUSH_TITLE_CHARS).collect(),
        body: body.chars().take(quirks::PUSH_BODY_CHARS).collect(),
        data,
    };
    let push = match push.about {
        PushAbout::Ask { ask, count, is_shown: true } => {
            let title = match count {
                1 => format!("Question from {}", spell_out(&ask.asker.agent, &[])),
                _ => format!("{count} questions wait"),
            };
            said(&title, &spell_out(ask.body.headline(), &['\n', '\t']), Some(question(ask)))
        }
        PushAbout::Ask { ask, .. } => said(push.title, push.body, Some(question(ask))),
        // In the original's words.
        PushAbout::TurnEnded { session, usage } => {
            said("Chat response ready", "The agent has finished its turn", Some(complete(session, usage)))
        }
        PushAbout::Other => said(push.title, push.body, None),
    };
    Raw::from(serde_json::to_string(&push).expect("a push has text keys"))
}

fn question(ask: &Ask) -> Value {
    let mut data = about(ask.id.session, "ask_user_question");
    data["question_id"] = json!(tell::question_id(ask.id));
    data
}

fn complete(session: SessionId, usage: Option<&Raw>) -> Value {
    let Usage { total_cost_usd, duration_ms } = Usage::of(usage);
    let mut data = about(session, "chat_complete");
    data["status"] = json!("success");
    for (name, value) in [("costUsd", total_cost_usd.map(Value::from)), ("durationMs", duration_ms.map(Value::from))] {
        if let Some(value) = value {
            data[name] = value;
        }
    }
    data
}

fn about(session: SessionId, kind: &str) -> Value {
    let id = uuid::of_session(session);
    json!({"type": kind, "session_id": id, "deeplink_url": format!("prime://chat/session/{id}")})
}

/// The relay answers `{"queued":true}`. Only an explicit no counts as a refusal.
pub(super) fn became(status: u16, body: &str) -> PushFate {
    let is_refused = || serde_json::from_str::<Value>(body).is_ok_and(|said| said["queued"] == false);
    match status {
        quirks::DEVICE_GONE => PushFate::Gone,
        200..=299 if is_refused() => PushFate::Failed("the relay did not queue it".to_owned()),
        200..=299 => PushFate::Sent,
        408 | 425 | 429 | 500.. => PushFate::Failed(format!("the relay answered {status}")),
        _ => PushFate::Refused(format!("the relay answered {status}")),
    }
}
