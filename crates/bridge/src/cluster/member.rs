//! A node among others: renews its record, and looks at those of the others.

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use super::forget::leave_if_gone;
use super::nodes::ClockAhead;
use super::record::{NODE_PREFIX, NodeProfile, NodeRecord, key_of, run_name};
use super::watch::watch;
use crate::runtime::{Handle, chain};
use crate::server::App;

/// Why a node cannot join.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    #[error("could not write what this node says about itself")]
    Shelf(#[from] ShelfError),
    #[error("this node was declared gone, so its sessions belong to others; it needs a new id")]
    Gone,
    #[error("{} nodes share the journal already", limits::NODES_MAX)]
    TooMany,
}

/// What runs on behalf of a node that has joined.
#[derive(Debug)]
pub struct Membership(());

/// Lets this node be seen by the others, and keeps its view of them fresh until the server stops. On a journal that no
/// other node can share, nothing is written.
pub async fn join(app: &App, profile: NodeProfile) -> Result<Membership, JoinError> {
    let handle = &app.handle;
    if handle.nodes.is_alone() {
        return Ok(Membership(()));
    }
    if handle.is_declared_gone().await? {
        return Err(JoinError::Gone);
    }
    handle.find_first_node().await?;
    look(handle).await?;
    if handle.nodes.all().len() >= limits::NODES_MAX && handle.nodes.get(handle.nodes.here()).is_none() {
        return Err(JoinError::TooMany);
    }
    let started = handle.now();
    renew(app, &profile, started).await?;
    look(handle).await?;
    info!(node.id = %handle.nodes.here(), nodes = handle.nodes.alive().len(), "This node has joined the others");
    app.tasks.spawn(watch(app.clone(), app.stop.clone()));
    app.tasks.spawn(stay(app.clone(), profile, started, app.stop.clone()));
    Ok(Membership(()))
}

async fn stay(app: App, profile: NodeProfile, started: Timestamp, stop: CancellationToken) {
    let mut was_lost = false;
    let mut was_off = false;
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = tokio::time::sleep(limits::NODE_RENEWS_EVERY) => {}
        }
        let handle = &app.handle;
        let done = async {
            if !handle.nodes.is_gone() {
                renew(&app, &profile, started).await?;
                leave_if_gone(handle).await?;
            }
            look(handle).await
        };
        if let Err(error) = done.await {
            warn!(error = chain(&error), "Could not renew what this node says about itself");
        }
        let (lost, off) = (handle.nodes.is_lost(), handle.nodes.is_clock_off());
        if lost && !was_lost {
            error!("The journal cannot be reached: until it can, other nodes do what only one may");
        }
        if !lost && was_lost {
            info!("The journal can be reached again");
        }
        if off && !was_off {
            let ahead_ms = handle.nodes.clock().map_or(0, |clock| clock.ms);
            error!(ahead_ms, "The clock of this machine is off: it settles no deadline and rings nobody; set it");
        }
        (was_lost, was_off) = (lost, off);
    }
}

/// Writes the record, and measures the clock by the time at which the servers stored it.
async fn renew(app: &App, profile: &NodeProfile, started: Timestamp) -> Result<(), ShelfError> {
    let handle = &app.handle;
    let (begun, now) = (Instant::now(), handle.now());
    let (agents, agents_max) = app.hosts().map(|hosts| hosts.load()).unwrap_or_default();
    let record = NodeRecord {
        name: profile.name.clone(),
        labels: profile.labels.clone(),
        address: profile.address.clone(),
        run: run_name(handle.nodes.run()),
        version: profile.version.clone(),
        roots: profile.roots.clone(),
        agents,
        agents_max,
        connections: u32::try_from(app.connections()).unwrap_or(u32::MAX),
        lag: handle.store.lag().entries,
        clock_ahead_ms: handle.nodes.clock().map(|clock| clock.ms),
        started_at: started.0,
        renewed_at: now.0,
    };
    let value = serde_json::to_vec(&record).expect("a record has text keys");
    handle.store.put(&key_of(handle.nodes.here()), &value, Expect::Any, None, now).await?;
    handle.nodes.renewed(begun);
    // Any server's clock will do: they keep the same time, or an operator has worse problems.
    if let Ok(Some(server)) = handle.store.server_time().await {
        // The server read its clock somewhere on the way; the middle is the best guess.
        let half = i64::try_from(server.round_trip.as_millis() / 2).unwrap_or(i64::MAX);
        let ms = handle.now().0.saturating_sub(half).saturating_sub(server.at.0);
        handle.nodes.set_clock(ClockAhead { ms, error_ms: half.saturating_add(1) });
    }
    Ok(())
}

/// Reads all records.
pub(crate) async fn look(handle: &Handle) -> Result<(), ShelfError> {
    let now = handle.now();
    let items = handle.store.list(NODE_PREFIX, now).await?;
    handle.nodes.take_in(&items, now);
    Ok(())
}
