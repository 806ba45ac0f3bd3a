//! Starts a conversation: when the app's button asks for a new one, or when a message names one that does not exist.

use askbridge_core::event::Settings;
use askbridge_core::ids::{Raw, SessionId};
use serde_json::json;

use super::wishes;
use crate::listing::usual_hosted_door;
use crate::wish::Wish;

/// The wish for a session of the agent that we usually run. Its process starts with the first message.
pub(super) fn start(session: SessionId, title: Option<String>) -> Wish {
    let more = json!({"setting_sources": ["project"], "max_turns": 1000, "answers_beside": true});
    let settings = Settings {
        title,
        mode: Some("acceptEdits".to_owned()),
        wishes: wishes(),
        more: Some(Raw::from(more.to_string())),
        ..Settings::default()
    };
    let door = usual_hosted_door();
    Wish::Start { session: Some(session), door, agent: Some(door.to_owned()), settings: Box::new(settings), host: None }
}
