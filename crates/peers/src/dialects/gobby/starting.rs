//! Starts conversations: by a request, or by the first message of a page that made up a name.

use askbridge_core::event::Settings;
use askbridge_core::ids::{Raw, SessionId};
use serde_json::json;

use super::{NAME, modes, quirks, wishes};
use crate::listing::usual_hosted_door;
use crate::wish::Wish;

/// What a page may set when it begins a conversation.
#[derive(Default)]
pub(super) struct Beginning<'a> {
    pub(super) title: Option<&'a str>,
    pub(super) folder: Option<String>,
    pub(super) model: Option<&'a str>,
    pub(super) mode: Option<&'a str>,
}

/// The wish that starts the session of a conversation.
pub(super) fn start(session: SessionId, beginning: &Beginning<'_>) -> Wish {
    let held = quirks::APPROVAL_WAIT.as_secs_f64();
    let more = json!({"setting_sources": ["project"], "hold_max": {"seconds": held}, "page": NAME});
    let text = |value: Option<&str>| value.filter(|value| !value.trim().is_empty()).map(str::to_owned);
    let mut settings = Settings {
        title: text(beginning.title),
        folder: beginning.folder.clone(),
        model: text(beginning.model),
        wishes: wishes(),
        // gobby's daemon has its own hooks and leaves out those of the project.
        more: Some(Raw::from(more.to_string())),
        ..Settings::default()
    };
    if beginning.mode.and_then(|mode| modes::set(mode, &mut settings)).is_none() {
        modes::set("normal", &mut settings);
    }
    let door = usual_hosted_door();
    Wish::Start { session: Some(session), door, agent: Some(door.to_owned()), settings: Box::new(settings), host: None }
}
