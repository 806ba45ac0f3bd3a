//! The settings of a session are changed.

use crate::event::{Event, Settings};
use crate::refusal::Refusal;
use crate::session::Session;

pub(super) fn configure(session: &Session, settings: Settings) -> Result<Vec<Event>, Refusal> {
    let mut merged = (*session.settings).clone();
    merged.merge(&settings);
    if merged == *session.settings {
        return Ok(Vec::new());
    }
    Ok(vec![Event::Configured(Box::new(settings))])
}
