//! The settings of a session that its page starts.

use askbridge_core::event::Settings;
use askbridge_core::ids::Raw;
use serde_json::{Value, json};

use super::{bodies, models, quirks, wishes};
use crate::json::{UNATTENDED_FIELD, UnattendedWord};
use crate::listing::usual_hosted_door;
use crate::uuid;
use crate::wish::Wish;

pub(super) fn start(folder: &str, body: &bodies::Session, bits: u128) -> Wish {
    let mut more = json!({"allowed_tools": quirks::ALLOWED_TOOLS, "setting_sources": ["project"]});
    // A scheduled run, which no person attends: its questions are offered, and settled by label without a person.
    if !body.is_interactive {
        more[UNATTENDED_FIELD] = Value::from(UnattendedWord::Answer.name());
    }
    let settings = Settings {
        title: body.name.clone(),
        folder: Some(folder.to_owned()),
        model: models::chosen(body.model.as_deref()),
        mode: Some("acceptEdits".to_owned()),
        wishes: wishes(),
        more: Some(Raw::from(more.to_string())),
        ..Settings::default()
    };
    let (session, door) = (Some(uuid::fresh_session(bits)), usual_hosted_door());
    Wish::Start { session, door, agent: Some(door.to_owned()), settings: Box::new(settings), host: None }
}
