//! Declares a node gone: its sessions are claimed and released, their open asks stranded, its record is replaced.
//!
//! The order matters. First it is on the shelf that the node is gone, then its sessions are claimed. A node reads the
//! session, then the shelf, then claims, so whatever it does, no claim of its own comes after ours. See
//! `hosts/start.rs`.

use std::path::Path;

use askbridge_core::Session;
use askbridge_core::ids::{Epoch, SessionId, StableNodeId, Timestamp};
use askbridge_core::intent::{Intent, Takeover};
use askbridge_core::refusal::Refusal;
use askbridge_journal::index::{SessionFilter, SessionRow, SessionState};
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use askbridge_peers::listing::hosted_doors;
use askbridge_peers::wish::Rejection;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use tracing::{error, info, warn};

use super::nodes::{NodeState, Nodes};
use super::record::{NodeRecord, gone_key, key_of};
use crate::chance::Chance;
use crate::node_id::{NodeIdError, replace_node_id};
use crate::runtime::{Handle, Store, down};

/// Sessions in one page of the query.
const PAGE: usize = 256;
/// Sessions that are claimed at the same time.
const AT_ONCE: usize = 32;

/// A node that was declared gone, as it is kept on the shelf.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct GoneRecord {
    /// What it said last about itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) record: Option<NodeRecord>,
    /// When it was declared gone, in milliseconds since 1970, and by whom.
    pub(super) at: i64,
    pub(super) by: String,
}

/// What became of the node's sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ForgottenNode {
    pub(crate) sessions: u64,
    /// Asks that were open, or whose answer had not reached the agent.
    pub(crate) asks: u64,
}

/// Why a node is not declared gone.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ForgetNodeError {
    #[error("there is no node {0}")]
    Unknown(StableNodeId),
    #[error("node {0} is this one; ask another node to forget it")]
    Here(StableNodeId),
    #[error("node {0} is up: stop it first, or say `even_if_up`")]
    Up(StableNodeId),
    #[error(transparent)]
    Rejected(#[from] Rejection),
}

/// Declares a node gone. Repeating it finishes what was begun before.
pub(crate) async fn forget_node(
    handle: &Handle,
    node: StableNodeId,
    by: &str,
    even_if_up: bool,
) -> Result<ForgottenNode, ForgetNodeError> {
    if node == handle.nodes.here() {
        return Err(ForgetNodeError::Here(node));
    }
    let now = handle.now();
    let known = handle.store.get(&key_of(node), now).await.map_err(down)?;
    let gone = handle.store.get(&gone_key(node), now).await.map_err(down)?;
    if known.is_none() && gone.is_none() {
        return Err(ForgetNodeError::Unknown(node));
    }
    let is_up = handle.nodes.get(node).is_some_and(|view| view.state == NodeState::Up);
    if is_up && !even_if_up && gone.is_none() {
        return Err(ForgetNodeError::Up(node));
    }
    if gone.is_none() {
        let record = known.and_then(|item| serde_json::from_slice(&item.value).ok());
        let record = GoneRecord { record, at: now.0, by: by.to_owned() };
        let value = serde_json::to_vec(&record).expect("a record has text keys");
        handle.store.put(&gone_key(node), &value, Expect::Any, None, now).await.map_err(down)?;
    }
    handle.store.delete(&key_of(node), Expect::Any).await.map_err(down)?;
    handle.nodes.drop_node(node);
    let forgotten = release_all(handle, node).await?;
    info!(node.id = %node, sessions = forgotten.sessions, asks = forgotten.asks, "Node {node} was declared gone");
    Ok(forgotten)
}

/// Claims and releases every session of a node.
async fn release_all(handle: &Handle, node: StableNodeId) -> Result<ForgottenNode, Rejection> {
    let mut sum = ForgottenNode::default();
    for door in hosted_doors() {
        let mut after = None;
        loop {
            let filter =
                SessionFilter { state: Some(SessionState::Running), door: Some(door), ..SessionFilter::default() };
            let page = handle.look_up(move |index| index.sessions(&filter, after, PAGE)).await?;
            after = page.last().map(SessionRow::page_key);
            let releases: Vec<_> = page.iter().map(|row| release(handle, row.id, node)).collect();
            let released: Vec<_> = stream::iter(releases).buffer_unordered(AT_ONCE).try_collect().await?;
            for asks in released.into_iter().flatten() {
                sum.sessions += 1;
                sum.asks += asks;
            }
            if page.len() < PAGE {
                break;
            }
        }
    }
    Ok(sum)
}

/// Claims and releases one session, if it is of that node. Returns how many asks are stranded by that.
async fn release(handle: &Handle, session: SessionId, node: StableNodeId) -> Result<Option<u64>, Rejection> {
    let mut asks = 0;
    let make = |state: &Session, _| {
        let intents = intents(state, &handle.nodes, node)?;
        asks = intents.len() as u64 - 2;
        Some(intents)
    };
    match handle.submit_made(session, make, |_| {}).await {
        Ok(Some(_)) => Ok(Some(asks)),
        Ok(None) => Ok(None),
        // It ended in the meantime, so its asks were withdrawn, and nothing new begins in it.
        Err(Rejection::Refused(Refusal::SessionClosed(_) | Refusal::MovedOn { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A claim, what strands every ask whose answer the agent does not have, and a release.
fn intents(state: &Session, nodes: &Nodes, node: StableNodeId) -> Option<Vec<Intent>> {
    let started = state.started.as_ref()?;
    if nodes.host_of(started) != Some(node) {
        return None;
    }
    let claim = Intent::Claim { node: nodes.run(), process: None, takeover: Takeover::HostIsGone };
    let unfinished = state.asks.values().filter(|live| live.is_unfinished() && !live.stranded);
    let strand = unfinished.map(|live| Intent::Strand { ask: live.ask.id });
    let release = Intent::Release { epoch: Epoch(state.epoch.0 + 1) };
    Some([claim].into_iter().chain(strand).chain([release]).collect())
}

/// A node that runs and was declared gone takes back its record, which a renewal may have written again.
pub(super) async fn leave_if_gone(handle: &Handle) -> Result<(), ShelfError> {
    if handle.is_declared_gone().await? {
        error!(
            node.id = %handle.nodes.here(),
            "This node was declared gone: it runs no agents any more; restart it, and it joins again with a new id"
        );
        handle.store.delete(&key_of(handle.nodes.here()), Expect::Any).await?;
    }
    Ok(())
}

/// Returns the id of the node whose data folder this is; another one than before, if it was declared gone. The agents that
/// it still runs belong to nobody then, and are ended once hosting starts.
pub async fn renew_id_if_gone(
    store: &Store,
    folder: &Path,
    id: StableNodeId,
    chance: &Chance,
    now: Timestamp,
) -> Result<StableNodeId, RenewIdError> {
    use askbridge_journal::journal::Journal;
    if store.exclusive() || store.get(&gone_key(id), now).await?.is_none() {
        return Ok(id);
    }
    let new = replace_node_id(folder, id, chance)?;
    warn!(
        node.id = %new, was = %id,
        "This node was declared gone while it was down. It goes on as {new}, and ends the agents that it still ran"
    );
    Ok(new)
}

/// Why it is not known whether a node has to take a new id.
#[derive(Debug, thiserror::Error)]
pub enum RenewIdError {
    #[error("could not read whether this node was declared gone")]
    Shelf(#[from] ShelfError),
    #[error(transparent)]
    Id(#[from] NodeIdError),
}
