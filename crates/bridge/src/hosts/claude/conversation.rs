//! Claude Code's name for a session's conversation, kept when the session continues as another one.

use askbridge_core::event::Settings;
use askbridge_core::ids::SessionId;
use askbridge_core::intent::Intent;
use askbridge_peers::doors::claude::{Carry, session_uuid};
use askbridge_peers::wish::Rejection;

use super::argv::Launch;
use crate::hosts::agent_folder::AgentFolder;
use crate::hosts::pool::HostPool;

/// How many earlier sessions are followed to find the first of a conversation. Beyond: the last one found counts.
const LINKS_MAX: usize = 1000;

/// Returns the name: the first session's id, in the form of a UUID.
pub(super) async fn name(pool: &HostPool, session: SessionId) -> Result<String, Rejection> {
    let mut first = session;
    for _ in 0..LINKS_MAX {
        let known = pool.handle.look(first, |state| {
            let continues = state.session.started.as_ref().and_then(|started| started.continues);
            (Launch::of(&state.session.settings).conversation, continues)
        });
        match known.await? {
            (Some(name), _) => return Ok(name),
            (None, Some(earlier)) => first = earlier,
            (None, None) => break,
        }
    }
    Ok(session_uuid(first))
}

/// Stores the name with a session that continues another: the earlier ones may be forgotten.
pub(super) async fn keep(
    pool: &HostPool,
    session: SessionId,
    name: &str,
    settings: &Settings,
) -> Result<Vec<String>, Rejection> {
    let continues = pool.handle.look(session, |state| state.session.started.as_ref()?.continues).await?;
    let launch = Launch::of(settings);
    let Some(earlier) = continues.filter(|_| launch.conversation.is_none()) else { return Ok(Vec::new()) };
    let more = Launch { conversation: Some(name.to_owned()), ..launch }.kept();
    let settings = Settings { more: Some(more), ..Settings::default() };
    pool.handle.submit(session, vec![Intent::Configure(Box::new(settings))]).await?;
    // Words that a stop has swallowed belong to the conversation, not to the session.
    let agent_folder = AgentFolder::new(&pool.options.folder, earlier);
    let words = agent_folder.rest::<Carry>().map(|rest| rest.carry.words).unwrap_or_default();
    if agent_folder.process().is_none() {
        let _ = agent_folder.clear_all();
    }
    Ok(words)
}
