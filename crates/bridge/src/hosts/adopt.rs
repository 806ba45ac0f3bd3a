//! Start-up: adopts the agents' processes that an earlier askbridge left, and starts those that sessions wait for.

use std::sync::Arc;

use askbridge_core::ids::SessionId;
use askbridge_core::intent::{Intent, Takeover};
use askbridge_journal::index::{SessionFilter, SessionState};
use tracing::warn;

use super::desk::Inner;
use super::kind::KINDS;
use super::place::{self, Place};
use super::process::Running;
use crate::runtime::chain;

/// Sessions in one page of the query.
const PAGE: usize = 256;

/// Takes over every process that has files in the folder, then starts those that sessions wait for.
pub(super) async fn adopt_all(desk: &Arc<Inner>) {
    let inhabited = match place::inhabited(&desk.options.folder) {
        Ok(inhabited) => inhabited,
        Err(error) => {
            warn!(%error, "Could not look for agents that run");
            Vec::new()
        }
    };
    for session in &inhabited {
        if is_known(desk, *session).await {
            desk.handle.bell.rings_for(*session);
            desk.take_over(*session);
        } else {
            evict(desk, *session).await;
        }
    }
    // Sessions that were forgotten while no askbridge ran to remove their files.
    for session in place::remembered(&desk.options.folder).unwrap_or_default() {
        if !is_known(desk, session).await {
            evict(desk, session).await;
        }
    }
    for session in KINDS.iter().flat_map(|kind| sessions(desk, kind.door())).collect::<Vec<_>>() {
        desk.handle.bell.rings_for(session);
        if !inhabited.contains(&session) {
            release(desk, session).await;
            // We may have been killed between an interruption and its effect.
            desk.interrupt(session).await;
            desk.consider(session).await;
        }
    }
}

async fn is_known(desk: &Inner, session: SessionId) -> bool {
    desk.handle.look(session, |state| state.session.started.is_some()).await.unwrap_or(true)
}

/// Ends the process of a session that the journal does not know: no client could ever talk to it.
async fn evict(desk: &Inner, session: SessionId) {
    let place = Place::new(&desk.options.folder, session);
    if let Some(Ok(Some(running))) = place.process().map(Running::hold) {
        warn!(session.id = %session, "An agent runs for a session that does not exist; it is ended");
        running.end().await;
    }
    if let Err(error) = place.clear_all() {
        warn!(session.id = %session, %error, "Could not clear up after an agent");
    }
}

/// Releases a session whose process is gone although the journal says that it runs: the machine was rebooted.
async fn release(desk: &Inner, session: SessionId) {
    let host = desk.handle.look(session, |state| state.session.host).await;
    let Ok(Some(_)) = host else { return };
    let claim = Intent::Claim { node: desk.handle.node, process: None, takeover: Takeover::HostIsGone };
    let epoch = desk.handle.look(session, |state| askbridge_core::ids::Epoch(state.session.epoch.0 + 1)).await;
    let Ok(epoch) = epoch else { return };
    if let Err(error) = desk.handle.submit(session, vec![claim, Intent::Release { epoch }]).await {
        warn!(session.id = %session, %error, "Could not say that an agent is gone");
    }
}

/// Finds every running session of a door.
fn sessions(desk: &Inner, door: &'static str) -> Vec<SessionId> {
    let filter = SessionFilter { state: Some(SessionState::Running), door: Some(door), ..SessionFilter::default() };
    let index = desk.handle.store().index();
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = match index.sessions(&filter, after, PAGE) {
            Ok(page) => page,
            Err(error) => {
                warn!(error = chain(&error), "Could not look for sessions with agents");
                return found;
            }
        };
        after = page.last().map(askbridge_journal::index::SessionRow::page_key);
        let whole = page.len() == PAGE;
        found.extend(page.into_iter().map(|row| row.id));
        if !whole {
            return found;
        }
    }
}
