//! Waits for the end of a tap, across restarts: a device decides, none does in time, or the process that wanted it
//! exits.

use std::time::Duration;

use askbridge_core::answer::{Answer, Decision};
use askbridge_core::event::Parcel;
use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::intent::Intent;
use askbridge_core::view::State as Stands;
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use askbridge_peers::wish::Rejection;
use serde::{Deserialize, Serialize};
use tracing::{info, warn};

use super::request::{Purpose, TapRequester};
use super::table::{Key, Tap, TapEnd};
use crate::auth::ProcessId;
use crate::runtime::chain;
use crate::server::app::App;

const PREFIX: &str = "taps/open/";
/// How often to check whether the process that wanted a tap still runs.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What the next server has to know of a tap.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredTap {
    pub(super) by: TapRequester,
    pub(super) purpose: Purpose,
    /// The calling process.
    pub(super) process: Option<String>,
    /// The leader of its session.
    pub(super) leader: Option<String>,
    pub(super) devices: String,
    pub(super) goes_on_at: Option<i64>,
    /// What the card shows, and the machine that wants to be connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<String>,
}

pub(super) fn place(ask: AskId) -> String {
    format!("{PREFIX}{ask}")
}

/// Continues to watch the taps that an earlier server requested.
pub(crate) async fn recall(app: &App) -> Result<(), ShelfError> {
    for item in app.handle.store.own().list(PREFIX, app.handle.clock.now()).await? {
        let ask = item.key.strip_prefix(PREFIX).and_then(|ask| ask.parse().ok());
        if let (Some(ask), Ok(kept)) = (ask, serde_json::from_slice(&item.value)) {
            watch(app, ask, kept);
        }
    }
    Ok(())
}

/// Waits for the end of a tap in a task.
pub(super) fn watch(app: &App, ask: AskId, kept: StoredTap) -> Tap {
    let (devices, code) = (kept.devices.clone(), kept.code.clone());
    let tap = Tap { ask, devices, goes_on_at: kept.goes_on_at.map(Timestamp), code };
    let key = (kept.by.clone(), kept.purpose.clone());
    app.taps.opened(key.clone(), tap.clone());
    let watching = app.clone();
    app.tasks.spawn(async move {
        match until_the_end(&watching, ask, &kept).await {
            Ok(Some(end)) => ended(&watching, ask, &key, &kept, end).await,
            // The next server goes on waiting.
            Ok(None) => {}
            Err(error) => {
                warn!(ask.id = %ask, %error, "Could not look after a tap");
                watching.taps.closed(&key, None, watching.handle.clock.now());
            }
        }
    });
    tap
}

/// How a tap ended.
enum End {
    Decided(TapEnd),
    /// No device denied it in time, so the process goes on without it.
    NoneDenied,
    /// The process that wanted it has exited.
    TakenBack,
}

/// Waits for the end. `None`: the server stops first.
async fn until_the_end(app: &App, ask: AskId, kept: &StoredTap) -> Result<Option<End>, Rejection> {
    let end = app.handle.end_of(ask);
    if app.handle.is_open(ask).await? {
        let process = kept.process.as_deref().and_then(ProcessId::read);
        let gone = async {
            match (process, &kept.by) {
                (Some(process), _) => {
                    while process.is_alive() {
                        tokio::time::sleep(LOOK_EVERY).await;
                    }
                }
                (None, TapRequester::Machine(digest)) => {
                    while !app.taps.machines.is_silent(digest) {
                        tokio::time::sleep(LOOK_EVERY).await;
                    }
                }
                (None, _) => std::future::pending().await,
            }
        };
        let goes_on = async {
            match kept.goes_on_at.map(Timestamp) {
                Some(at) => {
                    while app.handle.clock.now() < at {
                        app.handle.clock.sleep_until(at).await;
                    }
                }
                None => std::future::pending().await,
            }
        };
        let why = tokio::select! {
            biased;
            () = app.stop.cancelled() => return Ok(None),
            _ = end => None,
            () = gone => Some((End::TakenBack, "the program that wanted this has ended")),
            () = goes_on => {
                Some((End::NoneDenied, "no device denied this in time, so the terminal paired a new one without a tap"))
            }
        };
        if let Some((end, why)) = why {
            let withdrawn = app.handle.submit(ask.session, vec![Intent::Withdraw { ask, why: why.to_owned() }]).await;
            // If it was decided at this moment, that counts.
            if withdrawn.is_ok() && app.handle.ask(ask).await?.state == Stands::Withdrawn {
                return Ok(Some(end));
            }
        }
    }
    let view = app.handle.ask(ask).await?;
    Ok(Some(match (view.state, &view.answer) {
        // Allowing a changed input does not allow what was asked for.
        (Stands::Answered, Some(Answer::Approval(Decision::Allow { edited: None, .. }))) => End::Decided(TapEnd::Given),
        // No server ran when the time came to go on.
        (Stands::Expired, _) if kept.goes_on_at.is_some() => End::NoneDenied,
        (Stands::Expired, _) => End::Decided(TapEnd::Expired),
        (Stands::Withdrawn | Stands::Overtaken, _) => End::TakenBack,
        _ => End::Decided(TapEnd::Denied),
    }))
}

async fn ended(app: &App, ask: AskId, key: &Key, kept: &StoredTap, end: End) {
    if let TapRequester::Machine(digest) = &kept.by {
        app.taps.machines.forget(digest);
    }
    let now = app.handle.clock.now();
    let ended = match end {
        End::Decided(ended) => Some(ended),
        End::NoneDenied => Some(TapEnd::Given),
        End::TakenBack => None,
    };
    let is_given = ended == Some(TapEnd::Given);
    info!(ask.id = %ask, given = is_given, "A tap ended");
    let decides = matches!(kept.purpose, Purpose::Decide { .. });
    if let (true, true, Some(shell)) = (is_given, decides, kept.by.process()) {
        let leader = kept.leader.as_deref().and_then(ProcessId::read);
        if let Err(error) = app.agents.vouch_for_good(shell, leader, &app.handle.store.own(), now).await {
            warn!(error = chain(&error), "Could not remember a tap beyond this run");
        }
    }
    // One that was given for another purpose is kept until it is used: the server may stop in between.
    if !is_given || decides {
        forget(app, ask).await;
    }
    let told = Intent::Deliver { parcel: Parcel::Verdict(ask), proof: "the server itself asked".to_owned() };
    let close = Intent::Close { why: "the tap is over".to_owned() };
    let tidied = async {
        if matches!(end, End::Decided(_)) {
            app.handle.submit(ask.session, vec![told]).await?;
        }
        app.handle.submit(ask.session, vec![close]).await
    };
    match tidied.await {
        // An earlier server closed it, and stopped before the tap was used.
        Ok(_) | Err(Rejection::Refused(_)) => {}
        Err(error) => warn!(ask.id = %ask, %error, "Could not close the session of a tap"),
    }
    // One for deciding is remembered for the shell. Kept here as well, it would count once more after the shell has
    // lost it.
    let kept_here = ended.filter(|_| !(is_given && decides));
    app.taps.closed(key, kept_here, now);
}

/// Deletes what was stored of a tap.
pub(crate) async fn forget(app: &App, ask: AskId) {
    if let Err(error) = app.handle.store.own().delete(&place(ask), Expect::Any).await {
        warn!(ask.id = %ask, error = chain(&error), "Could not forget a tap");
    }
}
