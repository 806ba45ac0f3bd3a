//! Which session a conversation in a terminal is.

use askbridge_core::event::Settings;
use askbridge_core::ids::{PartyId, SessionId};
use askbridge_core::session::{End, Session};
use askbridge_peers::doors::hook::{Around, Heard, NAME};
use askbridge_peers::wish::{Rejection, Wish};
use sha2::{Digest, Sha256};

use crate::auth::Caller;
use crate::runtime::Handle;

/// How often a conversation may be ended and taken up again. Beyond: nothing is asked for it.
const LIVES_MAX: u32 = 1000;

/// The session in which a conversation goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Current {
    pub(super) id: SessionId,
    pub(super) exists: bool,
}

/// Finds the session of a conversation. One that was ended and is taken up again is another session.
pub(super) async fn current(handle: &Handle, party: &PartyId, heard: &Heard) -> Result<Current, Rejection> {
    for life in 0..LIVES_MAX {
        let id = handle.newest(derived(party, &heard.conversation, life)).await?.session;
        let (exists, is_over) =
            handle.look(id, |state| (state.session.started.is_some(), is_over(&state.session))).await?;
        if !is_over {
            return Ok(Current { id, exists });
        }
    }
    Err(Rejection::Down("this conversation was taken up too many times".to_owned()))
}

fn is_over(session: &Session) -> bool {
    matches!(session.end, Some(End::Closed { .. }))
}

/// Finds the session, and makes it if there is none.
pub(super) async fn started(
    handle: &Handle,
    caller: &Caller,
    heard: &Heard,
    around: &Around,
) -> Result<SessionId, Rejection> {
    let Current { id, exists } = current(handle, &caller.party, heard).await?;
    let settings = Settings {
        title: around.title.clone(),
        folder: heard.folder.clone(),
        branch: around.branch.clone(),
        mode: heard.mode.clone(),
        ..Settings::default()
    };
    if !exists {
        let agent = heard.agent.name().to_owned();
        let wish = Wish::Start { session: Some(id), door: NAME, agent, settings: Box::new(settings) };
        handle.grant(caller, NAME, wish).await?;
        return Ok(id);
    }
    let known = handle.look(id, |state| state.session.settings.clone()).await?;
    let mut wanted = (*known).clone();
    wanted.merge(&settings);
    if wanted != *known {
        handle.grant(caller, NAME, Wish::Configure { session: id, settings: Box::new(settings) }).await?;
    }
    Ok(id)
}

/// The same from the same conversation, also after a restart.
fn derived(party: &PartyId, conversation: &str, life: u32) -> SessionId {
    let mut hasher = Sha256::new();
    for part in [NAME, party.as_str(), conversation] {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part);
    }
    hasher.update(life.to_le_bytes());
    let digest: [u8; 32] = hasher.finalize().into();
    SessionId(u128::from_le_bytes(digest[..16].try_into().expect("a digest is longer than an id")))
}
