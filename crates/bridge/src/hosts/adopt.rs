//! Start-up: adopts the agents' processes that an earlier askbridge left, and starts those that sessions wait for.

use std::sync::Arc;

use askbridge_core::ids::SessionId;
use askbridge_core::intent::{Intent, Takeover};
use askbridge_journal::index::{SessionFilter, SessionState};
use tracing::warn;

use super::agent_folder::{self, AgentFolder};
use super::kind::KINDS;
use super::pool::HostPool;
use super::process::Running;
use crate::runtime::chain;

/// Sessions in one page of the query.
const PAGE: usize = 256;

/// Takes over every process that has files in the folder, then starts those that sessions wait for.
pub(super) async fn adopt_all(pool: &Arc<HostPool>) {
    let inhabited = match agent_folder::inhabited(&pool.options.folder) {
        Ok(inhabited) => inhabited,
        Err(error) => {
            warn!(%error, "Could not look for agents that run");
            Vec::new()
        }
    };
    for session in &inhabited {
        match home_of(pool, *session).await {
            Home::Here | Home::Unclear => {
                pool.handle.wakeups.include(*session);
                pool.take_over(*session);
            }
            home => evict(pool, *session, home).await,
        }
    }
    // Sessions that were forgotten while no askbridge ran to remove their files.
    for session in agent_folder::remembered(&pool.options.folder).unwrap_or_default() {
        let home = home_of(pool, session).await;
        if matches!(home, Home::None | Home::Elsewhere) {
            evict(pool, session, home).await;
        }
    }
    for session in KINDS.iter().flat_map(|kind| sessions(pool, kind.door())).collect::<Vec<_>>() {
        // Where one node has the journal for itself, every session is its own.
        if !pool.handle.nodes.is_alone() && !matches!(home_of(pool, session).await, Home::Here) {
            continue;
        }
        pool.handle.wakeups.include(session);
        if !inhabited.contains(&session) {
            release(pool, session).await;
            // We may have been killed between an interruption and its effect.
            pool.interrupt(session).await;
            pool.consider(session).await;
        }
    }
}

/// Where the agent of a session belongs.
pub(super) enum Home {
    Here,
    /// Another node runs it: this one was declared gone, or has another node's files.
    Elsewhere,
    /// There is no such session.
    None,
    /// The session could not be read.
    Unclear,
}

async fn home_of(pool: &HostPool, session: SessionId) -> Home {
    let nodes = &pool.handle.nodes;
    let home = pool.handle.look(session, |state| match &state.session.started {
        None => Home::None,
        Some(started) if nodes.is_alone() || nodes.hosts(started) => Home::Here,
        Some(_) => Home::Elsewhere,
    });
    home.await.unwrap_or(Home::Unclear)
}

/// Ends the process of a session that the journal does not know, so that no client could ever talk to it, or that belongs
/// to another node.
pub(super) async fn evict(pool: &HostPool, session: SessionId, home: Home) {
    let agent_folder = AgentFolder::new(&pool.options.folder, session);
    if let Some(Ok(Some(running))) = agent_folder.process().map(Running::hold) {
        match home {
            Home::Elsewhere => {
                warn!(session.id = %session, "An agent runs here for a session of another node; it is ended")
            }
            _ => warn!(session.id = %session, "An agent runs for a session that does not exist; it is ended"),
        }
        running.end().await;
    }
    if let Err(error) = agent_folder.clear_all() {
        warn!(session.id = %session, %error, "Could not clear up after an agent");
    }
}

/// Releases a session whose process is gone although the journal says that it runs: the machine was rebooted.
async fn release(pool: &HostPool, session: SessionId) {
    let host = pool.handle.look(session, |state| state.session.host).await;
    let Ok(Some(_)) = host else { return };
    let claim = Intent::Claim { node: pool.handle.node, process: None, takeover: Takeover::HostIsGone };
    let epoch = pool.handle.look(session, |state| askbridge_core::ids::Epoch(state.session.epoch.0 + 1)).await;
    let Ok(epoch) = epoch else { return };
    if let Err(error) = pool.handle.submit(session, vec![claim, Intent::Release { epoch }]).await {
        warn!(session.id = %session, %error, "Could not say that an agent is gone");
    }
}

/// Finds every running session of a door.
fn sessions(pool: &HostPool, door: &'static str) -> Vec<SessionId> {
    let filter = SessionFilter { state: Some(SessionState::Running), door: Some(door), ..SessionFilter::default() };
    let index = pool.handle.store().index();
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
